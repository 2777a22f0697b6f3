# SPDX-License-Identifier: BSD-3-Clause
"""Loose collectives of a team against strict ones, these against less strict ones, and all against MPI's own.

Ten follow each other, then a barrier (Nishtala 2009: what loose synchronization gains). All ways run in one
job, in turns; jobs of one program are repeated.
"""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.rows import Row, geometric_mean, make_row, write_rows
from thalweg.trials.compiler import compiled_program, library_options
from thalweg.units import size_text, time_text

_PROGRAM = Path(__file__).parent / "program" / "onesided.c"

SIZES = (8, 64, 512, 4096)
PAIRS = (("loose", "strict"), ("strict", "mine"), ("loose", "mpi"), ("strict", "mpi"))
METRICS = {pair: " against ".join(pair).replace("mpi", "MPI") for pair in PAIRS}


class Request(NamedTuple):
    """What to measure."""

    mpi: str
    ranks: int
    lab: str
    sizes: Sequence[int]
    turns: int
    rows: int
    """Of ten calls, in a job."""


def _job(request: Request) -> str:
    program = compiled_program(
        "onesided", [_PROGRAM], request.mpi, os.environ, library_options("team", request.mpi, os.environ)
    )
    start = ["lab", "run", "--name", request.lab, "--native"] if request.lab else ["run", "--disable"]
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if request.lab else {}
    words = [*start, "-n", str(request.ranks), "--", program, str(request.rows), *map(str, request.sizes)]
    command = [sys.executable, "-m", "thalweg", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | consent)
    if done.returncode:
        raise ThalwegError(FAILED, f"{' '.join(words)} ended with status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def measure(request: Request) -> list[Row]:
    """Run the jobs, print each case, and give the rows."""
    times: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(request.turns):
        for line in _job(request).splitlines():
            operation, bytes_text, way, seconds = line.split()
            times[operation, int(bytes_text)][way].append(float(seconds) * 1e6)
    rows = []
    for (operation, size), ways in times.items():
        medians = {way: median(values) for way, values in ways.items()}
        case = f"{operation.replace('-', ' ')} {size_text(size)}, {request.ranks} ranks"
        for pair, metric in METRICS.items():
            own, peer = (medians[way] for way in pair)
            rows.append(make_row(case, metric, "us", own, peer, request.mpi if pair[1] == "mpi" else pair[1]))
        texts = [f"{way} {time_text(value * 1e-6)}" for way, value in medians.items()]
        ratios = [f"{row['metric']} {row['ratio']:.2f}" for row in rows[-len(METRICS) :]]
        print(f"{case}: {', '.join(texts)}; {', '.join(ratios)}", flush=True)
    return rows


def run(request: Request, json_file: str) -> None:
    """Measure, print the means, and write all rows."""
    rows = measure(request)
    for metric in METRICS.values():
        ratios = [row["ratio"] for row in rows if row["metric"] == metric]
        print(f"{metric}: geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f}")
    if json_file:
        write_rows(rows, json_file)
