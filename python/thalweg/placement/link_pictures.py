# SPDX-License-Identifier: BSD-3-Clause
"""A picture of what links carry, as SVG: on the machine where it is a small mesh or torus, else as bars."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg.placement.drawings import hottest_links, loads_by_neighbors
from thalweg.placement.loads import bytes_on_links

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots

_NODE_MIN = 8.0
_NODE_MAX = 36.0
_BAR = 14
_COLOR = "#c03000"


class Frame(NamedTuple):
    """Where to draw, in pixels, and the load that is drawn as the highest."""

    left: float
    top: float
    width: float
    highest: float


def link_picture(slots: Slots, loads: NDArray[np.float64], frame: Frame) -> tuple[str, float]:
    """Draw the loads of shape (links,) in a frame; gives the text and its height."""
    if not loads.size or loads.max() == 0:
        return f'<text x="{frame.left}" y="{frame.top + _BAR}">nothing crosses a link</text>', 2.0 * _BAR
    sides = slots.extents
    if 1 <= len(sides) <= 3:
        x_side, y_side, z_side = (*sides, 1, 1)[:3]
        step = min(_NODE_MAX, frame.width / (z_side * (x_side + 1)))
        if step >= _NODE_MIN:
            return "\n".join(_grid(slots, loads, frame, step)), (y_side + 1) * step
    return "\n".join(_bars(slots, loads, frame)), (len(hottest_links(loads)) + 1.0) * _BAR


def _grid(slots: Slots, loads: NDArray[np.float64], frame: Frame, step: float) -> Iterator[str]:
    """Draw planes beside each other; a link back to the beginning leaves to the right or below, one to z is a dot."""
    x_side, y_side, z_side = (*slots.extents, 1, 1)[:3]
    place = np.arange(x_side * y_side * z_side).reshape(z_side, y_side, x_side)
    by_neighbors = loads_by_neighbors(slots, loads)
    own = set(slots.nodes.tolist())
    for z, y, x in np.ndindex(place.shape):
        here = int(place[z, y, x])
        across, down = frame.left + (z * (x_side + 1) + x + 0.5) * step, frame.top + (y + 0.5) * step
        for axis, (far_across, far_down) in ((2, (step, 0.0)), (1, (0.0, step)), (0, (0.0, 0.0))):
            at = [z, y, x]
            if at[axis] == place.shape[axis] - 1 <= 1:
                continue  # of two nodes the one link is the first one's
            at[axis] = (at[axis] + 1) % place.shape[axis]
            part = by_neighbors.get((here, int(place[tuple(at)])), 0.0) / frame.highest
            if part == 0:
                continue
            if axis == 0:
                yield (
                    f'<circle cx="{across:.1f}" cy="{down:.1f}" r="{step / 5:.1f}" fill="{_COLOR}" '
                    f'fill-opacity="{part:.3f}"/>'
                )
            else:
                yield (
                    f'<line x1="{across:.1f}" y1="{down:.1f}" x2="{across + far_across:.1f}" '
                    f'y2="{down + far_down:.1f}" stroke="{_COLOR}" stroke-opacity="{part:.3f}" '
                    f'stroke-width="{max(1.5, step / 8):.1f}"/>'
                )
        side = step / 2
        color = "#003080" if here in own else "#bbbbbb"
        yield (
            f'<rect x="{across - side / 2:.1f}" y="{down - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}" '
            f'fill="none" stroke="{color}"/>'
        )


def _bars(slots: Slots, loads: NDArray[np.float64], frame: Frame) -> Iterator[str]:
    half = frame.width / 2
    carried = bytes_on_links(slots, loads)
    for row, link in enumerate(hottest_links(loads)):
        down = frame.top + row * _BAR
        length = half * loads[link] / frame.highest
        text = escape(f"{slots.machine.link_name(int(link))}: {carried[link]:.6g} bytes")
        yield f'<rect x="{frame.left}" y="{down:.1f}" width="{length:.1f}" height="{_BAR - 3}" fill="{_COLOR}"/>'
        yield f'<text x="{frame.left + half + 6}" y="{down + _BAR - 4:.1f}" font-size="{_BAR - 3}">{text}</text>'
