"""Time collectives as users run them: natively, and under Thalweg with the tuning file, in jobs one after the other.

Nothing of Thalweg is in the native jobs. A job of each kind takes its turn and goes through all cases; two that follow
each other are a pair, and the median of the pairs' ratios counts. Where ranks share cores, two equal jobs may differ by
half in small calls for as long as they run, by how the system has dealt out the cores, and a job that only waits
disturbs the other: hence several jobs of each kind, and no two at a time.
"""

import os
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from rich.progress import track

from thalweg.bench.rows import Row, geometric_mean, pair_ratios, paired_row, write_rows
from thalweg.errors import USAGE, ThalwegError
from thalweg.settings.layers import default_tuning_file
from thalweg.trials.cases import Case
from thalweg.trials.compiler import trial_program
from thalweg.trials.session import NATIVE, PASSED_ON, Mode, Session, start_words
from thalweg.units import time_text


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


class Job(NamedTuple):
    """How a job is started."""

    lab: str
    words: Sequence[str]
    mode: Mode
    tuning: str


def measure_job(job: Job, cases: Sequence[Case], batches: int, figures: dict[Case, Figures]) -> None:
    """Start a job, measure all cases and add their medians."""
    name = NATIVE if job.mode is Mode.NATIVE else PASSED_ON
    with Session(job.words, lab=job.lab, mode=job.mode, tuning=job.tuning) as session:
        for case in cases:
            samples = session.measure(case.operation, case.size, [name], batches=batches)[name]
            figures[case].completion_us.append(median(samples.completion_us))
            figures[case].cpu_us.append(median(samples.cpu_us))


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
        kinds = [(Mode.NATIVE, natively), (Mode.TUNED, ours)]
        for mode, figures in kinds if turn % 2 == 0 else reversed(kinds):
            measure_job(Job(request.lab, words, mode, tuning), request.cases, request.batches, figures)
    rows = []
    for case in request.cases:
        what = f"{case.name}, {request.ranks} ranks"
        times = list(zip(ours[case].completion_us, natively[case].completion_us, strict=True))
        cpus = list(zip(ours[case].cpu_us, natively[case].cpu_us, strict=True))
        row = paired_row(what, "completion time", "us", times, mpi)
        rows += [row, paired_row(what, "cpu time", "us", cpus, mpi)]
        ratios = pair_ratios(times)
        native, own = time_text(row["peer"] * 1e-6), time_text(row["ours"] * 1e-6)
        spread = f"{row['ratio']:.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"{mpi}: {what}: {native} natively, {own} under Thalweg: {spread}", flush=True)
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
