"""What loads the hottest link: which pairs, and which swap would relieve it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots
    from thalweg.placement.pattern import Pattern


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
    """Find it; None where nothing crosses a link. Swaps are those of ranks whose messages cross it, with any other."""
    loads = _core.link_loads(pattern.core, slots.machine, slots.nodes, slot_of)
    if not loads.size or loads.max() == 0:
        return None
    link = int(loads.argmax())
    where = (pattern.core, slots.machine, slots.nodes, slot_of)
    pairs = [Load(*one) for one in _core.messages_over(link, *where)]
    found = _core.best_relief(*where)
    return HottestLink(
        slots.machine.link_name(link),
        float(loads[link]),
        int(np.count_nonzero(loads == loads[link])),
        float(loads[link] / loads.sum()),
        pairs,
        None if found is None else Swap(found[0], _rank_on(slot_of, found[1]), found[1], found[2]),
    )


def _rank_on(slot_of: NDArray[np.int32], slot: int) -> int:
    """Give the rank on a slot, -1 where it is empty."""
    found = np.flatnonzero(slot_of == slot)
    return int(found[0]) if found.size else -1
