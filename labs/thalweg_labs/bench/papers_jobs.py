# SPDX-License-Identifier: BSD-3-Clause
"""Where the programs of chapter 7 run: on two ranks here, or on the hosts of a lab."""

from collections.abc import Callable, Sequence

from thalweg.errors import LAB, ThalwegError
from thalweg.lab.hosts import saved
from thalweg_labs.bench.examples import example_of, run_example
from thalweg_labs.bench.lab_jobs import output_of
from thalweg_labs.bench.papers_rows import Request

RANKS = 2
"""On this machine."""


def runner(request: Request, name: str) -> tuple[int, Callable[[Sequence[str]], str]]:
    """Give on how many ranks an example runs, and what runs it with options and gives what it prints."""
    if not request.lab:
        return RANKS, lambda words: run_example(request.folder, name, request.mpi, RANKS, words)
    lab = saved(request.lab)
    if lab is None:
        raise ThalwegError(LAB, f"no lab is up that is called {request.lab}", "thalweg lab up --hosts 8 --name NAME")
    program = str(example_of(request.folder, name, request.mpi))
    return lab.hosts, lambda words: output_of(lab, [program, *words], ["--native"])


def where(request: Request, ranks: int) -> str:
    """Say that in a row."""
    return f"{ranks} hosts" if request.lab else f"{ranks} ranks"
