# SPDX-License-Identifier: BSD-3-Clause
"""Objects: what calls cost, alone and in brackets, and the stencil with several blocks a rank, balanced or not.

Calls are timed in one job, in turns with the same by hand (program/objects.cpp). Jobs of
examples/stencil3d_objects take turns too, and their answers have to be the same.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.rows import Row, paired_row, write_rows
from thalweg.trials.compiler import compiled_program, library_options
from thalweg_labs.bench import brackets, rings
from thalweg_labs.bench.examples import read_output, run_example
from thalweg_labs.bench.streams import METRICS, Times, times_of

_PROGRAMS = Path(__file__).parent / "program"
_UNEVEN = ["--objects", "16", "--uneven", "4", "--load", "halves", "--repeats", "8", "--period", "5"]
"""Half of all blocks have four times as much to do: on two ranks the slower one has 1.6 times the mean."""
_STENCILS = {
    "stencil, 8 blocks a rank": (["--objects", "8", "--balance", "off"], ["--objects", "1", "--balance", "off"], "one"),
    "stencil, load of 1 to 4": (
        [*_UNEVEN, "--balance", "on"],
        [*_UNEVEN, "--balance", "off"],
        "unbalanced",
    ),
}
"""Options of ours, options of the peer, and what that is called."""


class Request(NamedTuple):
    """What to measure."""

    mpi: str
    ranks: Sequence[int]
    folder: Path
    rounds: int
    calls: int
    side: int
    """Of the stencil's grid, in cells; 0: no stencils."""
    steps: int
    bracket_sizes: Sequence[int] = ()
    """Bytes of calls in brackets; none: no brackets."""
    lab: str = ""
    """In which brackets are measured, and nothing else."""
    charm4py: str = ""
    """A Python that has it, to be compared with; "": none."""


def run(request: Request, json_file: str) -> None:
    """Measure, print each case, and write all rows."""
    rows = []
    for ranks in request.ranks:
        for row in _all_rows(request, ranks):
            print(
                f"{row['case']}: {row['metric']} {row['ours']:.6g} {row['unit']}, "
                f"{row['peer_name']} {row['peer']:.6g} ({row['ratio']:.2f})",
                flush=True,
            )
            rows.append(row)
    if json_file:
        write_rows(rows, json_file)


def _all_rows(request: Request, ranks: int) -> Iterator[Row]:
    if not request.lab:
        yield from _call_rows(request, ranks)
        yield from _stencil_rows(request, ranks)
    if request.charm4py:
        yield from rings.rows(request.charm4py, request.mpi, ranks, request.rounds)
    if request.bracket_sizes and ranks > 1:
        cases = brackets.cases(ranks, request.bracket_sizes)
        words: list[int | str] = [request.rounds, request.calls // 4, brackets.ELEMENTS, "quiet", *cases]
        times = timed_calls(request.mpi, ranks, words, "brackets", request.lab)
        yield from brackets.rows(times, f"{ranks} ranks, {request.mpi}")


def _call_rows(request: Request, ranks: int) -> Iterator[Row]:
    for case, ways in timed_calls(request.mpi, ranks, [request.rounds, request.calls]).items():
        (_, ours), (peer, theirs) = ways.items()
        name = "fence, 100000 elements" if case == "fence" else f"{case} call"
        yield from _rows_of(f"{name}, {ranks} ranks, {request.mpi}", ours, theirs, peer)


def timed_calls(
    mpi: str, ranks: int, arguments: Sequence[int | str], name: str = "objects", lab: str = ""
) -> dict[str, dict[str, Times]]:
    """Run a program of objects: each case's ways, and what their rounds took."""
    options = library_options("objects", mpi, os.environ)
    headers = sorted((Path(options[0].removeprefix("-I")) / "thalweg").glob("*.h*"))
    program = compiled_program(name, [_PROGRAMS / f"{name}.cpp", *headers], mpi, os.environ, options)
    where = ["lab", "run", "--name", lab, "--native"] if lab else ["run", "--disable", "--mpi", mpi]
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if lab else {}
    words = [*where, "-n", str(ranks), "--", program, *map(str, arguments)]
    command = [sys.executable, "-m", "thalweg", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | consent)
    if done.returncode:
        raise ThalwegError(FAILED, f"{' '.join(words)} ended with status {done.returncode}\n{done.stderr[-2000:]}")
    return times_of(done.stdout)


def _rows_of(case: str, ours: Times, theirs: Times, peer: str) -> Iterator[Row]:
    for index, metric in enumerate(METRICS):
        pairs = [(own[index], other[index]) for own, other in zip(ours, theirs, strict=True)]
        yield paired_row(case, metric, "ns", pairs, peer)


def _stencil_rows(request: Request, ranks: int) -> Iterator[Row]:
    if not request.side:
        return
    problem = ["--side", str(request.side), "--steps", str(request.steps)]
    for case, (ours, theirs, peer) in _STENCILS.items():
        pairs = []
        for _ in range(request.rounds):
            outputs = [
                run_example(request.folder, "stencil3d_objects", request.mpi, ranks, [*problem, *way])
                for way in (ours, theirs)
            ]
            (own, answer), (other, other_answer) = map(read_output, outputs)
            if answer != other_answer:
                raise ThalwegError(FAILED, f"the stencils differ in their answers: {answer}, {other_answer}")
            pairs.append((own / request.steps * 1e3, other / request.steps * 1e3))
        yield paired_row(f"{case}, {ranks} ranks, {request.mpi}", "step time", "ms", pairs, peer)
