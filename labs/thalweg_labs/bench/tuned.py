# SPDX-License-Identifier: BSD-3-Clause
"""Time collectives as users run them: natively, and under Thalweg with the tuning file, in two jobs side by side.

Nothing of Thalweg is in the native job. Case by case one job is measured while the other waits, which looks for its
next request less and less often; then the other way round. The two measurements of a case are a pair, seconds apart,
and the median of the pairs' ratios counts. Where ranks share cores, two equal jobs may differ by half in small calls
for as long as they run, by how the system has dealt out the cores: hence several jobs of each kind, one of each a
turn. How far such ratios stray by themselves is what a control tells: a second native job in each turn, held against
the first as Thalweg's is.
"""

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from statistics import median
from typing import NamedTuple

from rich.progress import track

from thalweg.errors import USAGE, ThalwegError
from thalweg.rows import Row, geometric_mean, pair_ratios, paired_row, write_rows
from thalweg.settings.layers import default_tuning_file
from thalweg.trials.cases import Case
from thalweg.trials.session import PASSED_ON, Mode, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.units import time_text

COMPLETION = "completion time"
CONTROL = "completion time of native, measured twice"
_SETTLING_S = 0.1
"""Until the job that was measured before looks for its next request so seldom that it disturbs nobody."""


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    ranks: int
    lab: str
    cases: Sequence[Case]
    tuning: str
    turns: int
    batches: int
    control: bool
    """Whether a second native job is measured against the first."""


class Figures(NamedTuple):
    """A case's medians, job by job, of the call and of all ranks' CPUs; microseconds."""

    completion_us: list[float]
    cpu_us: list[float]


def measure_case(session: Session, case: Case, batches: int, figures: Figures) -> None:
    """Measure a case in a job that has its strategies, and add the medians."""
    time.sleep(_SETTLING_S)
    samples = session.measure(case.operation, case.size, [PASSED_ON], batches=batches)[PASSED_ON]
    figures.completion_us.append(median(samples.completion_us))
    figures.cpu_us.append(median(samples.cpu_us))


def tuning_file(given: str) -> str:
    """Give the tuning file's path, the default one's unless one is given."""
    tuning = given or default_tuning_file(os.environ)
    if not os.path.exists(tuning):
        raise ThalwegError(USAGE, f"there is no tuning file {tuning}", "make one first: thalweg tune")
    return tuning


def measure_ways(request: Request, mpi: str, ways: Sequence[Mode]) -> list[dict[Case, Figures]]:
    """Measure all cases in a job of each way a turn; the jobs take turns in being the first."""
    words = start_words([], request.ranks, trial_program(mpi, os.environ))
    tuning = tuning_file(request.tuning)
    found: list[dict[Case, Figures]] = [{case: Figures([], []) for case in request.cases} for _ in ways]
    for turn in track(range(request.turns), f"{mpi}, jobs", transient=True):
        with ExitStack() as stack:
            jobs = [
                stack.enter_context(
                    Session(words, lab=request.lab, mode=way, tuning=tuning if way is Mode.TUNED else "off")
                )
                for way in ways
            ]
            for number, case in enumerate(request.cases):
                for place in range(len(jobs)):
                    way = (place + turn + number) % len(jobs)
                    measure_case(jobs[way], case, request.batches, found[way][case])
    return found


def spread_text(pairs: Sequence[tuple[float, float]]) -> str:
    """Write the median of the pairs' ratios, and the least and the most."""
    ratios = pair_ratios(pairs)
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def measure(request: Request, mpi: str) -> list[Row]:
    """Measure all cases with one MPI."""
    ways = [Mode.NATIVE, Mode.TUNED, *([Mode.NATIVE] if request.control else [])]
    natively, ours, *controls = measure_ways(request, mpi, ways)
    rows = []
    for case in request.cases:
        what = f"{case.name}, {request.ranks} ranks"
        times = list(zip(ours[case].completion_us, natively[case].completion_us, strict=True))
        cpus = list(zip(ours[case].cpu_us, natively[case].cpu_us, strict=True))
        row = paired_row(what, COMPLETION, "us", times, mpi)
        rows += [row, paired_row(what, "cpu time", "us", cpus, mpi)]
        peer, own = time_text(row["peer"] * 1e-6), time_text(row["ours"] * 1e-6)
        line = f"{mpi}: {what}: {peer} natively, {own} under Thalweg: {spread_text(times)}"
        for control in controls:
            again = list(zip(control[case].completion_us, natively[case].completion_us, strict=True))
            rows.append(paired_row(what, CONTROL, "us", again, mpi))
            line += f"; native against itself {spread_text(again)}"
        print(line, flush=True)
    return rows


def run(request: Request, json_file: str) -> None:
    """Measure, print the means, and write all rows."""
    rows: list[Row] = []
    for mpi in request.mpis:
        found = measure(request, mpi)
        for metric, what in ((COMPLETION, "native / Thalweg"), (CONTROL, "native / native")):
            ratios = [row["ratio"] for row in found if row["metric"] == metric]
            if ratios:
                print(f"{mpi}: geometric mean of {what} {geometric_mean(ratios):.2f}, least {min(ratios):.2f}")
        rows += found
    if json_file:
        write_rows(rows, json_file)
