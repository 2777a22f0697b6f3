# SPDX-License-Identifier: BSD-3-Clause
"""Why a program is faster under Thalweg, or why it is not: from the report of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from thalweg.pages.render import percent
from thalweg.report.verdict import COMMUNICATION_MIN, LIBRARY
from thalweg.units import time_text

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport

# From this part of the time in MPI on, waiting for late ranks is called the largest part.
MAINLY_WAITING = 0.5
# And from this part of a loss on, the start is called its cause.
MAINLY_START = 0.5
_NAMED_MAX = 3


class Gain(NamedTuple):
    """What the median run is surely shorter, below 0 longer, and 0 where nothing is sure; and what the start takes."""

    saved_s: float
    start_s: float


def reasons(report: RunReport, gain: Gain) -> list[str]:
    """Say what Thalweg did for the run, and where nothing is gained, why not."""
    done = _what_was_done(report)
    if gain.saved_s > 0:
        return done or [f"in MPI for {percent(report.share(report.mpi_ns))} of the run"]
    if gain.saved_s < 0 and gain.start_s > MAINLY_START * -gain.saved_s:
        start = f"the start under Thalweg takes {time_text(gain.start_s)}, of the {time_text(-gain.saved_s)} lost"
        return [f"{start}: too much for a run of {time_text(report.wall_ns * 1e-9)}; try a longer one", *done]
    return [_why_not(report), *done]


def _what_was_done(report: RunReport) -> list[str]:
    said = [report.waits] if report.document["wait"].get("yields") else []
    times: dict[str, float] = {}
    for site in report.calls:
        calls = sum(end.calls for end in site.ran_on)
        for end in site.ran_on:
            if end.strategy != LIBRARY:
                name = f"{site.function.removeprefix('MPI_').lower()} on {end.strategy}"
                times[name] = times.get(name, 0.0) + site.time_ns * end.calls / calls
    if times and report.mpi_ns > 0:
        longest = sorted(times, key=lambda name: (-times[name], name))[:_NAMED_MAX]
        share = percent(min(1.0, sum(times.values()) / report.mpi_ns))
        said.append(f"{share} of the time in MPI ran on strategies: {', '.join(longest)}")
    return said


def _why_not(report: RunReport) -> str:
    in_mpi = report.share(report.mpi_ns)
    if in_mpi < COMMUNICATION_MIN:
        return f"nothing to gain: MPI takes {percent(in_mpi)} of the run"
    if report.waiting_ns > MAINLY_WAITING * report.mpi_ns:
        blamed = report.blamed()
        late = f", for rank {blamed[0][0]} above all" if blamed else ""
        share = percent(report.waiting_ns / report.mpi_ns)
        return f"{share} of the time in MPI is waiting for late ranks{late}: no other algorithm shortens that"
    if not any(site.is_collective and site.ranks > 1 for site in report.calls):
        return "the program sends messages from rank to rank, and makes no collectives that could run otherwise"
    return "the library's algorithms do as well here, as far as was learned in one run"
