# SPDX-License-Identifier: BSD-3-Clause
"""What loads the hottest link: which pairs, from which source lines, and which swap would relieve it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.placement.loads import bytes_on_links, link_loads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots
    from thalweg.placement.mapping import Placement
    from thalweg.placement.pattern import Pattern

_PAIRS_SHOWN = 5
_SITES_SHOWN = 5


class Load(NamedTuple):
    """Bytes that one rank sends to another over the link, all phases together."""

    sender: int
    receiver: int
    bytes: float


class SiteLoad(NamedTuple):
    """Bytes over the link that a place in the program sends, such as "MPI_Isend halo.c:42 (exchange)"."""

    site: str
    bytes: float


class Swap(NamedTuple):
    """Two ranks, or a rank and an empty slot (-1), and the most loaded links behind their swap."""

    rank: int
    other: int
    slot: int
    link_max: float
    links: int
    """How many links are then so loaded."""
    placed: _core.PlacementMetrics


class HottestLink(NamedTuple):
    """The link with the highest load, which is its bytes over its capacity, and how many are as loaded.

    `part` is its part of all bytes on links, `others` what other jobs send over it. `sites` is empty where the pattern
    was not recorded from a program, `swap` None where no swap relieves it.
    """

    name: str
    load: float
    bytes: float
    others: float
    alike: int
    part: float
    pairs: list[Load]
    sites: list[SiteLoad]
    swap: Swap | None


def hottest_link(
    pattern: Pattern, slots: Slots, slot_of: NDArray[np.int32], base_load: NDArray[np.float64] | None = None
) -> HottestLink | None:
    """Find it; None where nothing crosses a link. Swaps are those of ranks whose messages cross it, with any other.

    Where ranks share slots, none is looked for. What other jobs send counts too.
    """
    others = np.empty(0) if base_load is None else base_load
    loads = link_loads(pattern, slots, slot_of, others)
    if not loads.size or loads.max() == 0:
        return None
    link = int(loads.argmax())
    pairs = [Load(*one) for one in _core.messages_over(link, pattern.core, slots.machine, slots.nodes, slot_of)]
    carried = bytes_on_links(slots, loads)
    return HottestLink(
        slots.machine.link_name(link),
        float(loads[link]),
        float(carried[link]),
        float(others[link]) if others.size else 0.0,
        int(np.count_nonzero(loads >= (1 - 1e-9) * loads[link])),
        float(carried[link] / carried.sum()),
        pairs,
        _sites(pattern, pairs),
        _swap(pattern, slots, slot_of, others) if np.unique(slot_of).size == slot_of.size else None,
    )


def _sites(pattern: Pattern, pairs: list[Load]) -> list[SiteLoad]:
    """Say where in the program the pairs' bytes are sent, the most first."""
    sent = pattern.sent
    if sent is None:
        return []
    total = pattern.matrix()
    # Of a pair whose messages are spread over several routes, the link carries a part.
    part_of = {(pair.sender, pair.receiver): pair.bytes / total[pair.sender, pair.receiver] for pair in pairs}
    ends = zip(sent.senders.tolist(), sent.receivers.tolist(), strict=True)
    parts = np.array([part_of.get(pair, 0.0) for pair in ends])
    sums = np.bincount(sent.sites, parts * sent.bytes, len(sent.names))
    return [SiteLoad(sent.names[site], float(sums[site])) for site in np.argsort(-sums, kind="stable") if sums[site]]


def _swap(pattern: Pattern, slots: Slots, slot_of: NDArray[np.int32], others: NDArray[np.float64]) -> Swap | None:
    found = _core.best_relief(pattern.core, slots.machine, slots.nodes, slot_of, others)
    if found is None:
        return None
    rank, slot, link_max, links = found
    there = np.flatnonzero(slot_of == slot)
    after = slot_of.copy()
    after[there] = slot_of[rank]
    after[rank] = slot
    placed = _core.placement_metrics(pattern.core, slots.machine, slots.nodes, after, others)
    return Swap(rank, int(there[0]) if there.size else -1, slot, link_max, links, placed)


def explanation(pattern: Pattern, placement: Placement) -> list[str]:
    """Say it in lines of text."""
    hottest = hottest_link(pattern, placement.slots, placement.slot_of, placement.base_load)
    if hottest is None:
        return ["nothing crosses a link"]
    alike = f", as do {hottest.alike - 1} others" if hottest.alike > 1 else ""
    capacity = hottest.bytes / hottest.load
    at = "" if abs(capacity - 1) < 1e-9 else f" at a capacity of {capacity:.6g}"
    part = f"{100 * hottest.part:.3g} % of all links' bytes"
    lines = [f"link {hottest.name} carries {hottest.bytes:.6g} bytes{at}{alike}; {part}"]
    if hottest.others:
        lines.append(f"  other jobs: {hottest.others:.6g} bytes")
    lines += [
        f"  rank {one.sender} to rank {one.receiver}: {one.bytes:.6g} bytes" for one in hottest.pairs[:_PAIRS_SHOWN]
    ]
    if len(hottest.pairs) > _PAIRS_SHOWN:
        lines.append(f"  and {len(hottest.pairs) - _PAIRS_SHOWN} pairs more")
    carried = sum(pair.bytes for pair in hottest.pairs)
    lines += [f"  {100 * one.bytes / carried:.3g} % from {one.site}" for one in hottest.sites[:_SITES_SHOWN]]
    if hottest.swap is not None:
        lines.append("  " + _gain(hottest, hottest.swap, placement))
    elif placement.weights is None:
        lines.append("  no swap relieves it")
    return lines


def _gain(hottest: HottestLink, swap: Swap, placement: Placement) -> str:
    other = f"rank {swap.other}" if swap.other >= 0 else f"empty slot {swap.slot}"
    if swap.link_max < (1 - 1e-9) * hottest.load:
        unit = "bytes" if hottest.bytes == hottest.load else "bytes a capacity"
        gain = f"{swap.link_max:.6g} {unit}, {_factor(hottest.load, swap.link_max)} times less"
    else:
        gain = f"{swap.links} {'link' if swap.links == 1 else 'links'} as loaded in place of {hottest.alike}"
    before, after = placement.placed, swap.placed
    parts = {
        "hop-bytes": _part(after.hop_bytes, before.hop_bytes),
        "contention": _part(after.phase_link_max, before.phase_link_max),
        "time": _part(after.seconds, before.seconds),
    }
    others = ", ".join(f"{name} {part}" for name, part in parts.items())
    return f"rank {swap.rank} against {other}: {gain}; {others} of before"


def _factor(before: float, after: float) -> str:
    return f"{before / after:.3g}" if after else "infinitely many"


def _part(after: float, before: float) -> str:
    return f"{after / before:.3f}" if before else "-"
