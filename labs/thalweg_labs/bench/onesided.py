# SPDX-License-Identifier: BSD-3-Clause
"""Loose collectives of a team against strict ones, and against MPI's own in the same loop.

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
        loose, strict, own = (median(ways[way]) for way in ("loose", "strict", "mpi"))
        case = f"{operation} {size_text(size)}, {request.ranks} ranks"
        rows.append(make_row(case, "loose against strict", "us", loose, strict, "strict"))
        rows.append(make_row(case, "loose against MPI", "us", loose, own, request.mpi))
        texts = [time_text(value * 1e-6) for value in (loose, strict, own)]
        ratios = [f"{row['ratio']:.2f}" for row in rows[-2:]]
        print(f"{case}: loose {texts[0]}, strict {texts[1]} ({ratios[0]}), MPI {texts[2]} ({ratios[1]})", flush=True)
    return rows


def run(request: Request, json_file: str) -> None:
    """Measure, print the means, and write all rows."""
    rows = measure(request)
    for metric in ("loose against strict", "loose against MPI"):
        ratios = [row["ratio"] for row in rows if row["metric"] == metric]
        print(f"{metric}: geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f}")
    if json_file:
        write_rows(rows, json_file)
