# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a placement as SVG: bytes between slots before and after, and what links carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg.pages.render import bytes_text
from thalweg.placement.drawings import bytes_between_slots
from thalweg.placement.link_pictures import Frame, link_picture
from thalweg.placement.loads import link_loads
from thalweg.text_files import write_text
from thalweg.units import count_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg.placement.mapping import Placement
    from thalweg.placement.pattern import Pattern

_CELLS = 64
_SIDE = 256
_GAP = 40
_HEIGHT = 120
_BEFORE, _AFTER = "#707880", "#c03000"
_FRAME = 'fill="none" stroke="#c0c6ce"'
_SMALL = 'font-size="11" fill="#505860"'


def write_pictures(pattern: Pattern, placement: Placement, path: str) -> None:
    """Write the bytes between slots as two matrices, and the loads of links as two curves, and on the machine."""
    before = placement.numbered
    parts = []
    for column, (title, slot_of) in enumerate((("as numbered", before), ("placed", placement.slot_of))):
        left = _GAP + column * (_SIDE + _GAP)
        parts.append(f'<text x="{left}" y="{_GAP - 10}">{title}</text>')
        parts += _matrix(bytes_between_slots(pattern, placement, slot_of, _CELLS), left)
        parts += _slots_beside(placement.slots.nodes.size, left)
    legend = f'<tspan fill="{_BEFORE}">as numbered</tspan>, <tspan fill="{_AFTER}">placed</tspan>'
    parts.append(f'<text x="{_GAP}" y="{2 * _GAP + _SIDE - 4}">loads of links, sorted: {legend}</text>')
    curves = [_sorted_loads(pattern, placement, slot_of) for slot_of in (before, placement.slot_of)]
    highest = max([float(curve.max(initial=0.0)) for curve in curves] + [1e-300])
    parts += _axes(highest, max(curve.size for curve in curves))
    parts += [_curve(curve, highest, color) for curve, color in zip(curves, (_BEFORE, _AFTER), strict=True)]
    top = 4 * _GAP + _SIDE + _HEIGHT
    heights = []
    for column, (title, slot_of) in enumerate((("links, as numbered", before), ("links, placed", placement.slot_of))):
        left = _GAP + column * (_SIDE + _GAP)
        loads = link_loads(pattern, placement.slots, slot_of, placement.base_load)
        drawn, drawn_height = link_picture(placement.slots, loads, Frame(left, top, _SIDE, highest))
        parts += [f'<text x="{left}" y="{top - 10}">{title}</text>', drawn]
        heights.append(round(drawn_height))
    width, height = 2 * (_SIDE + _GAP) + _GAP, top + max(heights) + _GAP
    text = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">\n'
    text += '<rect width="100%" height="100%" fill="#ffffff"/>\n'
    write_text(text + "\n".join(parts) + "\n</svg>\n", path)


def _matrix(cells: NDArray[np.float64], left: int) -> list[str]:
    size = _SIDE / len(cells)
    highest = cells.max() or 1.0
    return [
        f'<rect x="{left + column * size:.2f}" y="{_GAP + row * size:.2f}" width="{size:.2f}" height="{size:.2f}" '
        f'fill="#003080" fill-opacity="{(cells[row, column] / highest) ** 0.5:.3f}"/>'
        for row, column in np.argwhere(cells > 0)
    ]


def _slots_beside(count: int, left: int) -> list[str]:
    """Frame a matrix, and say what its rows and columns are."""
    middle, below = _GAP + _SIDE // 2, _GAP + _SIDE + 14
    return [
        f'<rect x="{left}" y="{_GAP}" width="{_SIDE}" height="{_SIDE}" {_FRAME}/>',
        f'<text x="{left}" y="{below}" {_SMALL}>to slot 0</text>',
        f'<text x="{left + _SIDE}" y="{below}" text-anchor="end" {_SMALL}>{count - 1}</text>',
        f'<text transform="translate({left - 6} {middle}) rotate(-90)" text-anchor="middle" {_SMALL}>from slot</text>',
    ]


def _axes(highest: float, links: int) -> list[str]:
    """Frame the curves: the largest load, and how many links carry anything."""
    width, top = 2 * _SIDE + _GAP, 2 * _GAP + _SIDE
    largest, many = bytes_text(highest if links else 0), count_text(links, "link")
    return [
        f'<rect x="{_GAP}" y="{top}" width="{width}" height="{_HEIGHT}" {_FRAME}/>',
        f'<text x="{_GAP + width - 6}" y="{top + 14}" text-anchor="end" {_SMALL}>at most {largest}</text>',
        f'<text x="{_GAP + width}" y="{top + _HEIGHT + 14}" text-anchor="end" {_SMALL}>{many}</text>',
    ]


def _sorted_loads(pattern: Pattern, placement: Placement, slot_of: NDArray[np.int32]) -> NDArray[np.float64]:
    loads = link_loads(pattern, placement.slots, slot_of, placement.base_load)
    return np.sort(loads[loads > 0])[::-1]


def _curve(loads: NDArray[np.float64], highest: float, color: str) -> str:
    width, base = 2 * _SIDE + _GAP, 2 * _GAP + _SIDE + _HEIGHT
    ranks = np.linspace(0, max(loads.size - 1, 0), min(loads.size, 400)).astype(int)
    points = " ".join(
        f"{_GAP + width * rank / max(loads.size, 1):.1f},{base - _HEIGHT * loads[rank] / highest:.1f}" for rank in ranks
    )
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>'
