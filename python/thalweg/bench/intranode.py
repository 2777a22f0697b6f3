"""Collectives inside of a node: Thalweg with its tuning file against every MPI library that is given, each its best.

Each MPI runs natively, and the one that was named first under Thalweg too, all jobs side by side; case by case they
take turns, and those that wait sleep. A case's peer is the MPI that is fastest in that case by the medians of its jobs.
What the machine itself takes to exchange one cache line between two processes is measured first, as what nothing can be
faster than.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.progress import track

from thalweg.bench.rows import Row, geometric_mean, make_row, write_rows
from thalweg.bench.tuned import Figures, measure_case, tuning_file
from thalweg.trials.cases import Case
from thalweg.trials.compiler import compiled_program, trial_program
from thalweg.trials.session import Mode, Session, start_words
from thalweg.units import time_text

_LINE = Path(__file__).parent / "program" / "cache_line.c"
_BURNER = ("sh", "-c", "while :; do :; done")


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    """The first is what Thalweg runs on."""
    ranks: int
    cases: Sequence[Case]
    tuning: str
    turns: int
    batches: int
    busy: int
    """Foreign processes that compute meanwhile."""


@contextlib.contextmanager
def busy_processes(count: int) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Let so many processes compute for the length of the block."""
    burners = [subprocess.Popen(_BURNER) for _ in range(count)]
    try:
        yield burners
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def cache_line_us(mpi: str) -> float:
    """Measure how long two processes take to write a cache line each and see the other's; microseconds."""
    program = compiled_program("cache_line", [_LINE], mpi, os.environ)
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60)
    return float(done.stdout) * 1e6


def measure(request: Request) -> list[Row]:
    """Run all jobs in turns, print each case, and give the rows."""
    own = request.mpis[0]
    tuning = tuning_file(request.tuning)
    starts = [(own, Mode.TUNED), *((mpi, Mode.NATIVE) for mpi in request.mpis)]
    words = [start_words([], request.ranks, trial_program(mpi, os.environ)) for mpi, _ in starts]
    names = ["Thalweg", *request.mpis]
    figures = [{case: Figures([], []) for case in request.cases} for _ in starts]
    print(f"a cache line there and back between two processes: {time_text(cache_line_us(own) * 1e-6)}", flush=True)
    for turn in track(range(request.turns), "jobs", transient=True):
        with contextlib.ExitStack() as opened:
            jobs = [
                opened.enter_context(Session(start, mode=mode, tuning=tuning))
                for start, (_, mode) in zip(words, starts, strict=True)
            ]
            opened.enter_context(busy_processes(request.busy))
            for number, case in enumerate(request.cases):
                for index in range(len(jobs)):
                    which = (index + turn + number) % len(jobs)
                    measure_case(jobs[which], case, request.batches, figures[which][case])
    rows = []
    for case in request.cases:
        times = [median(job[case].completion_us) for job in figures]
        best = min(range(1, len(names)), key=times.__getitem__)
        cpus = [median(job[case].cpu_us) for job in figures]
        what = f"{case.name}, {request.ranks} ranks" + (f" beside {request.busy} busy" if request.busy else "")
        rows.append(make_row(what, "completion time", "us", times[0], times[best], names[best]))
        rows.append(make_row(what, "cpu time", "us", cpus[0], cpus[best], names[best]))
        rows.extend(
            make_row(what, f"completion time against {names[peer]}", "us", times[0], times[peer], names[peer])
            for peer in range(1, len(names))
        )
        ratio = f"{rows[-len(names) - 1]['ratio']:.2f}"
        print(f"{what}: {time_text(times[0] * 1e-6)}; best peer {Path(names[best]).name} "
              f"{time_text(times[best] * 1e-6)}: {ratio}", flush=True)  # fmt: skip
    return rows


def run(request: Request, json_file: str) -> None:
    """Measure, print the means, and write all rows."""
    rows = measure(request)
    for metric in sorted({row["metric"] for row in rows}):
        ratios = [row["ratio"] for row in rows if row["metric"] == metric]
        print(f"{metric}: geometric mean of peer / Thalweg {geometric_mean(ratios):.2f}, least {min(ratios):.2f}")
    if json_file:
        write_rows(rows, json_file)
