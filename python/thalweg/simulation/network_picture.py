# SPDX-License-Identifier: BSD-3-Clause
"""What comes through a network, and latency, over load; and times over sizes: as pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thalweg.notebook_html import table_html
from thalweg.plots import new_figure, save_figure
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from thalweg.notebook_figure import NotebookFigure
    from thalweg.simulation.network import NetworkSimulation


def draw_loads(found: Sequence[NetworkSimulation], path: str) -> None:
    """Write the picture of latency_figure() to a file, whose name says the format."""
    save_figure(latency_figure(found), path)


def loads_html(found: NetworkSimulation) -> str:
    """Write both as a table, load by load."""
    figures = zip(found.loads, found.accepted, found.latencies, found.saturated, strict=True)
    return table_html(
        f"{found.pattern} on {found.topology}",
        ("load", "accepted", "latency", ""),
        [
            (f"{load:.4g}", f"{accepted:.4g}", time_text(float(latency) * 1e-9), "saturated" if full else "")
            for load, accepted, latency, full in figures
        ],
    )


def latency_figure(found: Sequence[NetworkSimulation]) -> NotebookFigure:
    """Draw both for several patterns or networks, what comes through on the left."""
    figure = new_figure(11, 4.5)
    through, latency = figure.subplots(1, 2)
    for one in found:
        label = f"{one.pattern}, {one.topology}"
        through.errorbar(one.loads, one.accepted, one.accepted_half_widths, marker="o", markersize=3, label=label)
        stable = ~one.saturated
        if stable.any():
            latency.errorbar(
                one.loads[stable],
                one.latencies[stable] / 1e3,
                one.latency_half_widths[stable] / 1e3,
                marker="o",
                markersize=3,
                label=label,
            )
    limit = max(float(one.loads.max()) for one in found)
    through.plot((0, limit), (0, limit), color="tab:gray", linewidth=0.5)
    through.set_xlabel("offered load")
    through.set_ylabel("accepted load")
    latency.set_xlabel("offered load (where not saturated)")
    latency.set_ylabel("latency, us")
    latency.set_ylim(bottom=0)
    through.legend()
    return figure


def draw_times(sizes: Sequence[int], nanoseconds: Mapping[str, Sequence[float]], path: str) -> None:
    """Draw times over sizes, several ways; the file's name says the format."""
    figure = new_figure(6, 4.5)
    axes = figure.subplots()
    for way, times in nanoseconds.items():
        axes.loglog(sizes, [time / 1e3 for time in times], marker="o", markersize=3, label=way, base=2)
    axes.set_xlabel("bytes")
    axes.set_ylabel("time, us")
    axes.legend()
    save_figure(figure, path)
