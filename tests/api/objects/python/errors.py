# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong in a program, and what an entry method raises, is told on all ranks, and nothing hangs."""

from collections.abc import Callable

import numpy as np
from mpi4py import MPI

import thalweg

COMM = MPI.COMM_WORLD


class Cell(thalweg.Element):
    hits = 0

    def divide(self, by: int) -> None:
        self.hits //= by

    async def wait(self) -> None:
        await self.reduce(1)
        raise KeyError(self.at)

    async def stay(self) -> None:
        await thalweg.Inbox().take()

    def mix(self, operation: str) -> None:
        self.contribute("hit", 1, operation)

    def hit(self, *_: object) -> None:
        self.hits += 1

    async def sleep(self) -> None:
        await _other()


class Refusing(thalweg.Element):
    def __init__(self) -> None:
        if self.at == 1:
            message = "no"
            raise ValueError(message)


class Unpicklable(thalweg.Element):
    def __init__(self) -> None:
        self.cannot = lambda: None


class Other:
    def __await__(self):  # noqa: ANN204
        yield None


def _other() -> Other:
    return Other()


def must_fail(what: str, work: Callable[[], object]) -> BaseException:
    try:
        work()
    except (thalweg.ObjectsError, AttributeError, LookupError) as failed:
        assert what in str(failed), f"{what!r} is not in: {failed}"
        return failed
    raise AssertionError(what)


with thalweg.Array(Cell, (2, 3), COMM) as cells:
    if COMM.rank == 0:
        cells[1, 2].divide(0)
    failed = must_fail("Cell.divide of element [1, 2] threw: ZeroDivisionError", cells.finish)
    assert isinstance(failed.__cause__, ZeroDivisionError) == any(at == (1, 2) for at, _ in cells.local())
    if COMM.rank == 0:
        cells.broadcast.wait()
    must_fail("Cell.wait of element [", cells.fence)
    if COMM.rank == 0:
        cells[0, 1].sleep()
    must_fail("sleep awaits None, and not what arrays give", cells.finish)
    must_fail("no element (2, 0); the array's shape is (2, 3)", lambda: cells[2, 0])
    must_fail("no element 1", lambda: cells[1])
    must_fail("Cell has no entry method 'missing'", lambda: cells[0, 0].missing)
    must_fail("Cell has no entry method 'hits'", lambda: cells.broadcast.hits)
    must_fail("rank 99", lambda: cells[0, 0].migrate(99))
    must_fail("scheme 'best'; give one of sweep", lambda: cells.fence("best"))
    halo = thalweg.Association(cells, "mesh")
    must_fail("no element's entry method runs", halo.begin)
    must_fail("no bracket of the element is open", halo[0, 0].hit)
    must_fail('no strategy is called "best"', lambda: thalweg.Association(cells, "best"))
    must_fail("a result that has not come", lambda: cells[0, 0].ask.hit().get())
    cells.finish()

with thalweg.Array(Cell, 5, COMM) as cells:
    if COMM.rank == 0:
        cells[4].stay()
        cells[4].migrate((cells[4].rank() + 1) % COMM.size)  # it stays
    cells.finish()
    must_fail("a task of element [4] waits", lambda: thalweg.checkpoint(COMM, "nowhere"))

with thalweg.Array(Cell, 4, COMM) as cells:
    if COMM.rank == 0:
        for at in range(4):
            cells[at].mix("sum" if at % 2 else "max")
    must_fail("give the same operation", cells.finish)


class Restless(thalweg.Element):
    def __init__(self) -> None:
        self.hits, self.sums, self.heard = 0, [], 0
        self.box = thalweg.Inbox()

    def hop(self, left: int) -> None:
        self.move_to((self.at + left) % self.array.ranks)
        if left == 0:
            raise ValueError(self.at)
        self.array[(self.at * 5 + left) % self.array.size].hop(left - 1)

    async def add(self) -> None:
        self.sums.append(await self.reduce(self.at))

    async def listen(self) -> None:
        self.heard += await self.box.take()

    def tell(self, what: int) -> None:
        self.box.put(0, what)

    def hit(self) -> None:
        self.hits += 1


with thalweg.Array(Restless, 7, COMM) as cells:  # what fails loses calls, and nothing else
    if COMM.rank == 0:
        cells[3].listen()
    cells.finish()
    for phase in range(4):
        if COMM.rank == COMM.size - 1:
            for at in range(0, 7, 2):
                cells[at].hop(10 + at)
                cells[at + 1 if at < 6 else 0].add()
        must_fail("Restless.hop of element [", cells.finish if phase % 2 else cells.fence)
        assert COMM.allreduce(sum(1 for _ in cells.local())) == 7
        for _, cell in cells.local():
            cell.hits, cell.sums = 0, []
        if COMM.rank == 0:
            cells.broadcast.hit()
            cells.broadcast.add()
            if phase == 3:
                cells[3].tell(5)
        cells.fence()
        assert all((cell.hits, cell.sums) == (1, [21]) for _, cell in cells.local())
    assert COMM.allreduce(sum(cell.heard for _, cell in cells.local())) == 5

with thalweg.Array(Unpicklable, 3, COMM) as cells:
    if COMM.rank == 0 and COMM.size > 1:
        cells[0].migrate(1)
    if COMM.size > 1:
        must_fail("element", cells.finish)

must_fail("Refusing.__init__ of element [1] threw: ValueError: no", lambda: thalweg.Array(Refusing, 4, COMM))
must_fail("is no class of elements", lambda: thalweg.Array(dict, 4, COMM))  # type: ignore[type-var]
must_fail("a shape (0,)", lambda: thalweg.Array(Cell, 0, COMM))
must_fail("no communicator of mpi4py", lambda: thalweg.Array(Cell, 4, 7))
if COMM.size > 1:
    must_fail("different arrays", lambda: thalweg.Array(Cell, 4 if COMM.rank else 5, COMM))
must_fail("the array is closed", cells.finish)
with thalweg.Array(Cell, 4, COMM) as cells:  # all is well again
    cells[COMM.rank % 4].hit(np.ones(5))
    cells.finish()
    assert COMM.allreduce(sum(cell.hits for _, cell in cells.local())) == COMM.size
print("all right")
