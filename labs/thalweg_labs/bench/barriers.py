# SPDX-License-Identifier: BSD-3-Clause
"""Barriers in a node: who writes where on the way up and down, in which tree, with which root.

Beside them stand pthread_barrier among the same threads, and MPI_Barrier among as many ranks.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.rows import Row, make_row, write_rows
from thalweg.trials.compiler import compiled_program
from thalweg.units import count_text, time_text

_PROGRAM = Path(__file__).parent / "program" / "barriers.c"
_PTHREAD = "pthread_barrier"
_SHOWN = 5


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    threads: Sequence[int]
    turns: int


def _job(mpi: str, ranks: int, threads: int, turns: int) -> dict[str, float]:
    """Run the program; seconds by way."""
    program = compiled_program("barriers", [_PROGRAM], mpi, os.environ, ["-pthread"])
    words = ["run", "--disable", "-n", str(ranks), "--", program, str(threads), str(turns)]
    done = subprocess.run(
        [sys.executable, "-m", "thalweg", *words], capture_output=True, text=True, check=False, env=os.environ
    )
    if done.returncode:
        raise ThalwegError(FAILED, f"{' '.join(words)} ended with status {done.returncode}\n{done.stderr[-2000:]}")
    return {way: float(seconds) for way, seconds in (line.split() for line in done.stdout.splitlines())}


def is_of_root(way: str, root: int) -> bool:
    """Tell whether a way's tree has that root."""
    return way.endswith(f":root={root}")


def rows_of(threads: int, ways: dict[str, float], peers: dict[str, float]) -> list[Row]:
    """Write the best way beside each peer, and beside the best with the root 0; microseconds."""
    ours = {way: seconds for way, seconds in ways.items() if way != _PTHREAD}
    best = min(ours, key=ours.__getitem__)
    at_first = min((way for way in ours if is_of_root(way, 0)), key=ours.__getitem__)
    case = count_text(threads, "thread")
    others = {_PTHREAD: ways[_PTHREAD], **peers, f"{at_first}, the best with root 0": ours[at_first]}
    return [make_row(case, best, "us", ours[best] * 1e6, seconds * 1e6, name) for name, seconds in others.items()]


def run(request: Request, json_file: str) -> None:
    """Measure, print the best ways and their peers, and write the rows."""
    rows: list[Row] = []
    for threads in request.threads:
        ways = _job(request.mpis[0], 1, threads, request.turns)
        peers = {
            f"MPI_Barrier, {mpi}": _job(mpi, threads, threads, request.turns)["MPI_Barrier"] for mpi in request.mpis
        }
        rows += rows_of(threads, ways, peers)
        print(f"{count_text(threads, 'thread')}:")
        for way in sorted(ways, key=ways.__getitem__)[:_SHOWN]:
            print(f"  {time_text(ways[way]):>9}  {way}")
        for name, seconds in {_PTHREAD: ways[_PTHREAD], **peers}.items():
            print(f"  {time_text(seconds):>9}  {name}")
    if json_file:
        write_rows(rows, json_file)
