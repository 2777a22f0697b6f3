# SPDX-License-Identifier: BSD-3-Clause
"""The run over time: slices of each rank, or group of ranks, as outside of MPI, transfer and waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from thalweg.pages.charts import step_area
from thalweg.pages.render import ns_text, percent
from thalweg.report.lenient import count, item, number, numbers, objects

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport

ROWS_MAX = 128
SLICES_MAX = 400


class TimeRow(NamedTuple):
    """A rank's slices as two areas, in a box as wide as there are slices and 100 high."""

    name: str
    title: str
    waiting: str
    transfer: str
    share: str


class OverTime(NamedTuple):
    """Rows, and the axis below."""

    rows: list[TimeRow]
    slices: int
    height: int
    """Of a row, in pixels."""

    ends: list[str]
    width: str


def over_time(report: RunReport) -> OverTime | None:
    """Give the rows; None where the report has no slices."""
    found = item(report.document, "slices")
    width, begin = number(found, "width_ns"), number(found, "begin_ns")
    given = [one for one in objects(found, "rows") if numbers(one, "mpi_ns")][:ROWS_MAX]
    slices = min(max((len(numbers(one, "mpi_ns")) for one in given), default=0), SLICES_MAX)
    if width <= 0 or not slices:
        return None
    rows = [_row(one, slices, width) for one in given]
    ends = [ns_text(begin + part * slices * width / 4) for part in range(5)]
    height = 28 if len(rows) <= 16 else 16 if len(rows) <= 40 else 12
    return OverTime(rows, slices, height, ends, ns_text(width))


def _row(one: dict[str, object], slices: int, width_ns: float) -> TimeRow:
    first, last = count(one, "first"), count(one, "last")
    mpi, waiting = (_shares(numbers(one, key), slices, width_ns) for key in ("mpi_ns", "waiting_ns"))
    waiting = [min(part, whole) for part, whole in zip(waiting, mpi, strict=True)]
    transfer = [whole - part for part, whole in zip(waiting, mpi, strict=True)]
    share, waits = sum(mpi) / slices, sum(waiting) / slices
    name = str(first) if first == last else f"{first}-{last}"
    title = f"rank{'s' if first != last else ''} {name}: {percent(share)} in MPI, {percent(waits)} waiting"
    return TimeRow(name, title, step_area(waiting), step_area(transfer, waiting), percent(share))


def _shares(values: list[float], slices: int, width_ns: float) -> list[float]:
    padded = [*values[:slices], *([0.0] * (slices - len(values)))]
    return [min(1.0, max(0.0, value / width_ns)) for value in padded]
