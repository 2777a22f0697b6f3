# SPDX-License-Identifier: BSD-3-Clause
"""Random programs on objects, against the same without any ranks: random_program.py FIRST_SEED COUNT FOLDER."""

import random
import sys
from dataclasses import dataclass, field

import numpy as np
from mpi4py import MPI

import thalweg

COMM = MPI.COMM_WORLD
LONG = 3000  # numbers: more than a message of a stream has


def following(seed: int) -> random.Random:
    return random.Random(seed)


@dataclass
class Twin:
    visits: int = 0
    marks: int = 0
    sums: list[int] = field(default_factory=list)
    row: float = 0.0


class Cell(thalweg.Element):
    halo: thalweg.Association

    def __init__(self, eagerness: float) -> None:
        self.twin = Twin()
        self.eagerness = eagerness
        self.kept: list[np.ndarray] = []  # arrays of messages are the method's own

    def visit(self, seed: int, hops: int) -> None:
        self.twin.visits += 1
        self.twin.marks += seed
        chance = following(seed)
        target, seed = chance.randrange(self.array.size), chance.randrange(1 << 40)
        if chance.random() < self.eagerness:
            self.move_to(seed % self.array.ranks)
        if hops:
            self.array[self.array.index_of(target)].visit(seed, hops - 1)

    def mark(self, by: int) -> None:
        self.twin.marks += by

    def exchange(self, seed: int) -> None:
        number = self.array._number_of(self.at)
        self.halo.begin()
        for target in partners(seed, number, self.array.size):
            self.halo[self.array.index_of(target)].mark(number)
        if number == 0:
            self.halo(self.array.section(lambda at: sum(at) % 2 == 0)).mark(3)
        self.halo.end()

    def row(self, first: np.ndarray, second: np.ndarray) -> float:
        first[0] += 1  # it is this call's alone
        if len(self.kept) < 4:
            self.kept.append(second)
        self.twin.row += float(first.sum() + second.sum())
        return float(first[0])

    async def gather(self, value: int) -> int:
        number = int(np.ravel_multi_index(self.at, self.array.shape)) if isinstance(self.at, tuple) else self.at
        self.twin.sums.append(int(await self.reduce(value + number)))
        self.twin.sums.append(int((await self.reduce(np.array([value, -number]), "max"))[1]))
        # By the same call, as a second one might overtake it on its way to an element that moves.
        self.contribute("has_all", [self.at], _joined)
        answers = [self.array[at].ask.twice(value) for at in (self.at, self.array.index_of(0))]
        return sum([await answer for answer in answers])

    def twice(self, value: int) -> int:
        return 2 * value

    def has_all(self, everywhere: list) -> None:
        self.twin.sums.append(len(set(everywhere)))


def partners(seed: int, number: int, size: int) -> list[int]:
    chance = following(seed + number)
    return [chance.randrange(size) for _ in range(chance.randrange(6))]


def _joined(one: list, other: list) -> list:
    return one + other


def follow(twins: list[Twin], at: int, seed: int, hops: int) -> None:
    for left in range(hops, -1, -1):
        twins[at].visits += 1
        twins[at].marks += seed
        chance = following(seed)
        at, seed = chance.randrange(len(twins)), chance.randrange(1 << 40)
        del left


class Phase:
    """What happens between two fences."""

    def __init__(self, cells: thalweg.Array, twins: list[Twin], chance: random.Random) -> None:
        self.cells, self.twins, self.chance = cells, twins, chance
        for _ in range(10):
            self.walk()
            self.send_rows()
        self.mark_some()
        self.exchange()
        self.reduce()

    def is_mine(self) -> bool:
        return self.chance.randrange(COMM.size) == COMM.rank

    def any(self) -> tuple[int, thalweg.objects.calls.Proxy]:
        number = self.chance.randrange(self.cells.size)
        return number, self.cells[self.cells.index_of(number)]

    def walk(self) -> None:
        (number, cell), seed, hops = self.any(), self.chance.randrange(1 << 40), self.chance.randrange(20)
        if self.is_mine():
            cell.visit(seed, hops)
        follow(self.twins, number, seed, hops)
        if self.is_mine() and number % 3 == 0:
            cell.migrate(seed % COMM.size)

    def send_rows(self) -> None:
        (number, cell), length = self.any(), self.chance.choice([1, 10, LONG])
        if self.is_mine():
            row = np.arange(length, dtype=float)
            self.cells.asked.append(cell.ask.row(row, row[::2]))
            row[:] = -1  # arguments are values
        self.twins[number].row += sum(range(length)) + 1 + sum(range(0, length, 2))

    def mark_some(self) -> None:
        period = 1 + self.chance.randrange(4)
        if self.is_mine():
            self.cells.section(lambda at: self.cells._number_of(at) % period == 0).mark(7)
        for twin in self.twins[::period]:
            twin.marks += 7

    def exchange(self) -> None:
        size = self.cells.size
        for _ in range(self.chance.randrange(5)):
            seed = self.chance.randrange(1 << 40)
            if self.is_mine():
                self.cells.broadcast.exchange(seed)
            for number in range(size):
                for target in partners(seed, number, size):
                    self.twins[target].marks += number
            for number, twin in enumerate(self.twins):
                twin.marks += 3 if sum(self.cells.index_of(number)) % 2 == 0 else 0

    def reduce(self) -> None:
        value, size = self.chance.randrange(100), self.cells.size
        if self.is_mine():
            self.cells.broadcast.call("gather", value)
        for twin in self.twins:
            twin.sums += [value * size + size * (size - 1) // 2, 0, size]


def run_program(seed: int, folder: str) -> None:
    chance = random.Random(seed)
    shape = chance.choice([(1,), (7,), (3, 4), (2, 3, 2)])
    twins = [Twin() for _ in range(int(np.prod(shape)))]
    with thalweg.Array(Cell, shape, COMM, (chance.choice([0.0, 0.2, 0.5]),)) as cells:
        cells.asked = []
        Cell.halo = thalweg.Association(cells, chance.choice(["direct", "mesh", "grid", "hypercube", "stream", "auto"]))
        for _ in range(1 + chance.randrange(3)):
            Phase(cells, twins, chance)
            scheme = chance.choice(["sweep", "alias", "refine", "greedy", "near", "stay"])
            outcome = cells.fence(scheme, threshold=0.01, steps=chance.choice([1e6, 1e-9]))
            assert scheme != "stay" or (outcome.left, outcome.was_worth) == (0, False)
            if chance.random() < 0.3:
                thalweg.checkpoint(COMM, folder)
                cells.broadcast.mark(1 << 50)
                cells.finish()
                thalweg.restore(COMM, folder)
        assert all(answer.get() == 1.0 for answer in cells.asked)
        for at, cell in cells.local():
            twin = twins[cells._number_of(at)]
            cell.twin.sums.sort(), twin.sums.sort()
            assert cell.at == at
            assert cell.twin == twin, f"seed {seed}: {at}: {cell.twin} is not {twin}"
        here = sum(1 for _ in cells.local())
        assert COMM.allreduce(here) == cells.size, f"seed {seed}: elements are lost, or there twice"


for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
    run_program(number, sys.argv[3])
print("all right")
