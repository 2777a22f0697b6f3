# SPDX-License-Identifier: BSD-3-Clause
"""Moving tasks between the ranks of a job, for programs with mpi4py and numpy.

    with thalweg.Balancer(MPI.COMM_WORLD) as balancer:
        walkers = balancer.move(walkers)          # the rows of an array
        cells = balancer.move(cells, weights=cells["particles"])

What balancing promises is in docs/balance.md. One thread at a time may use a balancer.
"""

import ctypes
import math
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg.balancing.library import (
    SCHEMES,
    SPREADS,
    BalanceError,
    BalanceLibrary,
    library_of,
)
from thalweg.structures import BalanceOptions, BalancerOptions, Moved, Tasks

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing itself from Python 3.11 on


class Outcome(NamedTuple):
    """What moving did: see thalweg_moved in include/thalweg/balance.h."""

    was_worth: bool
    imbalance: float
    gain_seconds: float
    exchange_seconds: float


class Balancer:
    """Evens out what the ranks of a communicator have to do. Making it, start() and move() are collective.

    What one rank gives wrong fails on all of them, and nothing has moved then.
    """

    def __init__(self, comm: Any, *, order: ArrayLike | None = None) -> None:
        """Make a balancer; `order` has all ranks, near ones after each other, and is the same on all of them."""
        self._library = library_of(comm)
        options = BalancerOptions()
        if order is not None:
            ranks = np.ascontiguousarray(order, dtype=np.intc)
            if ranks.shape != (comm.Get_size(),):
                ranks = np.full(comm.Get_size(), -1, np.intc)  # which fails on all ranks
            options.order = ranks.ctypes.data_as(ctypes.POINTER(ctypes.c_int))
        self._handle = self._library.create(comm, options)
        self._free = weakref.finalize(self, self._library.status_of, "balancer_free", ctypes.byref(self._handle))
        self._given: object = None

    def move(self, tasks: NDArray[Any], weights: ArrayLike | None = None, **options: Any) -> NDArray[Any]:
        """Move rows of an array, and give those that this rank has then; the options are those of start()."""
        return self.start(tasks, weights, **options).finish()

    def start(  # noqa: PLR0913 (options have names)
        self,
        tasks: NDArray[Any],
        weights: ArrayLike | None = None,
        *,
        scheme: str = "alias",
        spread: str = "even",
        speed: float = 1,
        threshold: float = 0,
        load_seconds: float = 0,
        steps: float = 1,
        hysteresis: float = 1.5,
        min_gain_seconds: float = 0,
    ) -> "Movement":
        """Begin to move rows of an array.

        tasks         of any dtype without objects, of shape (tasks, ...); the same on all ranks but for their number
        weights       what each has to do, from 0, of shape (tasks,); on all ranks or None
        scheme        sweep or alias
        spread        even, or capped: as few messages as the rounded-up share allows
        speed         what this rank does in the same time as others
        threshold     rows move where the slowest rank takes over 1 + threshold times as long as the mean
        load_seconds  how long a task, or a weight of 1, takes a rank of mean speed; 0: unknown. With it, rows move
                      where that saves more time than it takes
        steps         how often tasks are worked through until they are balanced again
        hysteresis    how many times what moving takes has to be saved
        min_gain_seconds    and at least so much, where load_seconds is known
        """
        if not self._free.alive:
            message = "start: the balancer is closed; make another one"
            raise BalanceError(message, "start")
        wrong: Exception | None = None
        row, heavy = np.empty((0, 1)), None
        terms = BalanceOptions(threshold=math.nan)  # fails on all ranks
        try:
            row, heavy = _checked(tasks, weights)
            terms = BalanceOptions(
                _number(SCHEMES, scheme),
                _number(SPREADS, spread),
                # 0 stands for what is usual.
                speed if speed != 0 else math.nan,
                threshold,
                load_seconds,
                steps if steps != 0 else math.nan,
                hysteresis if hysteresis != 0 else math.ulp(0.0),
                min_gain_seconds,
            )
        except (TypeError, ValueError, BalanceError, ctypes.ArgumentError) as failed:
            wrong = failed
        given = _given(row, heavy)
        request = ctypes.c_void_p()
        self._library.call(
            "balance_start", self._handle, ctypes.byref(given), ctypes.byref(terms), ctypes.byref(request)
        )
        self._given = (row, heavy)  # read until tasks have moved
        return Movement(self._library, self, self._handle, request, row, wrong)

    def close(self) -> None:
        """Free the balancer. Collective."""
        self._library.check(self._free() or 0)

    def __enter__(self) -> "Self":
        """Close the balancer at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the balancer."""
        self.close()


class Movement:
    """Rows that are moving. The array may be read, and the rows that are kept may be written."""

    def __init__(  # noqa: PLR0913, PLR0917 (made by balancers alone)
        self,
        library: BalanceLibrary,
        balancer: Balancer,
        handle: ctypes.c_void_p,
        request: ctypes.c_void_p,
        row: NDArray[Any],
        wrong: Exception | None,
    ) -> None:
        """Take over what start() has begun; `wrong` is what this rank has given wrong."""
        self._library, self._balancer, self._handle, self._request = library, balancer, handle, request
        self._row = row
        self._wrong = wrong
        self._moved: Moved | None = None
        self._forget = weakref.finalize(self, library.status_of, "request_free", ctypes.byref(request))

    def test(self) -> bool:
        """Tell whether all rows have arrived; goes on without waiting."""
        finished = ctypes.c_int()
        self._look("request_test", ctypes.byref(self._request), ctypes.byref(finished))
        return bool(finished.value)

    def kept(self) -> int:
        """Wait until ranks have agreed, but not until rows have moved: the first so many stay here."""
        count = ctypes.c_size_t()
        self._look("balance_kept", self._handle, ctypes.byref(count))
        return count.value

    def finish(self) -> NDArray[Any]:
        """Wait, and give the rows that this rank has: those that are kept, then those that have come."""
        self._look("request_wait", ctypes.byref(self._request))
        moved = Moved()
        self._look("balance_moved", self._handle, ctypes.byref(moved))
        self._moved = moved
        tasks = np.empty((moved.kept + moved.arrived, *self._row.shape[1:]), self._row.dtype)
        tasks[: moved.kept] = self._row[: moved.kept]
        if moved.bytes:
            ctypes.memmove(tasks[moved.kept :].ctypes.data, moved.tasks, moved.bytes)
        return tasks

    @property
    def outcome(self) -> Outcome:
        """What was done, once it has finished."""
        if self._moved is None:
            message = "outcome: tasks are moving; call finish() before"
            raise BalanceError(message, "outcome")
        done = self._moved
        return Outcome(bool(done.was_worth), done.imbalance, done.gain_seconds, done.exchange_seconds)

    def _look(self, call: str, *arguments: Any) -> None:
        status = self._library.status_of(call, *arguments)
        if status and self._wrong is not None:
            raise self._wrong
        self._library.check(status)


def _checked(tasks: NDArray[Any], weights: ArrayLike | None) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    row = np.ascontiguousarray(tasks) if np.ndim(tasks) else np.asarray(tasks)
    if row.ndim == 0 or row.dtype.hasobject or row.dtype.itemsize * math.prod(row.shape[1:]) == 0:
        message = f"move: tasks of {row.dtype} and shape {row.shape}; give rows of plain data"
        raise BalanceError(message, "move")
    if weights is None:
        return row, None
    # One more, so that a rank without tasks has an address too.
    heavy = np.zeros(len(row) + 1)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != row.shape[:1]:
        message = f"move: weights of shape {given.shape} for {len(row)} tasks; give one for each"
        raise BalanceError(message, "move")
    heavy[:-1] = given
    return row, heavy


def _given(row: NDArray[Any], heavy: NDArray[np.float64] | None) -> Tasks:
    task_bytes = row.nbytes // len(row) if len(row) else row.dtype.itemsize * math.prod(row.shape[1:])
    return Tasks(len(row), row.ctypes.data, task_bytes, None if heavy is None else heavy.ctypes.data)


def _number(names: dict[str, int], name: str) -> int:
    if name not in names:
        message = f"move: nothing is called {name!r}; choose {' or '.join(names)}"
        raise BalanceError(message, "move")
    return names[name]
