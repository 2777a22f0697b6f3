# SPDX-License-Identifier: BSD-3-Clause
"""A placement as a page: what it gains, who talks to whom before and after, and what links carry."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from thalweg.pages.charts import CELLS_MAX, Bar, Matrix, groups_of, paired
from thalweg.pages.plain import Figure, Page, Pictures, Section, Table, Tile
from thalweg.pages.render import bytes_text, percent
from thalweg.placement.drawings import bytes_between_slots, hottest_links
from thalweg.placement.link_pictures import Frame, link_picture
from thalweg.placement.loads import bytes_on_links, link_loads
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from thalweg import _core
    from thalweg.placement.machine import Slots
    from thalweg.placement.mapping import Placement
    from thalweg.placement.pattern import Pattern

_PICTURE_WIDTH = 360.0
_RANKS_MAX = 4096
WORDS = (
    ("hop_bytes", "bytes times hops"),
    ("link_max", "on the busiest link"),
    ("phase_link_max", "on the busiest link, in its busiest phase"),
)


def placement_page(pattern: Pattern, placement: Placement, subject: str) -> str:
    """Write the page; `subject` names the pattern."""
    slots = placement.slots
    before, after = placement.identity, placement.placed
    loads = [
        link_loads(pattern, slots, slot_of, placement.base_load) for slot_of in (placement.numbered, placement.slot_of)
    ]
    sections = [
        _gains(before, after),
        Section(
            "Who talks to whom",
            "Bytes between slots of the machine, both ways.",
            pictures=_matrices(pattern, placement),
        ),
        _links(placement, loads),
        _ranks(placement),
    ]
    return Page(
        kind="placement of ranks",
        title=subject,
        origin=f"{pattern.tasks} ranks on {slots.nodes.size} slots of {slots.machine.name}, by {placement.method}",
        tiles=_tiles(placement),
        sections=[one for one in sections if one is not None],
    ).text()


def _tiles(placement: Placement) -> list[Tile]:
    before, after = placement.identity, placement.placed
    tiles = [Tile(f"{placement.seconds:.2g} s", "search")]
    if before.hop_bytes > 0:
        help_text = "Bytes times links that they cross, against ranks as they are numbered."
        tiles.insert(0, Tile(percent(1 - after.hop_bytes / before.hop_bytes), "fewer bytes times hops", help_text))
    if before.link_max > 0:
        tiles.insert(1, Tile(percent(1 - after.link_max / before.link_max), "fewer bytes on the busiest link"))
    above = placement.above_bound("hop-bytes")
    if above is not None:
        said = "optimal" if above <= 1e-6 else f"{1 + above:.3g}x"
        tiles.append(Tile(said, "of the bound", placement.bounds["hop-bytes"].reason))
    return tiles


def _gains(before: _core.PlacementMetrics, after: _core.PlacementMetrics) -> Section:
    pairs = []
    for key, name in WORDS:
        first, second = getattr(before, key), getattr(after, key)
        if first > 0:
            pairs.append(
                paired(name, first, second, max(first, second), f"{bytes_text(first)} to {bytes_text(second)}")
            )
    if before.seconds > 0:
        said = f"{time_text(before.seconds)} to {time_text(after.seconds)}"
        pairs.append(paired("time", before.seconds, after.seconds, max(before.seconds, after.seconds), said))
    return Section("As numbered and as placed", legend=[("before", "as numbered"), ("after", "as placed")], pairs=pairs)


def _matrices(pattern: Pattern, placement: Placement) -> Pictures:
    size = placement.slots.nodes.size
    found = []
    for title, slot_of in (("as numbered", placement.numbered), ("as placed", placement.slot_of)):
        cells = bytes_between_slots(pattern, placement, slot_of, CELLS_MAX)
        step = groups_of(size, len(cells))
        names = tuple(
            f"slot {row}" if step == 1 else f"slots {row * size // len(cells)} …" for row in range(len(cells))
        )
        values = tuple(
            (int(row), int(column), float(cells[row, column]), 0.0) for row, column in np.argwhere(cells > 0)
        )
        found.append(Matrix(title, names, values))
    return Pictures.of(found)


def _links(placement: Placement, loads: list[NDArray[np.float64]]) -> Section | None:
    slots = placement.slots
    highest = max((float(one.max(initial=0.0)) for one in loads), default=0.0)
    if highest <= 0:
        return None
    carried = bytes_on_links(slots, loads[1])
    bars = [
        Bar(
            slots.machine.link_name(int(link)),
            (("waiting", round(100 * float(loads[1][link]) / highest, 2)),),
            bytes_text(float(carried[link])),
        )
        for link in hottest_links(loads[1])
    ]
    drawings = link_drawings(slots, ("as numbered", "as placed"), loads)
    return Section("What links carry", "The busiest links as placed stand first.", drawings=drawings, bars=bars)


def link_drawings(slots: Slots, titles: Sequence[str], loads: Sequence[NDArray[np.float64]]) -> list[tuple[str, str]]:
    """Draw loads of links on the machine, or as bars, in one scale; none where nothing crosses a link."""
    highest = max((float(one.max(initial=0.0)) for one in loads), default=0.0)
    drawings = []
    for title, one in zip(titles, loads, strict=True):
        text, height = link_picture(slots, one, Frame(8, 8, _PICTURE_WIDTH, highest))
        box = f'viewBox="0 0 {_PICTURE_WIDTH + 60:.0f} {height + 24:.0f}" width="{_PICTURE_WIDTH + 60:.0f}"'
        label = f'role="img" aria-label="Loads of links, {escape(title)}"'
        drawings.append((title, f'<svg {box} {label} font-family="sans-serif" font-size="12">{text}</svg>'))
    return drawings if highest > 0 else []


def _ranks(placement: Placement) -> Section:
    slots = placement.slots
    rows = [
        (Figure(rank, str(rank)), Figure(int(slot), str(slot)), Figure(int(slots.nodes[slot]), str(slots.nodes[slot])))
        for rank, slot in enumerate(placement.slot_of[:_RANKS_MAX])
    ]
    more = f"The first {_RANKS_MAX} ranks; -o FILE writes all." if placement.slot_of.size > _RANKS_MAX else ""
    return Section("Which rank goes where", more, table=Table(("rank", "slot", "node"), rows))
