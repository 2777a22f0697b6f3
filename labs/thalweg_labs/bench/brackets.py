# SPDX-License-Identifier: BSD-3-Clause
"""Calls of objects in brackets: each strategy, and what fences choose, over degree and size (program/brackets.cpp).

Ours is `auto`, beside the fastest strategy in those jobs, calls that go on their own, and MPI_Alltoallv of the same
bytes. All ways run in one job, in turns.
"""

from collections.abc import Iterator, Sequence
from statistics import median

from thalweg.rows import Row, paired_row
from thalweg_labs.bench.streams import METRICS, Times

STRATEGIES = ("direct", "mesh", "grid", "hypercube", "stream")
ELEMENTS = 8
"""Of a rank."""


def cases(ranks: int, sizes: Sequence[int]) -> list[str]:
    """Name cases as the program does: to how many ranks one sends, and bytes of a call."""
    degrees = sorted({1, ranks // 2, ranks - 1} - {0})
    return [f"{degree}/{size}" for degree in degrees for size in sizes]


def rows(times: dict[str, dict[str, Times]], suffix: str) -> Iterator[Row]:
    """Give rows of what the program printed."""
    for case, ways in times.items():
        degree, size = case.split("/")
        name = f"brackets, degree {degree}, {size} B, {suffix}"
        fastest = min(STRATEGIES, key=lambda way: _wall(ways[way]))
        for strategy in STRATEGIES:
            yield from _rows_of(f"{name}, {strategy}", ways[strategy], ways["calls"], "calls")
        for peer in (fastest, "calls", "alltoallv"):
            yield from _rows_of(f"{name}, auto", ways["auto"], ways[peer], peer)


def _wall(times: Times) -> float:
    return median(wall for wall, _ in times)


def _rows_of(case: str, ours: Times, theirs: Times, peer: str) -> Iterator[Row]:
    for index, metric in enumerate(METRICS):
        pairs = [(own[index], other[index]) for own, other in zip(ours, theirs, strict=True)]
        yield paired_row(case, metric, "ns", pairs, peer)
