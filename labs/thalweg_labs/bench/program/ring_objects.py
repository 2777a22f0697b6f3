# SPDX-License-Identifier: BSD-3-Clause
"""Tokens that go round a ring of elements, one on each rank: nanoseconds for each hop."""

import sys
import time

from mpi4py import MPI

import thalweg

ROUNDS, BUCKET, HOPS = (int(word) for word in sys.argv[1:4])


class Element(thalweg.Element):
    """Hands tokens on."""

    def begin(self) -> None:
        """Send all tokens round."""
        for _ in range(BUCKET):
            self.hop(HOPS)

    def hop(self, left: int) -> None:
        """Take a token, which begins and ends at the first element."""
        if left:
            self.array[(self.at[0] + 1) % self.array.shape[0]].hop(left - 1)


with thalweg.Array(Element, MPI.COMM_WORLD.size, MPI.COMM_WORLD) as ring:
    for _ in range(ROUNDS):
        MPI.COMM_WORLD.Barrier()
        begin = time.perf_counter_ns()
        if ring.rank == 0:
            ring[0].begin()
        ring.finish()
        if ring.rank == 0:
            print("hop", (time.perf_counter_ns() - begin) / (BUCKET * HOPS), flush=True)
