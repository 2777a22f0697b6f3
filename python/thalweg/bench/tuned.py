"""Time collectives as users run them: natively, and under Thalweg with the tuning file, in two jobs side by side.

Nothing of Thalweg is in the native job. Case by case one job is measured while the other waits, which looks for its
next request less and less often; then the other way round. The two measurements of a case are a pair, seconds apart,
and the median of the pairs' ratios counts. Where ranks share cores, two equal jobs may differ by half in small calls
for as long as they run, by how the system has dealt out the cores: hence several jobs of each kind, one pair of jobs a
turn.
"""

import os
import time
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from rich.progress import track

from thalweg.bench.rows import Row, geometric_mean, pair_ratios, paired_row, write_rows
from thalweg.errors import USAGE, ThalwegError
from thalweg.settings.layers import default_tuning_file
from thalweg.trials.cases import Case
from thalweg.trials.compiler import trial_program
from thalweg.trials.session import PASSED_ON, Mode, Session, start_words
from thalweg.units import time_text

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
    """Give the tuning file's path, the standard one's unless one is given."""
    tuning = given or default_tuning_file(os.environ)
    if not os.path.exists(tuning):
        raise ThalwegError(USAGE, f"there is no tuning file {tuning}", "make one first: thalweg tune")
    return tuning


def measure(request: Request, mpi: str) -> list[Row]:
    """Measure all cases with one MPI."""
    words = start_words([], request.ranks, trial_program(mpi, os.environ))
    tuning = tuning_file(request.tuning)
    natively = {case: Figures([], []) for case in request.cases}
    ours = {case: Figures([], []) for case in request.cases}
    for turn in track(range(request.turns), f"{mpi}, jobs", transient=True):
        with (
            Session(words, lab=request.lab, mode=Mode.NATIVE) as native,
            Session(words, lab=request.lab, mode=Mode.TUNED, tuning=tuning) as tuned,
        ):
            for number, case in enumerate(request.cases):
                jobs = [(native, natively[case]), (tuned, ours[case])]
                for session, figures in jobs if (turn + number) % 2 == 0 else reversed(jobs):
                    measure_case(session, case, request.batches, figures)
    rows = []
    for case in request.cases:
        what = f"{case.name}, {request.ranks} ranks"
        times = list(zip(ours[case].completion_us, natively[case].completion_us, strict=True))
        cpus = list(zip(ours[case].cpu_us, natively[case].cpu_us, strict=True))
        row = paired_row(what, "completion time", "us", times, mpi)
        rows += [row, paired_row(what, "cpu time", "us", cpus, mpi)]
        ratios = pair_ratios(times)
        peer, own = time_text(row["peer"] * 1e-6), time_text(row["ours"] * 1e-6)
        spread = f"{row['ratio']:.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"{mpi}: {what}: {peer} natively, {own} under Thalweg: {spread}", flush=True)
    return rows


def run(request: Request, json_file: str) -> None:
    """Measure, print the means, and write all rows."""
    rows: list[Row] = []
    for mpi in request.mpis:
        found = measure(request, mpi)
        ratios = [row["ratio"] for row in found if row["metric"] == "completion time"]
        print(f"{mpi}: geometric mean of native / Thalweg {geometric_mean(ratios):.2f}, least {min(ratios):.2f}")
        rows += found
    if json_file:
        write_rows(rows, json_file)
