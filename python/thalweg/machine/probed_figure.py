# SPDX-License-Identifier: BSD-3-Clause
"""A probed machine as a figure: what messages took, by size and by posted receives, and the lines through it."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from thalweg import _core
from thalweg.machine.slopes import POSTED
from thalweg.plots import new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thalweg.machine.fit import Costs


def draw(machine: _core.Machine, measured: dict[str, Costs], path: str) -> None:
    """Draw measured points and fitted lines, time over size, both logarithmic, and over posted receives; by level."""
    figure = new_figure(6 * len(measured), 9)
    for index, (name, costs) in enumerate(measured.items()):
        axes = figure.add_subplot(2, len(measured), index + 1)
        level = next(level for level in machine.levels if level.level == getattr(_core.Level, name))
        sizes = [max(size, 1) for size in costs.sizes]
        for label, rows in (
            ("half round trip", costs.half_trip),
            ("send", costs.send),
            ("receive", costs.receive),
            ("in a row", costs.burst),
            ("in a row, both ways", costs.exchange),
            (f"in a row, {costs.pairs} pairs", costs.shared),
        ):
            if rows:
                axes.loglog(sizes, [median(row) * 1e6 for row in rows], "o", markersize=4, label=f"{label}, measured")
        axes.loglog(
            sizes,
            [single(level, size) * 1e6 for size in costs.sizes],
            "-",
            color="0.3",
            label="half round trip, fitted",
        )
        in_row = [_in_row(level, size) * 1e6 for size in costs.sizes]
        axes.loglog(sizes, in_row, "--", color="0.3", label="in a row, fitted")
        axes.set(title=name, xlabel="bytes", ylabel="microseconds")
        axes.legend()
        _draw_posted(figure.add_subplot(2, len(measured), len(measured) + index + 1), costs, level)
    save_figure(figure, path)


def _draw_posted(axes: Axes, costs: Costs, level: _core.LevelCosts) -> None:
    """Draw a short message's half round trip over the receives that are posted, and the line through them."""
    trips = [median(row) * 1e6 for row in costs.posted]
    axes.plot(POSTED, trips, "o", label="half round trip of 16 B, measured")
    if level.per_posted.value > 0:
        begin = median(trips) - level.per_posted.value * 1e6 * median(POSTED)
        axes.plot(POSTED, [begin + level.per_posted.value * 1e6 * posted for posted in POSTED], "-", label="fitted")
    axes.set(xlabel="receives posted", ylabel="microseconds", ylim=(0, None))
    axes.legend()


def _in_row(level: _core.LevelCosts, size: int) -> float:
    """Give the fitted time of one message of a row: its sender's processor, its gap, or what holds the link."""
    cost = next((cost for cost in level.ranges if size <= cost.bytes_max), level.ranges[-1])
    ends = [cost.send.value + cost.send_per_byte.value * size, cost.receive.value + cost.receive_per_byte.value * size]
    link = cost.gap_per_byte.value * size if level.level == _core.Level.network else 0.0
    return max(*ends, cost.gap.value, link)


def single(level: _core.LevelCosts, size: int) -> float:
    """Give the fitted time of one message, sent after a pause."""
    cost = next((cost for cost in level.ranges if size <= cost.bytes_max), level.ranges[-1])
    overheads = cost.send.value + cost.receive.value + (cost.send_per_byte.value + cost.receive_per_byte.value) * size
    return overheads + cost.latency.value + cost.gap_per_byte.value * max(0.0, size - level.burst_bytes)
