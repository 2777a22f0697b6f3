# SPDX-License-Identifier: BSD-3-Clause
"""A timeline of ranks and the most loaded links, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg.errors import USAGE, ThalwegError
from thalweg.plots import new_figure, save_figure
from thalweg.simulation.simulate import kinds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thalweg.notebook_figure import NotebookFigure
    from thalweg.simulation.results import Simulation

DRAWN_RANKS_MAX = 64
DRAWN_SEGMENTS_MAX = 200_000
DRAWN_LINKS_MAX = 8
_COLORS = ("tab:blue", "tab:gray", "tab:orange", "tab:purple", "tab:green", "tab:brown", "tab:red", "tab:pink")


def draw_timeline(found: Simulation, path: str) -> None:
    """Write the picture of timeline_figure() to a file, whose name says the format."""
    save_figure(timeline_figure(found, f"{path}: "), path)


def timeline_figure(found: Simulation, where: str = "") -> NotebookFigure:
    """Draw what the first ranks' processors did, the critical path, and on level flow the links with the most to do.

    Raises ThalwegError for a simulation without a timeline, or one too long; `where` begins its message.
    """
    line = found.timeline
    drawn = line.ranks < DRAWN_RANKS_MAX
    if not line.ranks.size or int(drawn.sum()) > DRAWN_SEGMENTS_MAX:
        raise ThalwegError(
            USAGE,
            f"{where}the program has nothing to draw, or too much",
            "simulate fewer ranks or operations, in Python with timeline=True",
        )
    ranks = min(found.ranks, DRAWN_RANKS_MAX)
    links = min(found.links.numbers.size, DRAWN_LINKS_MAX)
    height = 1 + 0.16 * ranks
    figure = new_figure(12, height + 0.25 * links)
    panels = figure.add_gridspec(2 if links else 1, height_ratios=[height, 0.25 * links] if links else None)
    axes = figure.add_subplot(panels[0])
    for kind, (name, color) in enumerate(zip(kinds(), _COLORS, strict=True)):
        chosen = drawn & (line.kinds == kind)
        if chosen.any():
            begins = line.begins[chosen] / 1e3
            axes.barh(line.ranks[chosen], line.ends[chosen] / 1e3 - begins, left=begins, color=color, label=name)
    on_path = found.path.ranks < DRAWN_RANKS_MAX
    middles = np.repeat(found.path.ranks[on_path], 2)
    times = np.column_stack((found.path.begins[on_path], found.path.ends[on_path])).ravel() / 1e3
    axes.plot(times, middles, color="tab:red", linewidth=1, label="critical path")
    axes.set_xlabel("us")
    axes.set_ylabel("rank")
    axes.invert_yaxis()
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    if links:
        _draw_links(found, figure.add_subplot(panels[1]), links)
    return figure


def _draw_links(found: Simulation, axes: Axes, links: int) -> None:
    names = [found.link_name(int(link)) for link in found.links.numbers[:links]]
    axes.barh(names, found.links.busy[:links] / max(found.finish, 1), color="tab:brown")
    axes.set_xlim(0, 1)
    axes.set_xlabel("part of the time that the link is busy")
    axes.invert_yaxis()
