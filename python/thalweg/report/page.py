# SPDX-License-Identifier: BSD-3-Clause
"""A report as one page of HTML that opens without a network."""

from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from typing import NamedTuple

from jinja2 import Environment

from thalweg.report.run_report import CallSite, RankTime, RunReport
from thalweg.report.verdict import percent, verdict
from thalweg.units import count_text, time_text

# More rows are nodes instead of ranks, or the largest of them, so that a job of any size stays a page.
BARS_MAX = 64
LATE_MAX = 12
SITES_MAX = 400


class Tile(NamedTuple):
    """A figure of the first screen."""

    value: str
    label: str


class Column(NamedTuple):
    """A column of the table of call sites."""

    name: str
    is_number: bool = False


COLUMNS = (
    Column("call"),
    Column("where"),
    Column("calls", is_number=True),
    Column("bytes a call", is_number=True),
    Column("mean", is_number=True),
    Column("time", is_number=True),
    Column("share", is_number=True),
    Column("ran on"),
)


class TimeBar(NamedTuple):
    """The time of a rank, or the mean of a node's: parts in percent of the longest."""

    name: str
    compute: float
    mpi: float
    text: str
    title: str


@dataclass
class TimeBars:
    """Bars, and a word on how they were made fewer."""

    shortened: str = ""
    rows: list[TimeBar] = field(default_factory=list)


class LateBar(NamedTuple):
    """A rank that others waited for, in percent of the worst."""

    name: str
    width: float
    text: str


class SiteRow(NamedTuple):
    """A call site as the table shows and sorts it."""

    function: str
    place: str
    within: str
    calls: int
    calls_text: str
    bytes: float
    bytes_text: str
    mean: float
    mean_text: str
    time: float
    waiting_width: float
    transfer_width: float
    share_text: str
    ran_on: str


def page(report: RunReport, path: str) -> str:
    """Write the page; `path` is the report's, which commands of the verdict name."""
    environment = Environment(autoescape=True)
    environment.filters["counted"] = count_text
    template = environment.from_string((files(__package__) / "page.html.j2").read_text())
    return template.render(
        version=version("thalweg"),
        title=" ".join(report.command),
        report=report,
        tiles=tiles(report),
        findings=verdict(report, path),
        rank_rows=time_bars(report.ranks),
        late_rows=late_bars(report),
        columns=COLUMNS,
        site_rows=site_rows(report),
        facts=facts(report),
    )


def bytes_text(size: float) -> str:
    """Write a mean size: 40 B, 1.5 MiB."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size:.3g} B"


def tiles(report: RunReport) -> list[Tile]:
    """Give the figures of the first screen."""
    moved = sum(site.bytes for site in report.calls if site.is_collective)
    return [
        Tile(time_text(report.wall_ns * 1e-9), "wall time"),
        Tile(percent(report.share(report.mpi_ns)), "of it in MPI"),
        Tile(percent(report.share(report.waiting_ns)), "waiting for late ranks"),
        Tile(bytes_text(moved), "in collectives"),
        Tile(str(len(report.ranks)), f"ranks on {count_text(report.nodes, 'node')}"),
    ]


def time_bars(ranks: tuple[RankTime, ...]) -> TimeBars:
    """Give a bar for each rank; for many ranks one for each node, and of many nodes those with the most MPI."""
    bars = TimeBars()
    rows = [(f"rank {one.rank}", one.wall_ns, one.mpi_ns, f"{one.host}, node {one.node}") for one in ranks]
    if len(rows) > BARS_MAX:
        rows = _by_node(ranks)
        bars.shortened = "means by node"
    if len(rows) > BARS_MAX:
        bars.shortened = f"means by node: the {BARS_MAX} of {len(rows)} with the most time in MPI"
        rows = sorted(rows, key=lambda row: -row[2])[:BARS_MAX]
    longest = max((wall for _, wall, _, _ in rows), default=0) or 1.0
    for name, wall, mpi, title in rows:
        inside = 100 * min(mpi, wall) / longest
        text = f"{percent(min(mpi, wall) / wall)} in MPI" if wall > 0 else ""
        bars.rows.append(TimeBar(name, round(100 * wall / longest - inside, 2), round(inside, 2), text, title))
    return bars


def _by_node(ranks: tuple[RankTime, ...]) -> list[tuple[str, float, float, str]]:
    nodes: dict[int, list[RankTime]] = {}
    for one in ranks:
        nodes.setdefault(one.node, []).append(one)
    return [
        (
            members[0].host or f"node {node}",
            sum(one.wall_ns for one in members) / len(members),
            sum(one.mpi_ns for one in members) / len(members),
            f"ranks {members[0].rank} to {members[-1].rank}",
        )
        for node, members in sorted(nodes.items())
    ]


def late_bars(report: RunReport) -> list[LateBar]:
    """Give the ranks that others waited for, the worst first."""
    blamed = [(rank, waited) for rank, waited in report.blamed() if waited > 0][:LATE_MAX]
    return [
        LateBar(f"rank {rank}", round(100 * waited / blamed[0][1], 2), time_text(waited * 1e-9))
        for rank, waited in blamed
    ]


def site_rows(report: RunReport) -> list[SiteRow]:
    """Give the call sites, those with the most time first."""
    sites = sorted(report.calls, key=lambda site: -site.time_ns)[:SITES_MAX]
    longest = sites[0].time_ns if sites and sites[0].time_ns > 0 else 1.0
    return [_row(site, report, longest) for site in sites]


def _row(site: CallSite, report: RunReport, longest_ns: float) -> SiteRow:
    calls = max(site.calls, 1)
    waiting = 100 * site.waiting_ns / longest_ns
    return SiteRow(
        function=site.function.removeprefix("MPI_"),
        place=site.place,
        within=site.within,
        calls=site.calls,
        calls_text=f"{site.calls:,}",
        bytes=site.bytes / calls,
        bytes_text=bytes_text(site.bytes / calls),
        mean=site.time_ns / calls,
        mean_text=time_text(site.time_ns * 1e-9 / calls),
        time=site.time_ns,
        waiting_width=round(waiting, 2),
        transfer_width=round(100 * site.time_ns / longest_ns - waiting, 2),
        share_text=percent(report.share(site.time_ns)),
        ran_on=", ".join(f"{end.strategy} ({end.calls:,})" for end in site.ran_on),
    )


def facts(report: RunReport) -> list[tuple[str, str]]:
    """Give what the page folds away."""
    return [
        ("command", " ".join(report.command)),
        ("ended by", report.ended_by),
        ("tuning", report.tuning or "-"),
        ("machine", ", ".join(report.fingerprint)),
        ("settings", "; ".join(report.settings) or "-"),
        ("settings of the MPI library", "; ".join(report.user_settings) or "-"),
        *((f"measured: {name}", text) for name, text in report.method),
    ]
