# SPDX-License-Identifier: BSD-3-Clause
"""Drawings of a placement for a terminal: bytes between slots before and after, and what links carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg.placement.loads import bytes_on_links, link_loads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots
    from thalweg.placement.mapping import Placement
    from thalweg.placement.pattern import Pattern

_SHADES = " .:-=+*#%@"
_CELLS = 32
_WIDTH = 110
_BARS = 12
_BAR = 40


def drawings(pattern: Pattern, placement: Placement) -> list[str]:
    """Draw the matrices side by side, then the links of the placement."""
    lines = _matrices(pattern, placement)
    loads = link_loads(pattern, placement.slots, placement.slot_of, placement.base_load)
    if not loads.size or loads.max() == 0:
        return [*lines, "", "nothing crosses a link"]
    return [*lines, "", *_links(placement.slots, loads)]


def bytes_between_slots(
    pattern: Pattern, placement: Placement, slot_of: NDArray[np.int32], cells: int
) -> NDArray[np.float64]:
    """Sum up bytes between groups of slots, both ways, in at most so many rows."""
    total = pattern.both_ways().tocoo()
    slots = placement.slots.nodes.size
    cells = min(cells, slots)
    group = (slot_of.astype(np.int64) * cells) // slots
    matrix = np.zeros((cells, cells))
    np.add.at(matrix, (group[total.row], group[total.col]), total.data)
    np.fill_diagonal(matrix, matrix.diagonal() / 2)  # of pairs inside of a group both entries are there
    return matrix


def _matrices(pattern: Pattern, placement: Placement) -> list[str]:
    before, after = (
        bytes_between_slots(pattern, placement, slot_of, _CELLS) for slot_of in (placement.numbered, placement.slot_of)
    )
    highest = max(float(before.max()), float(after.max())) or 1.0
    width = 2 * len(before)
    lines = [f"bytes between slots: {'as numbered':{max(width - 15, 11)}}  placed"]
    for row in range(len(before)):
        texts = ["".join(2 * _shade(value / highest) for value in matrix[row]) for matrix in (before, after)]
        lines.append(f"  |{texts[0]}|  |{texts[1]}|")
    return lines


def _shade(part: float) -> str:
    """Small parts are to be seen too: shades go by the square root."""
    return _SHADES[int(np.ceil(part**0.5 * (len(_SHADES) - 1)))]


def _links(slots: Slots, loads: NDArray[np.float64]) -> list[str]:
    """Draw the grid, where it is one that a terminal has room for; else the most loaded links."""
    sides = slots.extents
    drawn = _grid(slots, loads) if 1 <= len(sides) <= 3 else []
    if drawn and max(map(len, drawn[1:])) <= _WIDTH:
        return drawn
    order = hottest_links(loads)
    names = [slots.machine.link_name(int(link)) for link in order]
    width = max(map(len, names))
    carried = bytes_on_links(slots, loads)
    return ["the most loaded links:"] + [
        f"  {name:{width}} {'#' * max(1, round(_BAR * loads[link] / loads[order[0]])):{_BAR}} {carried[link]:.6g} bytes"
        for name, link in zip(names, order, strict=True)
    ]


def hottest_links(loads: NDArray[np.float64]) -> list[int]:
    """Give the links that carry most, the first one most, as many as a list has room for; none that carry nothing."""
    order = np.argsort(-loads, kind="stable")[:_BARS]
    return [int(link) for link in order if loads[link] > 0]


def _grid(slots: Slots, loads: NDArray[np.float64]) -> list[str]:
    """Draw planes beside each other, x to the right and y downward; a node has its link to the next plane inside."""
    x_side, y_side, z_side = (*slots.extents, 1, 1)[:3]
    highest = float(loads.max())
    tenths = {pair: str(min(9, int(10 * load / highest))) for pair, load in loads_by_neighbors(slots, loads).items()}
    own = set(slots.nodes.tolist())
    place = np.arange(x_side * y_side * z_side).reshape(z_side, y_side, x_side)

    def mark(axis: int, x: int, y: int, z: int) -> str:
        """Give the link to the next node, which of two is the one before, too."""
        at = [z, y, x]
        if at[axis] == place.shape[axis] - 1 <= 1:
            return " "
        here = int(place[tuple(at)])
        at[axis] = (at[axis] + 1) % place.shape[axis]
        return tenths.get((here, int(place[tuple(at)])), " ")

    def line(z: int, y: int) -> str:
        text = ""
        for x in range(x_side):
            up = mark(0, x, y, z)
            node = f"[{up}]" if int(place[z, y, x]) in own else f" {up if up != ' ' else '.'} "
            text += node + mark(2, x, y, z)
        return text

    def below(z: int, y: int) -> str:
        return "".join(f" {mark(1, x, y, z)}  " for x in range(x_side))

    lines = [
        f"loads of links, in tenths of the hottest one's {loads.max():.6g} bytes, the more loaded way; [ ] is a node"
        + (", and in it its link to the next plane" if z_side > 1 else "")
    ]
    for y in range(y_side):
        lines.append(("  " + "   ".join(line(z, y) for z in range(z_side))).rstrip())
        if y_side > 1:
            lines.append(("  " + "   ".join(below(z, y) for z in range(z_side))).rstrip())
    return lines


def loads_by_neighbors(slots: Slots, loads: NDArray[np.float64]) -> dict[tuple[int, int], float]:
    """Give each pair of neighbors, both ways around, the load of its link the more loaded way."""
    found: dict[tuple[int, int], float] = {}
    for link in np.flatnonzero(loads):
        here, there = slots.machine.ends(int(link))
        for pair in ((here, there), (there, here)):
            found[pair] = max(found.get(pair, 0.0), float(loads[link]))
    return found
