# SPDX-License-Identifier: BSD-3-Clause
"""The table of call sites: a row each, and below it what is unfolded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg.pages.charts import Bar
from thalweg.pages.render import bytes_text, ns_text, percent
from thalweg.report.lenient import count, item, number, objects, rows, text
from thalweg.report.picks import Alternative, alternatives_of
from thalweg.report.sources import SourceLine, excerpt
from thalweg.report.verdict import LIBRARY

if TYPE_CHECKING:
    from thalweg.report.run_report import CallSite, RunReport

SITES_MAX = 400
DETAILS_MAX = 80
LAST_MAX = 8
"""Ranks of a site that came last which are listed; a click on a rank finds its sites by all."""


class Histogram(NamedTuple):
    """Heights in percent of the largest, and the ends of the axis."""

    heights: list[tuple[float, str]]
    first: str
    last: str


@dataclass(frozen=True)
class Detail:
    """What is unfolded below a site."""

    source: list[SourceLine]
    file: str
    durations: Histogram | None
    sizes: list[Bar]
    last_ranks: list[Bar]
    alternatives: list[Alternative]
    hidden: list[Bar]
    facts: list[tuple[str, str]]


@dataclass(frozen=True)
class SiteRow:
    """A call site as the table shows and sorts it; times in nanoseconds."""

    number: int
    function: str
    place: str
    within: str
    calls: int
    bytes: float
    median: float
    maximum: float
    time: float
    share: float
    bar: Bar
    ran_on: str
    last: str
    """Ranks that came last, with blanks between."""
    detail: Detail | None


def site_rows(report: RunReport) -> list[SiteRow]:
    """Give the call sites of the program, those with the most time first."""
    raw = objects(report.document, "calls")
    pairs = [(site, one) for site, one in zip(report.calls, raw, strict=True) if item(one, "own") is not True]
    pairs.sort(key=lambda pair: -pair[0].time_ns)
    longest = max((site.time_ns for site, _ in pairs), default=0.0) or 1.0
    picks = objects(report.document, "picks")
    return [
        _row(place, site, one, report, longest, picks if place < DETAILS_MAX else None)
        for place, (site, one) in enumerate(pairs[:SITES_MAX])
    ]


def own_time_ns(report: RunReport) -> float:
    """Give the time of Thalweg's own calls."""
    raw = objects(report.document, "calls")
    return sum(site.time_ns for site, one in zip(report.calls, raw, strict=True) if item(one, "own") is True)


def _row(  # noqa: PLR0913, PLR0917
    place: int, site: CallSite, raw: dict[str, Any], report: RunReport, longest: float, picks: list[Any] | None
) -> SiteRow:
    calls = max(site.calls, 1)
    mean = site.time_ns / calls
    waits = min(1.0, max(0.0, site.waiting_share or 0.0))
    width = 100 * site.time_ns / longest
    parts = (("waiting", round(width * waits, 2)), ("transfer", round(width * (1 - waits), 2)))
    title = f"{ns_text(site.time_ns)} of all ranks, {percent(waits)} of it waiting for late ranks"
    file, line = text(raw, "file"), count(raw, "line")
    return SiteRow(
        number=place,
        function=site.function.removeprefix("MPI_"),
        place=site.place or "?",
        within=text(raw, "within") or site.within,
        calls=site.calls,
        bytes=site.bytes / calls,
        median=number(raw, "durations", "p50_ns") or mean,
        maximum=max(number(raw, "durations", "max_ns"), site.longest_call_ns),
        time=site.time_ns,
        share=report.share(site.time_ns),
        bar=Bar(site.place, parts, title=title),
        ran_on=_ran_on(site),
        last=" ".join(str(rank) for rank, waited in site.last_ranks if waited > 0),
        detail=None if picks is None else _detail(site, raw, picks, file, line),
    )


def _ran_on(site: CallSite) -> str:
    if len(site.ran_on) == 1:
        return name_of(site.ran_on[0].strategy)
    return ", ".join(f"{name_of(end.strategy)} ({end.calls:,})" for end in site.ran_on)


def name_of(strategy: str) -> str:
    """Give a strategy as people call it: native is the MPI library."""
    return "MPI library" if strategy == LIBRARY else strategy


def _detail(site: CallSite, raw: dict[str, Any], picks: list[Any], file: str, line: int) -> Detail:
    blamed = sorted(site.last_ranks, key=lambda entry: -entry[1])[:LAST_MAX]
    worst = blamed[0][1] if blamed else 0.0
    last = [
        Bar(f"rank {rank}", (("waiting", round(100 * waited / worst, 2)),), ns_text(waited))
        for rank, waited in blamed
        if waited > 0
    ]
    sizes = rows(raw, 3, "sizes")
    moved = max((size for _, _, size in sizes), default=0.0) or 1.0
    return Detail(
        source=excerpt(file, line),
        file=f"{file}:{line}" if file and line else file,
        durations=_histogram(rows(raw, 2, "durations", "histogram")),
        sizes=[
            Bar(_size_range(low), (("compute", round(100 * size / moved, 2)),), f"{calls:,.0f} calls")
            for low, calls, size in sizes
            if len(sizes) > 1
        ],
        last_ranks=last,
        alternatives=alternatives_of(raw, picks),
        hidden=_hidden(raw),
        facts=_facts(site, raw),
    )


def _size_range(low: float) -> str:
    return "0 B" if low <= 0 else f"{bytes_text(low)} to {bytes_text(2 * low)}"


def _histogram(entries: list[list[float]]) -> Histogram | None:
    """Give equal steps of a logarithmic axis, also those without calls."""
    known = {low: calls for low, calls in entries if low > 0 and calls > 0}
    if len(known) < 2:
        return None
    lows = sorted(known)
    steps: list[float] = [lows[0]]
    while steps[-1] * 1.0001 < lows[-1] and len(steps) < 200:
        steps.append(steps[-1] * 2**0.25)
    heights = [0.0] * len(steps)
    for low, calls in known.items():
        nearest = min(range(len(steps)), key=lambda place: abs(steps[place] / low - 1))
        heights[nearest] += calls
    highest = max(heights)
    bars = [
        (round(100 * calls / highest, 1), f"{ns_text(low)} to {ns_text(low * 2**0.25)}: {calls:,.0f} calls")
        for low, calls in zip(steps, heights, strict=True)
    ]
    return Histogram(bars, ns_text(lows[0]), ns_text(lows[-1] * 2**0.25))


def _hidden(raw: dict[str, Any]) -> list[Bar]:
    """Show what of a nonblocking call was behind computation."""
    in_flight, exposed = number(raw, "hidden", "in_flight_ns"), number(raw, "hidden", "exposed_ns")
    if in_flight <= 0:
        return []
    part = min(100.0, 100 * exposed / in_flight)
    return [
        Bar("hidden", (("compute", round(100 - part, 2)),), ns_text(max(0.0, in_flight - exposed))),
        Bar("exposed", (("transfer", round(part, 2)),), ns_text(exposed)),
    ]


def _facts(site: CallSite, raw: dict[str, Any]) -> list[tuple[str, str]]:
    calls = max(site.calls, 1)
    facts = [("mean of a call", ns_text(site.time_ns / calls))]
    names = (("median", "p50_ns"), ("95 % are shorter than", "p95_ns"))
    facts += [(name, ns_text(value)) for name, key in names if (value := number(raw, "durations", key)) > 0]
    facts += [
        ("longest call", ns_text(max(site.longest_call_ns, number(raw, "durations", "max_ns")))),
        ("by rank", f"{ns_text(site.time_ns_min)} to {ns_text(site.time_ns_max)}"),
        ("processor time", percent(min(1.0, site.cpu_ns / site.time_ns)) if site.time_ns > 0 else "-"),
        ("ranks of the communicator", f"{site.ranks:,}"),
    ]
    reasons = {end.passed_on_because: end.calls for end in site.ran_on if end.passed_on_because}
    facts += [("left to the MPI library", f"{reason} ({calls:,} calls)") for reason, calls in reasons.items()]
    return facts
