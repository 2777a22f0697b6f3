# SPDX-License-Identifier: BSD-3-Clause
"""Random programs on streams of random dtypes: sends, handlers that send, tiny buffers, several phases, meshes.

python random_program.py SHAPE FIRST_SEED PROGRAMS [slow]
"""

import sys
import time
from dataclasses import dataclass, field

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

import thalweg

HEADER = [("source", "i4"), ("number", "i4"), ("phase", "u1"), ("hops", "u1")]
FIELDS = [
    "i1",
    "u2",
    "<i4",
    ">i4",
    "i8",
    "f2",
    "f4",
    "f8",
    "c16",
    "S3",
    "S17",
    "U5",
    "M8[us]",
    "?",
    "(3,)f4",
    "(2,2)u1",
    "V7",
]


@dataclass
class Plan:
    """The same on all ranks."""

    dtype: np.dtype
    phases: int
    max_items: int
    max_hops: int
    options: dict[str, int]
    slow_rank: int  # whose handler pauses while others send and wait; -1: nobody's


def random_plan(random: np.random.Generator, ranks: int, *, slow: bool) -> Plan:
    """What follows the header of an item is anything."""
    kinds = random.choice(FIELDS, random.integers(0, 4))
    fields = HEADER + [(f"field{place}", kind) for place, kind in enumerate(kinds)]
    options = {"buffer_bytes": int(64 << random.integers(0, 6)), "period_us": int(random.integers(0, 2))}
    if random.random() < 0.2:
        options["max_pending_items"] = int(random.integers(1, 100))
    return Plan(
        dtype=np.dtype(fields, align=bool(random.integers(0, 2))),
        phases=int(random.integers(1, 4)),
        max_items=int(random.choice([1, 50, 3000])),
        max_hops=int(random.choice([0, 0, 1, 3])),
        options=options,
        slow_rank=int(random.integers(0, ranks)) if slow else -1,
    )


def filled(dtype: np.dtype, source: int, numbers: NDArray, phase: int, hops: NDArray) -> NDArray:
    """Items whose fields are known from their source and number."""
    items = np.zeros(len(numbers), dtype)
    items["source"], items["number"], items["phase"], items["hops"] = source, numbers, phase, hops
    for name in dtype.names[len(HEADER) :]:
        kind = dtype[name]
        size = kind.itemsize // 4 if kind.base.kind == "U" else kind.itemsize
        # No bytes that would be text's end, nor letters beyond Unicode, nor truths beside 0 and 1.
        code = (numbers[:, np.newaxis] * 31 + source * 7 + np.arange(size)) % (2 if kind.kind == "b" else 90) + (
            0 if kind.kind == "b" else 33
        )
        as_bytes = code.astype("<u4" if kind.base.kind == "U" else "u1")
        items[name] = np.ascontiguousarray(as_bytes).view(np.uint8).view(kind.base).reshape(-1, *kind.shape)
    return items


@dataclass
class Program:
    """One rank's part."""

    plan: Plan
    comm: MPI.Intracomm
    random: np.random.Generator
    phase: int = 0
    sent: int = 0
    handled: int = 0
    stream: thalweg.Stream | None = None
    numbers: NDArray = field(init=False)
    seen: NDArray = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = np.zeros(self.comm.size, int)
        self.seen = np.zeros(self.comm.size, int)

    def handle(self, items: NDArray) -> None:
        """Whatever is wrong is raised, and comes out of finish()."""
        assert items.dtype == self.plan.dtype
        assert not items.flags.writeable
        assert (items["phase"] == self.phase).all()
        firsts = items[items["hops"] == self.plan.max_hops]
        for source in np.unique(firsts["source"]):
            numbers = firsts["number"][firsts["source"] == source]
            # Each source numbers what it sends here itself, so they come one after the other.
            assert (numbers == np.arange(self.seen[source], self.seen[source] + len(numbers))).all(), numbers
            self.seen[source] += len(numbers)
        for source in np.unique(items["source"]):
            own = items[items["source"] == source]
            expected = filled(self.plan.dtype, source, own["number"], self.phase, own["hops"])
            assert (own == expected).all(), (own, expected)
        self.handled += len(items)
        again = items[items["hops"] > 0].copy()
        if len(again):
            again["hops"] -= 1
            self.send(self.random.integers(0, self.comm.size, len(again)), again)
        if self.plan.slow_rank == self.comm.rank and self.random.random() < 0.2:
            time.sleep(0.005)

    def send(self, ranks: NDArray | int, items: NDArray) -> None:
        """Counted, and by an array of any type of integers."""
        self.sent += len(items)
        if isinstance(ranks, np.ndarray):
            ranks = ranks.astype(self.random.choice(["i4", "i8", "u1", "u8"]))
        self.stream.send(ranks, items)

    def send_some(self) -> None:
        """Either an array of ranks or one rank for all."""
        left = int(self.random.integers(0, self.plan.max_items + 1))
        while left > 0:
            count = int(self.random.integers(1, left + 1))
            left -= count
            if self.random.random() < 0.3:
                ranks = np.full(count, self.random.integers(0, self.comm.size))
            else:
                ranks = self.random.integers(0, self.comm.size, count)
            numbers = np.empty(count, int)
            for rank in np.unique(ranks):
                places = ranks == rank
                numbers[places] = self.numbers[rank] + np.arange(places.sum())
                self.numbers[rank] += places.sum()
            items = filled(self.plan.dtype, self.comm.rank, numbers, self.phase, np.full(count, self.plan.max_hops))
            self.send(int(ranks[0]) if (ranks == ranks[0]).all() and self.random.random() < 0.5 else ranks, items)
            (self.stream.flush, self.stream.progress, lambda: None)[self.random.integers(0, 3)]()

    def run(self) -> None:
        """Phases end in one part or in two."""
        for phase in range(self.plan.phases):
            self.phase = phase  # handlers look at it: who is ahead must not be heard yet
            self.send_some()
            if self.random.random() < 0.5:
                self.stream.finish()
            else:
                request = self.stream.start_finish()
                while not request.test():
                    pass


def main(shape: str, first_seed: int, programs: int, *, slow: bool) -> None:
    comm = MPI.COMM_WORLD
    for seed in range(first_seed, first_seed + programs):
        plan = random_plan(np.random.default_rng(seed), comm.size, slow=slow)
        program = Program(plan, comm, np.random.default_rng([seed, comm.rank]))
        with thalweg.Stream(comm, plan.dtype, program.handle, shape=shape, **plan.options) as program.stream:
            program.run()
            assert shape in ("", program.stream.shape)
            assert program.stream.statistics().phases == plan.phases
        left = comm.allreduce(program.sent - program.handled)
        assert left == 0, f"seed {seed}: {left} items were lost, or came twice"


if __name__ == "__main__":
    main(sys.argv[1].removeprefix("any"), int(sys.argv[2]), int(sys.argv[3]), slow=sys.argv[4:] == ["slow"])
    print("all right")
