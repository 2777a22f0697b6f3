# SPDX-License-Identifier: BSD-3-Clause
"""What Thalweg costs where it gains nothing: the start of a job, and memory, with and without it in turns.

The program makes a few collectives and ends. A job's time is from its launcher's start to its end, and memory is the
mean of the ranks' proportional set sizes, in which pages that processes share count as parts. On a busy machine the
processors' time says more than the clock.
"""

import os
import re
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.rows import Row, paired_row, write_rows
from thalweg.trials.compiler import compiled_program
from thalweg.units import count_text
from thalweg_labs.bench.finished import finished
from thalweg_labs.demo.site import FLAVORS

PROGRAM = Path(__file__).parent / "program" / "overhead.c"
LIMIT_S = 300
METRICS = (("job of nothing", "s"), ("its processors", "s"), ("memory a rank", "MiB"))


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    ranks: Sequence[int]
    turns: int


class Cost(NamedTuple):
    """A job's seconds by the clock and of processors, and the memory of a rank in MiB."""

    seconds: float
    cpu_seconds: float
    mebibytes: float


def run(request: Request, json_file: str) -> None:
    """Measure, print a line for each figure, and write all rows."""
    rows = [row for mpi in request.mpis for ranks in request.ranks for row in measure(mpi, ranks, request.turns)]
    if json_file:
        write_rows(rows, json_file)


def measure(mpi: str, ranks: int, turns: int) -> list[Row]:
    """Run the program natively and under Thalweg, in turns, and give the rows of time and memory."""
    program = compiled_program("overhead", [PROGRAM], mpi, os.environ)
    natively = [*FLAVORS[mpi].launcher, str(ranks), program]
    ours = [sys.executable, "-m", "thalweg", "run", "--mpi", mpi, "-n", str(ranks), "--", program]
    pairs: list[tuple[Cost, Cost]] = []
    for turn in range(turns):
        order = [ours, natively] if turn % 2 else [natively, ours]
        costs = {command is ours: cost_of(command) for command in order}
        pairs.append((costs[True], costs[False]))
    rows = []
    for part, (metric, unit) in enumerate(METRICS):
        figures = [(own[part], peer[part]) for own, peer in pairs]
        rows.append(paired_row(f"{count_text(ranks, 'rank')}, {mpi}", metric, unit, figures, "natively"))
        print(f"{rows[-1]['case']}, {metric}: {_words(figures, unit)}", flush=True)
    return rows


def _words(figures: Sequence[tuple[float, float]], unit: str) -> str:
    """Write medians, the difference of a pair, and the lowest of each way, which other jobs disturbed least."""
    ours, peer = zip(*figures, strict=True)
    more = median(own - other for own, other in figures)
    lowest = f"lowest {min(peer):.3g} and {min(ours):.3g}"
    return f"{median(peer):.3g} {unit} natively, {median(ours):.3g} under Thalweg ({more:+.2g}); {lowest}"


def cost_of(command: Sequence[str]) -> Cost:
    """Run a job, and say what it cost."""
    cpu_before, begin = _children_cpu(), time.perf_counter()
    said = re.search(r"^pss_kib=(\S+)$", finished(command, LIMIT_S), re.MULTILINE)
    seconds = time.perf_counter() - begin
    if said is None:
        raise ThalwegError(FAILED, f"{' '.join(command)} printed no memory")
    return Cost(seconds, _children_cpu() - cpu_before, float(said[1]) / 1024)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
