# SPDX-License-Identifier: BSD-3-Clause
"""Random puts, gets, atomic operations and collectives agree with numpy: random_program.py SEED PROGRAMS."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

import thalweg
from thalweg.teams.collectives import Collectives

MODES = [
    "mine",
    "loose",
    "strict",
    ("none", "all"),
    ("all", "none"),
    ("mine", "none"),
    ("none", "mine"),
    ("all", "mine"),
]
DTYPES = [np.float64, np.float32, np.int64, np.int32, np.uint8, np.complex128, [("key", "u4"), ("value", "f8")]]
COLLECTIVES = ["broadcast", "scatter", "gather", "allgather", "alltoall", "allreduce", "reduce", "scan"]
OPERATORS = [(MPI.SUM, np.add), (MPI.PROD, np.multiply), (MPI.MAX, np.maximum), (MPI.MIN, np.minimum)]


def numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Small whole numbers, so that sums do not depend on their order."""
    array = np.empty(shape, dtype)
    for name in array.dtype.names or [...]:
        array[name] = random.integers(0, 4, shape)
    return array


def index_for(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """An index of every kind that numpy has, without an element twice."""
    kind = random.integers(5)
    if kind == 0:
        return ...
    if kind == 1:
        return random.random(shape) < 0.4
    if kind == 2 and len(shape) == 1:
        return random.permutation(shape[0])[: random.integers(0, shape[0] + 1)]
    if kind == 3:
        return (..., slice(random.integers(0, shape[-1]), None, random.choice([1, 2, -1])))
    parts: list[Any] = []
    for extent in shape:
        first, last = np.sort(random.integers(0, extent + 1, 2))
        one = slice(int(first), int(last), int(random.integers(1, 4)))
        parts.append(int(random.integers(extent)) if random.random() < 0.3 else one)
    return tuple(parts)


class Program:
    """All ranks draw the same, and know what all of them have."""

    def __init__(self, team: thalweg.Team, seed: int) -> None:
        self.team = team
        self.random = np.random.default_rng(seed)
        self.shape = tuple(int(n) for n in self.random.integers(1, 7, self.random.integers(1, 4)))
        self.dtype = np.dtype(DTYPES[self.random.integers(len(DTYPES))])
        self.memory = team.allocate(self.shape, self.dtype)
        self.model = np.zeros((team.size, *self.shape), self.dtype)

    def run(self) -> None:
        steps: list[Callable[[], None]] = [self.puts, self.gets, self.atomics, self.collectives]
        for step in self.random.integers(0, len(steps), 6):
            steps[step]()
        self.team.barrier()
        np.testing.assert_array_equal(self.memory.array, self.model[self.team.rank])
        self.team.release(self.memory)

    def caller(self) -> tuple[Collectives[Any, Any, Any, Any], Callable[[Any], Any]]:
        """How calls are made, and what their results are then."""
        if self.random.random() < 0.5:
            return self.team, lambda result: result
        return self.team.start(), lambda request: request.wait()

    def puts(self) -> None:
        targets = self.random.permutation(self.team.size)
        calls, result = self.caller()
        for source, target in enumerate(targets):
            index = index_for(self.random, self.shape)
            data = numbers(self.random, self.model[target][index].shape, self.dtype)
            self.model[target][index] = data
            if source == self.team.rank:
                result(calls.put(self.memory, int(target), index, data))
        self.team.barrier()
        np.testing.assert_array_equal(self.memory.array, self.model[self.team.rank])
        self.team.barrier()

    def gets(self) -> None:
        self.team.barrier()
        calls, result = self.caller()
        for source in range(self.team.size):
            target = int(self.random.integers(self.team.size))
            index = index_for(self.random, self.shape)
            if source == self.team.rank:
                np.testing.assert_array_equal(result(calls.get(self.memory, target, index)), self.model[target][index])
        self.team.barrier()

    def atomics(self) -> None:
        kind = self.random.choice([np.int32, np.uint32, np.int64, np.uint64])
        words = self.team.allocate(3, kind)
        target = int(self.random.integers(self.team.size))
        calls, result = self.caller()
        drawn = [result(calls.fetch_add(words, target, 1, 2)) for _ in range(5)]
        result(calls.add(words, target, 0, 3))
        self.team.barrier()
        taken = result(calls.compare_swap(words, target, 2, 0, self.team.rank + 1))
        self.team.barrier()
        every = self.team.allgather(np.array(drawn)).reshape(-1)
        assert sorted(every) == [2 * n for n in range(5 * self.team.size)], every
        first = self.team.allgather(np.array(taken))
        assert sum(first == 0) == 1, first
        if self.team.rank == target:
            holder = int(np.flatnonzero(first == 0)[0])
            assert list(words.array) == [3 * self.team.size, 10 * self.team.size, holder + 1], words.array
        self.team.release(words)

    def collectives(self) -> None:
        """Several, one after the other, with requests that are waited for in another order."""
        plain = np.dtype(DTYPES[self.random.integers(6)])
        checks = []
        for _ in range(self.random.integers(1, 5)):
            calls, result = self.caller()
            sync = MODES[self.random.integers(len(MODES))]
            name = COLLECTIVES[self.random.integers(len(COLLECTIVES))]
            made, expected = self.collective(name, calls, plain, sync)
            checks.append((result, made, expected))
        for which in self.random.permutation(len(checks)):
            checks[which][0](checks[which][1])
        self.team.barrier()  # ends those with none at their end
        for result, made, expected in checks:
            np.testing.assert_array_equal(result(made), expected)

    def collective(
        self, name: str, calls: Collectives[Any, Any, Any, Any], dtype: np.dtype, sync: Any
    ) -> tuple[Any, Any]:
        rank, random = self.team.rank, self.random
        root = int(random.integers(self.team.size))
        shape = tuple(int(n) for n in random.integers(0, 5, random.integers(0, 3)))
        every = numbers(random, (self.team.size, self.team.size, *shape), dtype)  # a row for each rank
        mine = np.array(every[rank, 0])
        operator, combine = OPERATORS[random.integers(4 if dtype.kind != "c" else 2)]
        total = combine.reduce(every[:, 0], axis=0, dtype=dtype)
        in_place = random.random() < 0.5
        row = every[root] if rank == root else None
        made: dict[str, Callable[[], tuple[Any, Any]]] = {
            "broadcast": lambda: (calls.broadcast(mine, root, sync=sync), every[root, 0]),
            "scatter": lambda: (calls.scatter(row, np.empty(shape, dtype), root, sync=sync), every[root, rank]),
            "gather": lambda: (calls.gather(mine, None, root, sync=sync), every[:, 0] if rank == root else None),
            "allgather": lambda: (calls.allgather(mine, sync=sync), every[:, 0]),
            "alltoall": lambda: (calls.alltoall(every[rank], sync=sync), every[:, rank]),
            "allreduce": lambda: (calls.allreduce(mine, mine if in_place else None, operator, sync=sync), total),
            "reduce": lambda: (
                calls.reduce(mine, None, operator, root, sync=sync),
                total if rank == root else None,
            ),
            "scan": lambda: (
                calls.scan(mine, op=operator, sync=sync),
                combine.reduce(every[: rank + 1, 0], axis=0, dtype=dtype),
            ),
        }
        return made[name]()


def main(seed: int, programs: int) -> None:
    with thalweg.Team(MPI.COMM_WORLD) as whole:
        for number in range(seed, seed + programs):
            team = whole
            if number % 3 == 1:
                part = whole.split(whole.rank % 2, -whole.rank)
                assert part is not None
                team = part
            Program(team, number).run()
            if team is not whole:
                team.free()
    print("all right")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
