# SPDX-License-Identifier: BSD-3-Clause
"""The chart of times by rank: outside of MPI, transfer and waiting; for many ranks by node."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from thalweg.pages.charts import Bar, Columns, groups_of, ticks
from thalweg.pages.render import ns_text, percent
from thalweg.report.lenient import count, number, objects, text
from thalweg.units import count_text

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport

BARS_MAX = 64


class Times(NamedTuple):
    """The mean times of a rank or a group of them, in nanoseconds."""

    name: str
    title: str
    wall_ns: float
    mpi_ns: float
    waiting_ns: float
    ranks: int = 1


def times_of(report: RunReport) -> tuple[list[Times], str]:
    """Give times by rank or, of more than BARS_MAX, by node or by neighbors, with a word on that."""
    groups = [_of_group(one) for one in objects(report.document, "rank_groups")]
    if groups:
        return _fewer(groups, "means by node")
    ranks = [
        Times(
            str(count(one, "rank")),
            f"rank {count(one, 'rank')} on {text(one, 'host') or 'node ' + str(count(one, 'node'))}",
            number(one, "wall_ns"),
            number(one, "mpi_ns"),
            number(one, "waiting_ns"),
        )
        for one in objects(report.document, "ranks")
    ]
    if len(ranks) <= BARS_MAX:
        return ranks, ""
    nodes: dict[int, list[Times]] = {}
    for one, time in zip(objects(report.document, "ranks"), ranks, strict=True):
        nodes.setdefault(count(one, "node"), []).append(time)
    if len(nodes) == 1:
        return _fewer(ranks, "")
    return _fewer([_mean(members, node) for node, members in sorted(nodes.items())], "means by node")


def _of_group(one: dict[str, object]) -> Times:
    first, last = count(one, "first"), count(one, "last")
    host = text(one, "host") or f"node {count(one, 'node')}"
    title = f"{host}, ranks {first} to {last}, in MPI {ns_text(number(one, 'mpi_ns_min'))} to "
    title += ns_text(number(one, "mpi_ns_max"))
    wall, mpi, waiting = (number(one, key) for key in ("wall_ns", "mpi_ns", "waiting_ns"))
    return Times(host, title, wall, mpi, waiting, max(1, count(one, "ranks")))


def _mean(members: list[Times], node: int) -> Times:
    wall, mpi, waiting = (sum(values) / len(members) for values in list(zip(*members, strict=True))[2:5])
    title = f"node {node}, {count_text(len(members), 'rank')}: {members[0].name} to {members[-1].name}"
    return Times(str(node), title, wall, mpi, waiting, len(members))


def _fewer(times: list[Times], said: str) -> tuple[list[Times], str]:
    """Let neighbors share a bar until there are few enough."""
    size = groups_of(len(times), BARS_MAX)
    if size == 1:
        return times, said
    bars = []
    for begin in range(0, len(times), size):
        members = times[begin : begin + size]
        ranks = sum(one.ranks for one in members)
        wall, mpi, waiting = (
            sum(value * one.ranks for value, one in zip(values, members, strict=True)) / ranks
            for values in list(zip(*members, strict=True))[2:5]
        )
        title = f"{members[0].title} … {members[-1].title}"
        bars.append(Times(members[0].name, title, wall, mpi, waiting, ranks))
    return bars, f"{said or 'means'}, {size} neighbors each"


def rank_columns(report: RunReport) -> tuple[Columns, str, bool]:
    """Give the chart, a word on what a bar is, and whether waiting is known by rank."""
    times, said = times_of(report)
    longest = max((one.wall_ns for one in times), default=0.0)
    knows_waiting = any(one.waiting_ns > 0 for one in times)
    bars = tuple(_bar(one, longest) for one in times)
    mean = report.share(report.mpi_ns)
    label = f"Time by rank, {count_text(len(bars), 'bar')}: {percent(mean)} of the time in MPI on average"
    every = 1 if len(bars) <= Columns.FEW else max(1, len(bars) // 8)
    return Columns(bars, ticks(longest, ns_text), label, every), said, knows_waiting


def _bar(one: Times, longest: float) -> Bar:
    whole = longest or 1.0
    mpi = min(max(one.mpi_ns, 0.0), one.wall_ns)
    waiting = min(max(one.waiting_ns, 0.0), mpi)
    values = (("compute", one.wall_ns - mpi), ("transfer", mpi - waiting), ("waiting", waiting))
    parts = tuple((kind, round(100 * value / whole, 2)) for kind, value in values if value > 0)
    share = f"{percent(mpi / one.wall_ns)} in MPI" if one.wall_ns > 0 else "no time"
    waits = f", {percent(waiting / one.wall_ns)} waiting" if waiting > 0 else ""
    return Bar(one.name, parts, title=f"{one.title}: {ns_text(one.wall_ns)}, {share}{waits}")
