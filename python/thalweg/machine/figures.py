# SPDX-License-Identifier: BSD-3-Clause
"""A machine as a figure: its nodes, switches and links, and how far its nodes are from one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from thalweg.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from thalweg import _core
    from thalweg.notebook_figure import NotebookFigure

DRAWN_VERTICES_MAX = 1024
_DRAWN_DIMENSIONS_MAX = 3
_COUNTED_NODES_MAX = 1 << 20


def machine_figure(machine: _core.Interconnect) -> NotebookFigure:
    """Draw nodes and switches with their links, if they are few; and count the nodes by their hops from node 0."""
    is_drawn = machine.vertices <= DRAWN_VERTICES_MAX
    figure = new_figure(11 if is_drawn else 5.5, 4.5)
    panels = figure.subplots(1, 2 if is_drawn else 1, squeeze=False)[0]
    if is_drawn:
        _draw_links(machine, panels[0])
    _draw_hops(machine, panels[-1])
    return figure


def vertex_places(machine: _core.Interconnect) -> NDArray[np.float64]:
    """Give each vertex a place in the plane, of shape (vertices, 2).

    A grid lies as it is, its third dimension aslant. Other switches stand above the nodes that they join, a level
    higher for each hop; where all are on one level, they stand on a circle.
    """
    grid = machine.grid
    if grid is not None and len(grid.extents) <= _DRAWN_DIMENSIONS_MAX and machine.vertices == machine.nodes:
        x, y, z = _coordinates((*grid.extents, 1, 1)[:3])
        return np.column_stack((x + 0.35 * z, y + 0.3 * z)).astype(np.float64)
    hops = np.asarray(
        dijkstra(_links_of(machine), directed=True, indices=np.arange(machine.nodes), unweighted=True, min_only=True)
    )
    if hops.max(initial=0) < 2:
        return _on_circles(machine)
    return _in_levels(machine, hops.astype(np.int64))


def _coordinates(extents: tuple[int, ...]) -> tuple[NDArray[np.int64], ...]:
    numbers = np.arange(int(np.prod(extents)))
    return tuple(one.astype(np.int64) for one in np.unravel_index(numbers, extents, order="F"))


def _ends(machine: _core.Interconnect) -> NDArray[np.int64]:
    """Give the links that there are, as pairs of vertices."""
    pairs = [machine.ends(link) for link in range(machine.links)]
    return np.asarray([pair for pair in pairs if pair[0] >= 0], dtype=np.int64).reshape(-1, 2)


def _links_of(machine: _core.Interconnect) -> csr_array:
    ends = _ends(machine)
    sides = (machine.vertices, machine.vertices)
    return csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=sides)


def _on_circles(machine: _core.Interconnect) -> NDArray[np.float64]:
    """Put switches on a circle, and around it each one's nodes."""
    switches = max(machine.vertices - machine.nodes, 1)
    places = np.zeros((machine.vertices, 2))
    for vertex in range(machine.nodes, machine.vertices):
        places[vertex] = _on_circle((vertex - machine.nodes) / switches, 1.0 if switches > 1 else 0.0)
    for node in range(machine.nodes):
        places[node] = _on_circle((node + 0.5) / machine.nodes - 0.5 / switches, 1.25)
    return places


def _on_circle(part: float, radius: float) -> tuple[float, float]:
    return radius * math.sin(2 * math.pi * part), radius * math.cos(2 * math.pi * part)


def _in_levels(machine: _core.Interconnect, level: NDArray[np.int64]) -> NDArray[np.float64]:
    """Put nodes in a row, and each switch above the middle of those below that it joins."""
    places: NDArray[np.float64] = np.column_stack((np.arange(machine.vertices), level)).astype(np.float64)
    ends = _ends(machine)
    for height in range(1, int(level.max()) + 1):
        here = np.flatnonzero(level == height)
        up = ends[(level[ends[:, 1]] == height) & (level[ends[:, 0]] == height - 1)]
        middles = [places[up[up[:, 1] == switch, 0], 0].mean() for switch in here]
        # Switches over the same nodes share a middle: all of a level are spread evenly in the order of these.
        order = here[np.argsort(middles, kind="stable")]
        places[order, 0] = (np.arange(here.size) + 0.5) * machine.nodes / here.size - 0.5
    return places


def _draw_links(machine: _core.Interconnect, axes: Axes) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415 - slow, and few programs draw

    places = vertex_places(machine)
    lines = places[_ends(machine)]
    if machine.grid is not None and machine.vertices == machine.nodes:
        lengths = np.abs(lines[:, 0] - lines[:, 1]).max(axis=1)
        lines = lines[lengths <= 1.5]
        axes.set_title("links, without those around" if len(lines) < len(lengths) else "links")
    else:
        axes.set_title("links")
    axes.add_collection(LineCollection(list(lines), colors="tab:gray", linewidths=0.6))
    nodes, switches = places[: machine.nodes], places[machine.nodes :]
    axes.plot(nodes[:, 0], nodes[:, 1], "o", markersize=4, color="tab:blue", label="nodes")
    if switches.size:
        axes.plot(switches[:, 0], switches[:, 1], "s", markersize=5, color="tab:orange", label="switches")
    axes.set_axis_off()
    axes.autoscale()
    axes.legend(loc="upper right", bbox_to_anchor=(1, 0), ncols=2)


def _draw_hops(machine: _core.Interconnect, axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - slow, and few programs draw

    nodes = np.arange(min(machine.nodes, _COUNTED_NODES_MAX), dtype=np.int64)
    hops, counts = np.unique(machine.hops(np.zeros_like(nodes), nodes), return_counts=True)
    axes.bar(hops, counts, color="tab:blue")
    axes.set_title(f"{machine.name}: nodes by hops from node 0")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("hops")
    axes.set_ylabel("nodes")
