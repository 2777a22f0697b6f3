# SPDX-License-Identifier: BSD-3-Clause
"""A placement as a figure: the bytes between slots before and after, and what links carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg.placement.drawings import bytes_between_slots
from thalweg.placement.loads import link_loads
from thalweg.plots import new_figure

if TYPE_CHECKING:
    from thalweg.notebook_figure import NotebookFigure
    from thalweg.placement.mapping import Placement
    from thalweg.placement.pattern import Pattern

_CELLS = 128


def placement_figure(pattern: Pattern, placement: Placement) -> NotebookFigure:
    """Draw two matrices of bytes between slots, and the loads of links, the highest first."""
    ways = (("as numbered", placement.numbered), ("placed", placement.slot_of))
    matrices = [bytes_between_slots(pattern, placement, slot_of, _CELLS) for _, slot_of in ways]
    highest = max(float(matrix.max()) for matrix in matrices) or 1.0
    figure = new_figure(12, 3.8)
    panels = figure.subplots(1, 3)
    for axes, (title, _), matrix in zip(panels, ways, matrices, strict=False):
        # Small parts are to be seen too: shades go by the square root.
        image = axes.imshow(np.sqrt(matrix / highest), cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
        axes.set_title(f"bytes between slots, {title}")
        axes.set_xlabel("slot" if placement.slots.nodes.size <= _CELLS else "group of slots")
    bar = figure.colorbar(image, ax=list(panels[:2]), ticks=(0, 0.5, 1))
    bar.set_ticklabels(["0", f"{highest / 4:.3g}", f"{highest:.3g} B"])
    loads = panels[2]
    for title, slot_of in ways:
        carried = link_loads(pattern, placement.slots, slot_of, placement.base_load)
        loads.plot(np.sort(carried[carried > 0])[::-1], label=title)
    loads.set_title("loads of links, the highest first")
    loads.set_xlabel("link")
    loads.set_ylabel("bytes over capacity")
    loads.set_ylim(bottom=0)
    loads.legend()
    return figure
