# SPDX-License-Identifier: BSD-3-Clause
"""Chapters 5 and 7 of S. Kumar 2005, measured: objects and streaming, and applications on objects.

The programs run on this machine, which is not the text's. So it is ratios that are to be compared: one object a rank by
eight, and what is sent message by message by what objects send.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from thalweg_labs.bench import papers_density, papers_molecules, papers_radix
from thalweg_labs.bench.examples import run_example, seconds_in_turns
from thalweg_labs.bench.objects import timed_calls
from thalweg_labs.bench.papers_rows import Request, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROUNDS = 3
RANKS = (2, 4)
RING = {
    (2, 1): "9.4/7.7/6.3", (2, 5): "9.4/3.5/2.4", (2, 50): "9.3/1.9/1.4", (2, 500): "9.4/1.7/1.2",
    (4, 1): "10.0/10.9/9.4", (4, 5): "16.8/4.0/3.5", (4, 50): "17/1.9/1.3", (4, 500): "16.9/1.8/1.2",
}  # fmt: skip
"""By ranks and bucket, us: a message each, streaming, and packed."""
RING_TABLES = {2: "5.4", 4: "5.5"}
EXCHANGE = {1: "10.1/11.3", 2: "9.4/6.5", 4: "9.4/4.1", 10: "11.5/2.8", 50: "14.1/2.1"}
"""By messages of a pair, on four processors, us: a message each, and streaming (table 5.9)."""
STENCIL = "1.83 on 8 processors, 1.14 on 512"
"""One object a processor by eight (table 5.1)."""
UNSAID = (
    "chapter 5: a bucket: so many tokens go round together, and a rank sends when it has nothing to run",
    "chapter 5: messages have 8 bytes, as the text's shortest; ranks that outnumber cores share them",
    "table 5.1: the size of the grid, which is illegible: 64 cells in each dimension",
    *papers_molecules.UNSAID,
    *papers_density.UNSAID,
    *papers_radix.UNSAID,
    "chapter 7: the text's machines had 256 to 3,000 processors: what is compared here is objects with plain MPI",
)


def streaming(request: Request) -> Iterator[list[Row]]:
    """Measure tables 5.1 to 5.9 on up to four ranks."""
    for ranks in (ranks for ranks in RANKS if ranks <= request.ranks_max):
        yield [row for bucket in (1, 5, 50, 500) for row in _ring(request, ranks, bucket)]
        yield [row for each in EXCHANGE for row in _exchange(request, ranks, each)]
        yield [_stencil(request, ranks)]


def applications(request: Request) -> Iterator[list[Row]]:
    """Measure chapter 7's programs on two ranks, or in a lab: objects, and the same by plain MPI."""
    yield papers_molecules.simulated()
    yield papers_molecules.measured(request)
    yield papers_molecules.polling(request)
    yield papers_density.transposes(request)
    yield papers_density.multicasts(request)
    yield from papers_radix.sorts(request)
    yield _flocks(request)


def _flocks(request: Request) -> list[Row]:
    """Measure diffusion Monte Carlo on two ranks, which the text has not: flocks that move, and single walkers."""
    seconds, single = seconds_in_turns(
        ("diffusion_mc_objects", "diffusion_mc"),
        lambda name: run_example(request.folder, name, request.mpi, 2, ["--steps", "200"]),
    )
    return [
        Row("flocks", "200 steps of 2,000 walkers in flocks", seconds * 1e3, 0, "ms", ""),
        Row("flocks", "balanced walker by walker, by flocks", single / seconds, 0, "", ""),
    ]


def _ring(request: Request, ranks: int, bucket: int) -> list[Row]:
    times = _timed(request, ranks, (bucket, 1), "ring")
    return _rows(f"table {RING_TABLES[ranks]}", f"{ranks} ranks, bucket of {bucket}", times, RING[ranks, bucket])


def _exchange(request: Request, ranks: int, each: int) -> list[Row]:
    times = _timed(request, ranks, (1, each), "alltoall")
    paper = EXCHANGE[each] if ranks == max(RANKS) else ""
    return _rows("table 5.9", f"{ranks} ranks, {each} messages a pair", times, paper)


def _timed(request: Request, ranks: int, numbers: tuple[int, int], case: str) -> list[float]:
    """Give objects' and messages' microseconds."""
    ways = timed_calls(request.mpi, ranks, [ROUNDS, request.calls, *numbers])[case]
    return [median(wall for wall, _ in times) / 1e3 for times in ways.values()]


def _rows(table: str, case: str, times: list[float], paper: str) -> list[Row]:
    ours, peer = times
    return [
        Row(table, f"{case}: objects", ours, 0, "us", paper),
        Row(table, f"{case}: a message each by objects", peer / ours, 0, "", ratio_of(paper)),
    ]


def ratio_of(paper: str) -> str:
    """Give the first of the text's values by the last one."""
    values = [float(value) for value in paper.split("/") if value]
    return f"{values[0] / values[-1]:.2g}" if values else ""


def _stencil(request: Request, ranks: int) -> Row:
    problem = ["--side", "64", "--steps", "100", "--period", "100", "--balance", "off"]
    one, eight = _in_turns(
        request, "stencil3d_objects", ranks, ([*problem, "--objects", "1"], [*problem, "--objects", "8"])
    )
    return Row("table 5.1", f"{ranks} ranks: one object a rank by eight", one / eight, 0, "", STENCIL)


def _in_turns(request: Request, name: str, ranks: int, ways: Sequence[list[str]]) -> list[float]:
    return seconds_in_turns(ways, lambda options: run_example(request.folder, name, request.mpi, ranks, options))
