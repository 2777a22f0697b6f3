# SPDX-License-Identifier: BSD-3-Clause
"""A histogram in Python: thalweg.Stream against numpy with MPI_Alltoallv in bulk.

mpirun -np 2 python3 histogram.py [ITEMS] [BARS] [ROUNDS]

Each rank has ITEMS 8-byte items, and an array that says which rank each belongs to. Timed is from there to the sums.
Ways take turns; the histograms must agree. Prints medians, in nanoseconds an item of a rank.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

import thalweg

COMM = MPI.COMM_WORLD


class Histogram:
    """The ways to make one."""

    def __init__(self, count: int, bars: int) -> None:
        """Draw `count` items a rank, each for a random rank, from 0 to `bars` - 1."""
        random = np.random.default_rng(COMM.rank)
        self.bars = bars
        self.ranks = random.integers(0, COMM.size, count)
        self.c_ranks = self.ranks.astype(np.intc)
        self.items = random.integers(0, bars, count)
        order = np.argsort(self.ranks, kind="stable")
        self.sorted_items = self.items[order]
        self.counts = np.bincount(self.ranks, minlength=COMM.size)
        self.sums = np.zeros(bars, np.int64)
        self.stream = thalweg.Stream(COMM, np.int64, self.handle)

    def handle(self, items: NDArray[np.int64]) -> None:
        """Count what the stream has brought."""
        self.sums += np.bincount(items, minlength=self.bars)

    def by_stream(self, ranks: NDArray[np.integer]) -> NDArray[np.int64]:
        """Send all items by one call."""
        self.sums = np.zeros(self.bars, np.int64)
        self.stream.send(ranks, self.items)
        self.stream.finish()
        return self.sums

    def by_stream_from_sorted(self) -> NDArray[np.int64]:
        """Send a call for each rank."""
        self.sums = np.zeros(self.bars, np.int64)
        for to, items in enumerate(np.split(self.sorted_items, np.cumsum(self.counts)[:-1])):
            self.stream.send(to, items)
        self.stream.finish()
        return self.sums

    def in_bulk(self, items: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Exchange items that are sorted by rank, so many for each."""
        arriving = np.empty_like(counts)
        COMM.Alltoall(counts, arriving)
        arrived = np.empty(arriving.sum(), np.int64)
        COMM.Alltoallv([items, counts], [arrived, arriving])
        return np.bincount(arrived, minlength=self.bars)

    def in_bulk_by_sorting(self) -> NDArray[np.int64]:
        """Sort the items by rank before."""
        narrow = self.c_ranks.astype(np.int8 if COMM.size <= 128 else np.int16)  # these numpy sorts by radix
        return self.in_bulk(self.items[np.argsort(narrow, kind="stable")], np.bincount(narrow, minlength=COMM.size))

    def in_bulk_by_masks(self) -> NDArray[np.int64]:
        """Look through all items for each rank, as programs in numpy often do."""
        parts = [self.items[self.c_ranks == to] for to in range(COMM.size)]
        return self.in_bulk(np.concatenate(parts), np.array([len(part) for part in parts]))

    def ways(self) -> dict[str, Callable[[], NDArray[np.int64]]]:
        """Give all of them by name."""
        return {
            "stream": lambda: self.by_stream(self.c_ranks),
            "stream, 64-bit ranks": lambda: self.by_stream(self.ranks),
            "bulk, sorts by rank": self.in_bulk_by_sorting,
            "bulk, a mask for each rank": self.in_bulk_by_masks,
            "stream, sorted before": self.by_stream_from_sorted,
            "bulk, sorted before": lambda: self.in_bulk(self.sorted_items, self.counts),
        }


def main(count: int = 10_000_000, bars: int = 1000, rounds: int = 5) -> None:
    """Time them in turns."""
    histogram = Histogram(count, bars)
    ways = histogram.ways()
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        made = []
        for name, way in ways.items():
            COMM.Barrier()
            wall, cpu = time.perf_counter(), time.process_time()
            made.append(way())
            COMM.Barrier()
            if turn > 0:  # the first one touches memory
                times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
        assert all(np.array_equal(one, made[0]) for one in made), "the ways do not agree"
    histogram.stream.close()
    if COMM.rank == 0:
        for name, pairs in times.items():
            wall, cpu = np.median(pairs, axis=0) / count * 1e9
            print(f"{name:28s} {wall:6.2f} ns an item, {cpu:6.2f} of the processor")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
