# SPDX-License-Identifier: BSD-3-Clause
"""Halos of sparse matrices on the hosts of a lab, by strategies of neighborhoods, beside the library and MPI Advance.

A job for each way, in turns. MPI Advance (github.com/mpi-advance/locality_aware) is the user's own: its folder has
`include/locality_aware.h`, and `liblocality_aware` somewhere below. Its persistent calls run without Thalweg: as they
are (`standard`), aggregated by node (`locality`), and with equal elements sent once (`dedup`), which needs the
elements' numbers. MPI's own call has no such numbers.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from rich.progress import track

from thalweg.errors import FAILED, USAGE, ThalwegError
from thalweg.rows import Row, make_row, paired_row, write_rows
from thalweg.trials.compiler import compiled_program
from thalweg_labs.bench.lab_jobs import made_lab, output_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.lab.hosts import Lab

PROGRAM = Path(__file__).parent / "program" / "neighborhoods.c"
MATRICES = ("stencil2d:64", "stencil3d:12", "random:256:8", "power:256:8")
STRATEGIES = (
    "direct",
    "combined",
    "colored",
    "node_aware",
    "node_aware:steps=2",
    "node_aware:dimensions=2",
    "mesh",
    "node_mesh",
)
ADVANCE_WAYS = ("standard", "locality", "dedup")
NATIVE = "native"


class Request(NamedTuple):
    """What to run."""

    mpi: str
    hosts: int
    ranks: int
    """Of the job, spread over the hosts evenly."""

    rate: str
    """Of each link, in the words of tc."""

    topology: str
    matrices: Sequence[str]
    vectors: int
    """Doubles of an element."""

    strategies: Sequence[str]
    advance: str
    """The folder of MPI Advance; empty: without it."""

    calls: int
    turns: int


class Figures(NamedTuple):
    """Of one job: seconds of a call, and of a rank in the mean how many neighbors it sends how many bytes."""

    seconds: float
    neighbors: float
    bytes: float
    answer: str


def advance_options(folder: str) -> list[str]:
    """Give what a program is compiled with for MPI Advance. Raises ThalwegError where it is not there."""
    libraries = sorted(Path(folder).rglob("liblocality_aware.*"))
    header = next(iter(sorted(Path(folder).rglob("locality_aware.h"))), None)
    if not libraries or header is None:
        raise ThalwegError(
            USAGE, f"{folder} has no liblocality_aware with its locality_aware.h", "name the folder where it was built"
        )
    where = libraries[0].parent
    return ["-DWITH_MPI_ADVANCE", f"-I{header.parent}", str(libraries[0]), f"-Wl,-rpath,{where}", "-lstdc++", "-lm"]


def _run(lab: Lab, program: str, request: Request, matrix: str, way: str) -> Figures:
    is_peer = way in ADVANCE_WAYS
    options = ["--native"] if way == NATIVE or is_peer else ["--use", f"neighbor_alltoallv={way}"]
    words = [program, way if is_peer else "mpi", matrix, str(request.vectors), str(request.calls), "5"]
    seconds, neighbors, size, answer = output_of(lab, words, options, request.ranks).split()[-4:]
    return Figures(float(seconds), float(neighbors), float(size), answer)


def _measure(lab: Lab, program: str, request: Request, matrix: str, ways: Sequence[str]) -> dict[str, list[Figures]]:
    found: dict[str, list[Figures]] = {way: [] for way in ways}
    for _ in track(range(request.turns), matrix, transient=True):
        for way in ways:
            found[way].append(_run(lab, program, request, matrix, way))
    answers = {one.answer for figures in found.values() for one in figures}
    if len(answers) != 1:
        raise ThalwegError(FAILED, f"{matrix}: ways have different answers: {sorted(answers)}")
    return found


def rows_of(matrix: str, found: dict[str, list[Figures]], peers: Sequence[str]) -> list[Row]:
    """Compare each strategy with each peer, turn by turn; and the fastest with the fastest."""
    times = {way: [one.seconds * 1e6 for one in figures] for way, figures in found.items()}
    one = found[peers[0]][0]
    case = f"{matrix}, {one.neighbors:g} neighbors, {one.bytes:.0f} B"
    ours = [way for way in times if way not in peers]
    rows = [
        paired_row(f"{case}: {way}", "time", "us", list(zip(times[way], times[peer], strict=True)), peer)
        for way in ours
        for peer in peers
    ]
    best = {name: min(ways, key=lambda way: median(times[way])) for name, ways in (("ours", ours), ("peer", peers))}
    fastest = {name: median(times[way]) for name, way in best.items()}
    rows.append(make_row(f"{case}: best, {best['ours']}", "time", "us", fastest["ours"], fastest["peer"], best["peer"]))
    return rows


def run(request: Request, json_file: str) -> None:
    """Print or write a row for each strategy and peer."""
    options = advance_options(request.advance) if request.advance else []
    program = compiled_program("neighborhoods", [PROGRAM], request.mpi, os.environ, options)
    peers = [NATIVE, *(ADVANCE_WAYS if request.advance else ())]
    rows = []
    with made_lab(f"halos{os.getpid()}", request.hosts, request.topology, (request.rate, ""), 0) as lab:
        for matrix in request.matrices:
            found = rows_of(matrix, _measure(lab, program, request, matrix, [*peers, *request.strategies]), peers)
            for row in found:
                figures = f"{row['ours']:>9.1f} {row['peer']:>9.1f} us {row['ratio']:>6.2f}"
                print(f"{row['case']:<72} {figures} {row['peer_name']}")
            rows += found
    if json_file:
        write_rows(rows, json_file)
