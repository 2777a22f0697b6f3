# SPDX-License-Identifier: BSD-3-Clause
"""Balancing in jobs: the steps of examples/diffusion_mc, by Thalweg, by hand and without balancing.

Jobs of the three ways take turns. Their answers have to be the same, to the bit.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.rows import Row, paired_row
from thalweg_labs.bench.examples import read_output, run_example

OURS = "thalweg"
PEERS = ("none", "gather")
_TASKS = 24
"""Of a rank, as in the source's measurements."""


class JobRequest(NamedTuple):
    """What to measure."""

    mpi: str
    ranks: Sequence[int]
    folder: Path
    rounds: int
    task_bytes: Sequence[int]
    steps: int
    moves: int
    """Of a walker in a step: how long a step takes."""


def job_rows(request: JobRequest) -> Iterator[Row]:
    """Time a step of each case; milliseconds."""
    for ranks in request.ranks:
        for size in request.task_bytes:
            yield from _rows_of(request, ranks, size)


def _rows_of(request: JobRequest, ranks: int, size: int) -> Iterator[Row]:
    times: dict[str, list[float]] = {way: [] for way in (OURS, *PEERS)}
    answers = set()
    problem = {"walkers": _TASKS * ranks, "steps": request.steps, "moves": request.moves, "walker-bytes": size}
    words = [word for name, value in problem.items() for word in (f"--{name}", str(value))]
    for _ in range(request.rounds):
        for way, found in times.items():
            output = run_example(request.folder, "diffusion_mc", request.mpi, ranks, [*words, "--balance", way])
            seconds, answer = read_output(output)
            found.append(seconds / request.steps * 1e3)
            answers.add(answer)
    if len(answers) != 1:
        raise ThalwegError(FAILED, "the ways of balancing differ in their answers:\n" + "\n".join(sorted(answers)))
    case = f"diffusion_mc, {ranks} ranks, walkers of {size} B, {request.mpi}"
    for peer in PEERS:
        yield paired_row(case, "step time", "ms", list(zip(times[OURS], times[peer], strict=True)), peer)
