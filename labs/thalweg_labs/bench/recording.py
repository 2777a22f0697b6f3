# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg run --record`, or `--trace`, costs: the same program with and without it, in turns.

A stencil whose messages are short has as much to record as a program can, and so has one that only makes short
all-to-alls. Examples have what programs have. The stencil's time is from the first step to the end of MPI, where the
pattern is written. On one rank all messages go to itself: those are the fastest that there are, and nobody waits, so
the processor's time shows what a recorded message costs. Of all programs the job's processor time counts too, with its
start: on a busy machine it says more than the clock.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from thalweg.errors import FAILED, PROGRAM, ThalwegError
from thalweg.rows import Row, pair_ratios, paired_row, write_rows
from thalweg.trials.compiler import compiled_program

_PROGRAMS = Path(__file__).parent / "program"
_EXAMPLES = {
    "cg, class W": ("cg", "--class", "W", "--on", "mpi"),
    "ft, class W": ("ft", "--class", "W", "--layout", "packed", "--on", "mpi"),
    "fft3d, pencils": ("fft3d", "--size", "64x64x64", "--layout", "pencils", "--iterations", "60"),
    "radix sort": ("radix_sort", "--keys-per-rank", "20000", "--repeat", "150"),
}


class Request(NamedTuple):
    """What to measure."""

    mpi: str
    ranks: int
    rounds: int
    sides: Sequence[int]
    """Of the cells of a rank; a message has so many numbers."""
    steps: int
    folder: str
    """With the examples; empty: none."""

    calls: int
    """Of each kind of short all-to-all; 0: none."""

    trace: bool
    """Are calls traced in their order, in place of a recorded pattern?"""


def _programs(request: Request) -> dict[str, list[str]]:
    programs: dict[str, list[str]] = {}
    if request.sides:
        halo = compiled_program("halo", [_PROGRAMS / "halo.c"], request.mpi, os.environ)
        programs |= {f"halo of {8 * side} B": [halo, str(side), str(request.steps)] for side in request.sides}
    if request.calls:
        phases = compiled_program("phases", [_PROGRAMS / "phases.c"], request.mpi, os.environ)
        kinds = [f"{kind}:64:{request.calls}" for kind in ("alltoall", "alltoallv")]
        programs["all-to-all of 64 B"] = [phases, *kinds]
    for title, (name, *options) in _EXAMPLES.items() if request.folder else ():
        example = Path(request.folder) / f"{name}-{request.mpi}"
        if not example.exists():
            raise ThalwegError(PROGRAM, f"the example {example} is missing", "build the examples, and name --folder")
        programs[title] = [str(example), *options]
    return programs


def _times(request: Request, program: Sequence[str], options: Sequence[str]) -> dict[str, float]:
    """Start the program; gives its seconds, those of rank 0's processor if it says them, and the job's."""
    words = ["run", "--no-summary", "--mpi", request.mpi, *options, "-n", str(request.ranks), "--", *program]
    command = [sys.executable, "-m", "thalweg", *words]
    before = _children_cpu()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ThalwegError(FAILED, f"{' '.join(words)} ended with status {done.returncode}\n{done.stderr[-2000:]}")
    found = {"job's processors": _children_cpu() - before}
    for name, value in re.findall(r"\b(seconds|cpu)=(\S+)", done.stdout):
        found["rank 0's processor" if name == "cpu" else "time"] = float(value)
    return found


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(request: Request) -> list[Row]:
    """Run all programs, each way in turns, and give rows of the time and of the processor's time."""
    rows = []
    for name, program in _programs(request).items():
        pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
        with tempfile.TemporaryDirectory() as patterns:
            record = ["--trace" if request.trace else "--record", "--patterns", patterns]
            for turn in range(request.rounds):
                order = [record, []] if turn % 2 else [[], record]
                times = {bool(options): _times(request, program, options) for options in order}
                for metric, seconds in times[True].items():
                    pairs[metric].append((seconds, times[False][metric]))
        peer = "not traced" if request.trace else "not recorded"
        for metric, found in pairs.items():
            rows.append(paired_row(f"{name}, {request.ranks} ranks, {request.mpi}", metric, "s", found, peer))
            print(f"{rows[-1]['case']}, {metric}: {_costs(found)}", flush=True)
    return rows


def _costs(pairs: Sequence[tuple[float, float]]) -> str:
    """Say what recording costs, by pairs and by the fastest run of each way, which other jobs disturbed least."""
    costs = [100 * (1 / ratio - 1) for ratio in pair_ratios(pairs)]
    low, middle, high = quantiles(costs, n=4) if len(costs) > 1 else costs * 3
    ours, peer = (min(values) for values in zip(*pairs, strict=True))
    fastest = f"fastest {ours:.4f} s against {peer:.4f} s, {100 * (ours / peer - 1):+.1f} %"
    return f"{middle:+.1f} % (quartiles {low:+.1f} to {high:+.1f}); {fastest}"


def run(request: Request, json_file: str) -> None:
    """Measure, print each case, and write all rows."""
    rows = measure(request)
    if json_file:
        write_rows(rows, json_file)
