# SPDX-License-Identifier: BSD-3-Clause
"""A probed machine as a page: what messages of any size take, as measured and as the model has it."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from thalweg import _core
from thalweg.machine.slopes import described_slopes
from thalweg.pages.charts import Line, LogPlot
from thalweg.pages.plain import Figure, Page, Section, Table, Tile
from thalweg.units import count_text, rate_text, size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from thalweg.machine.fit import Costs

LARGE = 1 << 20
POINTS = (
    ("half round trip", "half_trip", "k1"),
    ("send", "send", "k4"),
    ("receive", "receive", "k2"),
    ("in a row", "burst", "k3"),
    ("in a row, both ways", "exchange", "k7"),
)


def level_name(level: _core.LevelCosts) -> str:
    """Give a level in words."""
    return str(level.level).rpartition(".")[2].replace("_", " ")


def machine_page(
    machine: _core.Machine, measured: dict[str, Costs], path: str, single: Callable[[_core.LevelCosts, int], float]
) -> str:
    """Write the page; `single` gives the model's seconds for one message of a level and a size."""
    tiles = []
    for level in machine.levels:
        name = level_name(level)
        large = single(level, LARGE)
        tiles.append(
            Tile(time_text(single(level, 8)), f"for 8 bytes, {name}", "From the send to the end of the receive.")
        )
        tiles.append(Tile(rate_text(large / LARGE), f"for {size_text(LARGE)}, {name}"))
    plots = []
    for name, costs in measured.items():
        level = next(one for one in machine.levels if one.level == getattr(_core.Level, name))
        plots.append((level_name(level), _plot(level, costs, single)))
    return Page(
        kind="machine",
        title=machine.title,
        origin=f"machine file {path}" + (f", network {machine.network}" if machine.network else ""),
        tiles=tiles,
        sections=[
            Section("What a message takes", "Points are medians of measurements; the line is the model.", plots=plots),
            *(
                Section(f"Costs, {level_name(level)}", _outliers(level), table=_costs(level))
                for level in machine.levels
            ),
            *_slopes(machine),
            Section("Memory", table=_memory(machine)),
            *_distances(machine),
        ],
        findings=[("Tuning, explaining and simulations read the machine file by themselves.", "thalweg tune")],
    ).text()


def _plot(level: _core.LevelCosts, costs: Costs, single: Callable[[_core.LevelCosts, int], float]) -> LogPlot:
    lines = [
        Line(
            name,
            kind,
            tuple((max(size, 1), median(row)) for size, row in zip(costs.sizes, getattr(costs, key), strict=False)),
            is_points=True,
        )
        for name, key, kind in POINTS
        if getattr(costs, key)
    ]
    fitted = tuple((max(size, 1), single(level, size)) for size in costs.sizes)
    lines.append(Line("half round trip, by the model", "k5", fitted))
    return LogPlot(tuple(lines), "size of the message", "time", lambda size: size_text(round(size)), time_text)


def _outliers(level: _core.LevelCosts) -> str:
    return f"{level.outliers} of {count_text(level.samples, 'sample')} were far above the median."


def _costs(level: _core.LevelCosts) -> Table:
    rows = [
        (
            Figure(cost.bytes_max, "any" if cost.bytes_max > 1 << 60 else size_text(cost.bytes_max)),
            *(
                Figure(getattr(cost, field).value, text(getattr(cost, field).value))
                for field, text in (
                    ("latency", time_text), ("send", time_text), ("receive", time_text), ("gap", time_text),
                    ("gap_per_byte", rate_text), ("unexpected", time_text),
                )
            ),
        )
        for cost in level.ranges
    ]  # fmt: skip
    return Table(("sizes up to", "latency", "send", "receive", "gap", "link", "unexpected, more"), rows)


def _slopes(machine: _core.Machine) -> list[Section]:
    """Say what posted receives and hops add, if that was measured."""
    lines = described_slopes(machine)
    return [Section("Posted receives and hops", ". ".join(lines) + ".")] if lines else []


def _memory(machine: _core.Machine) -> Table:
    rows = [
        (
            Figure(copied.bytes_max, "any" if copied.bytes_max > 1 << 60 else size_text(copied.bytes_max)),
            Figure(1 / copied.per_byte.value if copied.per_byte.value else 0, rate_text(copied.per_byte.value)),
            Figure(1 / combined.per_byte.value if combined.per_byte.value else 0, rate_text(combined.per_byte.value)),
        )
        for copied, combined in zip(machine.copy, machine.combine, strict=True)
    ]
    return Table(("working set up to", "copy", "combine"), rows)


def _distances(machine: _core.Machine) -> list[Section]:
    """Show how far cores are apart, if that was measured."""
    rows: list[tuple[Figure | str, ...]] = [
        (
            Figure(one.round_trip.value, time_text(one.round_trip.value)),
            *(
                Figure(1 / value if value else 0, rate_text(value))
                for value in (one.write_per_byte.value, one.read_per_byte.value)
            ),
            ", ".join(_core.cores_text(group) for group in one.groups),
        )
        for one in machine.distances.classes
    ]
    if not rows:
        return []
    text = (
        "What a cache line takes between two cores, there and back, and what bytes take that one writes for the other."
    )
    heads = ("a line", "written", "read", "cores within, but for nearer ones")
    return [Section("How far cores are apart", text, table=Table(heads, rows))]
