"""What loads the hottest link: which pairs, and which swap would relieve it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots
    from thalweg.placement.pattern import Pattern

_TRIED_MAX = 600
_ENDS_MAX = 6


class Load(NamedTuple):
    """Bytes that one rank sends to another over the link, all phases together."""

    sender: int
    receiver: int
    bytes: float


class Swap(NamedTuple):
    """Two ranks, or a rank and an empty slot (-1), and the most loaded link's load behind their swap."""

    rank: int
    other: int
    slot: int
    link_max: float


class HottestLink(NamedTuple):
    """The link with the highest load, how many are as loaded, and its part of all bytes on links."""

    name: str
    load: float
    alike: int
    part: float
    pairs: list[Load]
    swap: Swap | None


def hottest_link(pattern: Pattern, slots: Slots, slot_of: NDArray[np.int32]) -> HottestLink | None:
    """Find it; None where nothing crosses a link. Swaps are tried for ranks of the pairs that load it the most."""
    loads = _core.link_loads(pattern.core, slots.machine, slots.nodes, slot_of)
    if not loads.size or loads.max() == 0:
        return None
    link = int(loads.argmax())
    total = pattern.matrix().tocoo()
    pairs = []
    for sender, receiver, count in zip(total.row.tolist(), total.col.tolist(), total.data.tolist(), strict=True):
        ends = int(slots.nodes[slot_of[sender]]), int(slots.nodes[slot_of[receiver]])
        if ends[0] != ends[1] and link in slots.machine.route(*ends):
            pairs.append(Load(sender, receiver, count))
    pairs.sort(key=lambda pair: -pair.bytes)
    return HottestLink(
        slots.machine.link_name(link),
        float(loads[link]),
        int(np.count_nonzero(loads == loads[link])),
        float(loads[link] / loads.sum()),
        pairs,
        _best_swap(pattern, slots, slot_of, pairs),
    )


def _best_swap(pattern: Pattern, slots: Slots, slot_of: NDArray[np.int32], pairs: list[Load]) -> Swap | None:
    """Try swaps of ranks at the ends of the heaviest pairs, with random others; None where none relieves it."""
    rank_at = np.full(slots.nodes.size, -1)
    rank_at[slot_of] = np.arange(slot_of.size)
    ends = list(dict.fromkeys(rank for pair in pairs for rank in (pair.sender, pair.receiver)))[:_ENDS_MAX]
    others = np.random.default_rng(1).permutation(slots.nodes.size)[: _TRIED_MAX // max(len(ends), 1)]
    before = _core.placement_metrics(pattern.core, slots.machine, slots.nodes, slot_of, np.empty(0)).link_max
    best: Swap | None = None
    for rank in ends:
        for slot in others.tolist():
            tried, other = slot_of.copy(), int(rank_at[slot])
            tried[rank] = slot
            if other >= 0:
                tried[other] = slot_of[rank]
            after = _core.placement_metrics(pattern.core, slots.machine, slots.nodes, tried, np.empty(0)).link_max
            if after < (best.link_max if best else before):
                best = Swap(rank, other, slot, after)
    return best
