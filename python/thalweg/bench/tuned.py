"""Time collectives as users run them: natively, and under Thalweg with the tuning file, in two jobs side by side.

Both jobs are there all the time, and the one that is not measured sleeps; they take turns, and medians count. Nothing
of Thalweg is in the native job. Where ranks share cores, a job runs up to twice as fast or slow for tenths of a second
at a time, by how the system has dealt out the cores: many short turns say more than a few long ones.
"""

import os
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from thalweg.bench.rows import Row, geometric_mean, make_row, write_rows
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


def measure(request: Request, mpi: str) -> list[Row]:
    """Measure all cases with one MPI."""
    words = start_words([], request.ranks, trial_program(mpi, os.environ))
    tuning = request.tuning or default_tuning_file(os.environ)
    if not os.path.exists(tuning):
        raise ThalwegError(USAGE, f"there is no tuning file {tuning}", "make one first: thalweg tune")
    rows = []
    with (
        Session(words, lab=request.lab, mode=Mode.NATIVE) as native,
        Session(words, lab=request.lab, mode=Mode.TUNED, tuning=tuning) as ours,
    ):
        for case in request.cases:
            times: dict[str, list[float]] = {NATIVE: [], PASSED_ON: []}
            cpus: dict[str, list[float]] = {NATIVE: [], PASSED_ON: []}
            for _ in range(request.turns):
                for session, name in ((native, NATIVE), (ours, PASSED_ON)):
                    samples = session.measure(case.operation, case.size, [name], batches=request.batches)[name]
                    times[name] += samples.completion_us
                    cpus[name] += samples.cpu_us
            what = f"{case.name}, {request.ranks} ranks"
            for metric, figures in (("completion time", times), ("cpu time", cpus)):
                rows.append(make_row(what, metric, "us", median(figures[PASSED_ON]), median(figures[NATIVE]), mpi))
            row = rows[-2]
            print(f"{mpi}: {what}: {time_text(row['peer'] * 1e-6)} natively, {time_text(row['ours'] * 1e-6)} under "
                  f"Thalweg: {row['ratio']:.2f}", flush=True)  # fmt: skip
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
