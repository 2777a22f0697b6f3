# SPDX-License-Identifier: BSD-3-Clause
"""Tokens that go round a ring of charm4py's elements, one on each processor: nanoseconds for each hop."""

import sys
import time

from charm4py import Array, Chare, Future, charm

ROUNDS, BUCKET, HOPS = (int(word) for word in sys.argv[1:4])


class Element(Chare):
    """Hands tokens on."""

    def begin(self, done: Future) -> None:
        """Send all tokens round, and tell when the last has ended."""
        self.done, self.left = done, BUCKET
        for _ in range(BUCKET):
            self.hop(HOPS)

    def hop(self, left: int) -> None:
        """Take a token, which begins and ends at the first element."""
        if left:
            self.thisProxy[(self.thisIndex[0] + 1) % charm.numPes()].hop(left - 1)
            return
        self.left -= 1
        if not self.left:
            self.done.send()


def main(_: list[str]) -> None:
    """Time rounds, and print each."""
    ring = Array(Element, charm.numPes())
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        done = Future()
        ring[0].begin(done)
        done.get()
        print("hop", (time.perf_counter_ns() - begin) / (BUCKET * HOPS), flush=True)
    sys.stdout.flush()
    charm.exit()


charm.start(main)
