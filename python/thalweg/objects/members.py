# SPDX-License-Identifier: BSD-3-Clause
"""The elements of an array that are on this rank, and what the library does with them."""

import inspect
import itertools
import operator
import pickle
import weakref
from collections.abc import Callable
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np

from thalweg import structures
from thalweg.objects import messages
from thalweg.objects.element import Element, Future, Index, Task, Waiting
from thalweg.objects.library import NOBODY, ObjectsError, ObjectsLibrary
from thalweg.runtime_library import memory_at

E = TypeVar("E", bound=Element)


def _extreme(of_arrays: np.ufunc, of_values: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def combine(one: Any, other: Any) -> Any:
        return of_arrays(one, other) if isinstance(one, np.ndarray) else of_values(one, other)

    return combine


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": operator.add,
    "min": _extreme(np.minimum, min),
    "max": _extreme(np.maximum, max),
}

_RESUME = "(a task goes on)"  # in the place of a method's name


class Members(Generic[E]):
    """A rank's part of an array."""

    def __init__(self, library: ObjectsLibrary, comm: Any, kind: type[E], shape: tuple[int, ...], args: Any) -> None:
        """Check what elements are to be made of; none is there yet."""
        self._library = library
        self.rank, self.ranks = comm.Get_rank(), comm.Get_size()
        self.kind, self.shape, self._args = kind, shape, args
        if not (isinstance(kind, type) and issubclass(kind, Element)):
            self.refuse("Array", f"{kind!r} is no class of elements", "derive it from thalweg.Element")
        if not 1 <= len(shape) <= 4 or min(shape) < 1:
            self.refuse("Array", f"a shape {shape}", "give 1 to 4 sides from 1")
        self.elements: dict[int, E] = {}
        self.reductions: dict[tuple[int, int], Waiting[Any]] = {}  # by element and how many it had taken part in
        self._tasks: dict[int, tuple[Task, int, tuple[int, int] | None]] = {}  # with the element, and who asked
        self._futures: dict[int, Future] = {}
        self._tickets = itertools.count()
        self._handle: Any = None
        self._running = ""  # the method

    def index_of(self, number: int) -> Any:
        """Give the index of an element by its number."""
        if len(self.shape) == 1:
            return Index(number)
        return tuple(int(one) for one in np.unravel_index(number, self.shape))

    def refuse(self, call: str, problem: str, remedy: str) -> NoReturn:
        """Raise what is wrong with a call."""
        raise ObjectsError(f"{call} on rank {self.rank} of {self.ranks}: {problem}; {remedy}", call, self.rank, remedy)

    def new_future(self) -> tuple[int, Future]:
        """Give a result that is not there yet, and its number."""
        ticket = next(self._tickets)
        self._futures[ticket] = future = Future()
        return ticket, future

    def functions(self) -> structures.ForeignFunctions:
        """Give what the library calls. Functions hold no reference to the array, or nobody would ever collect it."""
        given: dict[str, Callable[..., int]] = {
            "make": self._make,
            "run": self._run,
            "pack": self._pack,
            "enter": self._enter,
            "leave": self._leave,
            "combine": self._combine,
            "reduced": self._reduced,
            "begin_anew": self._begin_anew,
        }
        kinds: dict[str, Any] = dict(structures.ForeignFunctions._fields_)
        return structures.ForeignFunctions(**{name: kinds[name](_weak(method)) for name, method in given.items()})

    def _guard(self, what: str, number: int, work: Callable[[], object]) -> int:
        """Work for the library. Gives 0, or keeps the failure and gives 1."""
        self._running = what
        try:
            with self._library.running():
                work()
        except BaseException as failure:  # noqa: BLE001 (it is raised where the phase ends)
            index = self.index_of(number) if number != NOBODY else ()
            who = f" of element {list(index) if isinstance(index, tuple) else [index]}" if number != NOBODY else ""
            why = f"{self.kind.__qualname__}.{self._running}{who} threw: {type(failure).__name__}: {failure}"
            self._library.failure = failure
            self._library.fail(why.encode(errors="replace"))
            return 1
        return 0

    def _make(self, number: int) -> int:
        def make() -> None:
            element = self.kind.__new__(self.kind)
            element._place = (self, number)  # type: ignore[assignment]  # noqa: SLF001
            element.__init__(*self._args)  # type: ignore[misc]
            self.elements[number] = element

        return self._guard("__init__", number, make)

    def _run(self, number: int, _source: int, address: int, size: int) -> int:
        def run() -> None:
            method, given, ticket = messages.read(address, size, self._keep, self._library.free_kept)
            if number == NOBODY:
                self._futures.pop(ticket).come(given)
            elif method == _RESUME:
                self._go_on(number, ticket)
            else:
                self._running = method
                self._start(number, method, given, ticket)

        return self._guard("call", number, run)

    def _keep(self) -> int | None:
        address: int | None = self._library.keep(self._handle)
        return address

    def _start(self, number: int, method: str, given: tuple[Any, ...], ticket: tuple[int, int] | None) -> None:
        result = getattr(self.elements[number], method)(*given)
        if not inspect.iscoroutine(result):
            self._answer(ticket, result)
            return
        name = next(self._tickets)

        def resume_soon() -> None:
            pieces = messages.Pieces((_RESUME, (), name))
            self._library.call("foreign_call", self._handle, number, 0, pieces.array, pieces.count)

        self._tasks[name] = (Task(result, method, resume_soon), number, ticket)
        self._library.call("foreign_hold", self._handle, number)
        self._go_on(number, name)

    def _go_on(self, number: int, name: int) -> None:
        task, _, ticket = self._tasks[name]
        self._running = task.name
        has_ended, result = True, None
        try:
            has_ended, result = task.step()
        finally:
            if has_ended:
                del self._tasks[name]
                self._library.call("foreign_release", self._handle, number)
        if has_ended:
            self._answer(ticket, result)

    def _answer(self, ticket: tuple[int, int] | None, result: Any) -> None:
        if ticket is None:
            return
        rank, name = ticket
        pieces = messages.Pieces(("", result, name))
        self._library.call("foreign_send", self._handle, rank, pieces.array, pieces.count)

    def _pack(self, number: int) -> int:
        def pack() -> None:
            packed = pickle.dumps(self.elements[number], protocol=5)
            self._library.give(packed, len(packed))

        return self._guard("__getstate__", number, pack)

    def _enter(self, number: int, address: int, size: int) -> int:
        def enter() -> None:
            element = pickle.loads(memory_at(address, size))  # noqa: S301 (from a rank of the same program)
            element._place = (self, number)  # noqa: SLF001
            self.elements[number] = element

        return self._guard("__setstate__", number, enter)

    def _leave(self, number: int) -> int:
        return self._guard("__del__", number, lambda: self.elements.pop(number, None))

    def _combine(self, one: int, one_size: int, other: int, other_size: int) -> int:
        def combine() -> None:
            *kind, value = pickle.loads(memory_at(one, one_size))  # noqa: S301
            *other_kind, other_value = pickle.loads(memory_at(other, other_size))  # noqa: S301
            if kind != other_kind:
                self.refuse(
                    "reduce", f"elements give {kind[:2]} and {other_kind[:2]}", "give the same operation and method"
                )
            operation = OPERATIONS.get(kind[0], kind[0])
            packed = pickle.dumps((*kind, operation(value, other_value)), protocol=5)
            self._library.give(packed, len(packed))

        return self._guard("reduce", NOBODY, combine)

    def _reduced(self, number: int, address: int, size: int) -> int:
        def reduced() -> None:
            _, method, count, value = pickle.loads(memory_at(address, size))  # noqa: S301
            if method is None:
                self.reductions.pop((number, count)).come(value)
            else:
                self._running = method
                self._start(number, method, (value,), None)

        return self._guard("reduce", number, reduced)

    def _begin_anew(self) -> int:
        def begin() -> None:
            self.reductions.clear()
            self._futures.clear()
            for element in self.elements.values():
                element._reductions = 0  # noqa: SLF001
            for name, (task, number, _) in list(self._tasks.items()):
                if task.is_lost:
                    del self._tasks[name]
                    self._library.call("foreign_release", self._handle, number)
                    task.close()

        return self._guard("close", NOBODY, begin)


def _weak(method: Callable[..., int]) -> Callable[..., int]:
    reference = weakref.WeakMethod(method)

    def call(_context: int | None, *given: Any) -> int:
        found = reference()
        return 1 if found is None else found(*given)

    return call
