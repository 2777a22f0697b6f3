# SPDX-License-Identifier: BSD-3-Clause
"""Two reports side by side: what became faster, what slower, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thalweg.errors import USAGE, ThalwegError
from thalweg.units import count_text, time_text

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport

# Factors between these are not worth a word: two runs of one program differ by as much.
SAME = (0.97, 1.03)


@dataclass(frozen=True)
class Pair:
    """A time of both runs, in nanoseconds; None where a run has no such calls."""

    name: str
    before_ns: float | None
    after_ns: float | None

    @property
    def difference_ns(self) -> float:
        """Give what the second run takes longer."""
        return (self.after_ns or 0.0) - (self.before_ns or 0.0)

    @property
    def factor(self) -> float | None:
        """Give by how much the second run is faster; None where a run has no such calls, or no time."""
        return self.before_ns / self.after_ns if self.before_ns and self.after_ns else None


@dataclass(frozen=True)
class Comparison:
    """The times of whole runs, and those of call sites: the largest difference first."""

    whole: list[Pair]
    sites: list[Pair]
    remarks: list[str]

    @property
    def slower(self) -> float:
        """Give by how much the second run's wall time is longer: 0.1 is a tenth, below 0 it is shorter."""
        wall = self.whole[0]
        return (wall.after_ns or 0.0) / wall.before_ns - 1 if wall.before_ns else 0.0


def compare(before: RunReport, after: RunReport) -> Comparison:
    """Match call sites by function and place. Times of sites and of MPI are means over ranks."""
    whole = [
        Pair("wall time", before.wall_ns, after.wall_ns),
        Pair("in MPI, mean of ranks", _mean(before, before.mpi_ns), _mean(after, after.mpi_ns)),
        Pair("waiting in collectives", _mean(before, before.waiting_ns), _mean(after, after.waiting_ns)),
        *_exposed(before, after),
    ]
    first, second = _by_site(before), _by_site(after)
    sites = [Pair(name, first.get(name), second.get(name)) for name in {**first, **second}]
    sites.sort(key=lambda pair: (-abs(pair.difference_ns), pair.name))
    return Comparison(whole, sites, _remarks(before, after))


def _exposed(before: RunReport, after: RunReport) -> list[Pair]:
    """Give by how long nonblocking collectives held ranks up; nothing where neither run has any."""
    both = [[site.hidden for site in report.calls if site.hidden] for report in (before, after)]
    if not any(both):
        return []
    times = [sum(one.exposed_ns for one in found) for found in both]
    return [Pair("exposed by nonblocking calls", _mean(before, times[0]), _mean(after, times[1]))]


def _mean(report: RunReport, time_ns: float) -> float:
    return time_ns / max(report.rank_count, 1)


def _by_site(report: RunReport) -> dict[str, float]:
    times: dict[str, float] = {}
    for site in report.calls:
        name = f"{site.place} {site.function.removeprefix('MPI_')}"
        times[name] = times.get(name, 0.0) + _mean(report, site.time_ns)
        if site.hidden is not None:
            exposed = f"{name}, exposed"
            times[exposed] = times.get(exposed, 0.0) + _mean(report, site.hidden.exposed_ns)
    return times


def _hosts(report: RunReport) -> str:
    hosts = list(dict.fromkeys(rank.host for rank in report.ranks))
    return f"{hosts[0]} and {len(hosts) - 1} more" if len(hosts) > 1 else "".join(hosts)


def _remarks(before: RunReport, after: RunReport) -> list[str]:
    """Say where the runs are not of one kind."""
    remarks = []
    if before.rank_count != after.rank_count:
        remarks.append(f"{count_text(before.rank_count, 'rank')} before, {after.rank_count} after")
    if before.library != after.library:
        remarks.append(f"{before.library} before, {after.library} after")
    if before.fingerprint != after.fingerprint and not remarks:
        hosts = [_hosts(report) for report in (before, after)]
        named = f": {hosts[0]} before, {hosts[1]} after" if hosts[0] != hosts[1] else ""
        remarks.append(f"the machines or their settings differ{named}")
    if before.command[:1] != after.command[:1]:
        remarks.append(f"{' '.join(before.command[:1])} before, {' '.join(after.command[:1])} after")
    elif before.command != after.command:
        remarks.append("the program's arguments differ")
    if len(before.ranks) == len(after.ranks) and before.nodes != after.nodes:
        remarks.append(f"{count_text(before.nodes, 'node')} before, {after.nodes} after")
    remarks += [
        f"the run {which} was ended by {report.ended_by}"
        for which, report in (("before", before), ("after", after))
        if report.ended_by != "MPI_Finalize"
    ]
    return remarks


def lines_of(comparison: Comparison, sites_max: int) -> list[str]:
    """Write a comparison as lines of a table."""
    shown = comparison.sites[:sites_max]
    width = max(len(pair.name) for pair in [*comparison.whole, *shown])
    lines = [f"{'':{width}}  {'before':>9}  {'after':>9}"]
    lines += [_line(pair, width) for pair in comparison.whole]
    if shown:
        lines += ["", "call sites, mean of ranks"]
        lines += [_line(pair, width) for pair in shown]
    if left := len(comparison.sites) - len(shown):
        lines.append(f"{count_text(left, 'more site')}, with smaller differences")
    return lines + [f"note: {remark}" for remark in comparison.remarks]


def _line(pair: Pair, width: int) -> str:
    before, after = (
        time_text(time_ns * 1e-9) if time_ns else "-" if time_ns is None else "0"
        for time_ns in (pair.before_ns, pair.after_ns)
    )
    return f"{pair.name:{width}}  {before:>9}  {after:>9}  {_judgment(pair)}".rstrip()


def _judgment(pair: Pair) -> str:
    factor = pair.factor
    if factor is None:
        return ""
    if SAME[0] <= factor <= SAME[1]:
        return "the same"
    return f"{factor:.2f} x faster" if factor > 1 else f"{1 / factor:.2f} x slower"


def as_data(comparison: Comparison) -> dict[str, Any]:
    """Give a comparison as plain data; times in nanoseconds."""

    def pairs(found: list[Pair]) -> list[dict[str, Any]]:
        return [{**vars(pair), "factor": pair.factor} for pair in found]

    return {
        "slower": comparison.slower,
        "whole": pairs(comparison.whole),
        "sites": pairs(comparison.sites),
        "remarks": comparison.remarks,
    }


def tolerance(text: str) -> float:
    """Read a part, as 5% or 0.05."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)\s*", text)
    if not found:
        raise ThalwegError(USAGE, f"--slower {text!r} is no part of the time", "give it as 5% or 0.05")
    return float(found[1]) / (100 if found[2] else 1)
