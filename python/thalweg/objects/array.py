# SPDX-License-Identifier: BSD-3-Clause
"""thalweg.Array: elements of a class on all ranks, which call each other's methods and move."""

import importlib
import math
import operator
import os
import pickle
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg.objects import messages
from thalweg.objects.calls import Broadcast, Proxy, Section
from thalweg.objects.element import Element, Future, Waiting
from thalweg.objects.library import SCHEMES, FenceOutcome, library_of
from thalweg.objects.members import OPERATIONS, E, Members

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing itself from Python 3.11 on


class Array(Members[E]):
    """Elements of a class, at first in equal parts on all ranks. Making an array is collective.

    `array[index].method(arguments)` calls an element wherever it is, and returns at once. Entry methods run in
    finish(), fence() and progress(), one at a time.
    """

    def __init__(self, kind: type[E], shape: int | Sequence[int], comm: Any = None, args: Sequence[Any] = ()) -> None:
        """Make `kind(*args)` at each index of a shape of 1 to 4 sides, over MPI.COMM_WORLD where no `comm` is given."""
        if comm is None:
            comm = importlib.import_module("mpi4py.MPI").COMM_WORLD
        sides = shape if isinstance(shape, Sequence) else (shape,)
        super().__init__(library_of(comm, "Array"), comm, kind, tuple(map(operator.index, sides)), tuple(args))
        functions = self.functions()
        name = kind.__qualname__
        signature = zlib.crc32(repr((kind.__module__, name, self.shape)).encode())
        self._handle = self._library.create(comm, self.shape, name, signature, functions)
        self._objects = self._library.objects_of(self._handle)
        self._free = weakref.finalize(self, self._library.free, self._handle, functions)

    @property
    def size(self) -> int:
        """How many elements there are on all ranks."""
        return math.prod(self.shape)

    def __getitem__(self, index: Any) -> Proxy:
        """Give what calls of an element are made of."""
        return Proxy(self, self._number_of(index))

    @property
    def broadcast(self) -> Broadcast:
        """Call all elements: `array.broadcast.method(arguments)`, by one rank or element."""
        return Broadcast(self)

    def section(self, chosen: Iterable[Any] | Callable[[Any], bool]) -> Section:
        """Give some elements, by their indices or by a function that tells who is among them, to call together."""
        if callable(chosen):
            numbers = [number for number in range(self.size) if chosen(self.index_of(number))]
        else:
            numbers = list(map(self._number_of, chosen))
        return Section(self, numbers)

    def local(self) -> Iterator[tuple[Any, E]]:
        """Go through this rank's elements, with their indices, in the main program."""
        return ((self.index_of(number), self.elements[number]) for number in sorted(self.elements))

    def flush(self) -> None:
        """Send what was called until now, amid an entry method too, and let MPI go on."""
        self._library.call("objects_flush", self._open("flush"))

    def progress(self) -> None:
        """Run what has arrived."""
        self._library.run_all("objects_progress", self._open("progress"))

    def finish(self) -> None:
        """Run messages until none is left on any rank, of all arrays of the communicator. Collective."""
        self._library.run_all("objects_finish", self._open("finish"))

    def fence(
        self,
        scheme: str = "sweep",
        *,
        threshold: float = 0,
        steps: float = 0,
        hysteresis: float = 0,
        min_gain_seconds: float = 0,
    ) -> FenceOutcome:
        """Do as finish(), and let elements move to where there is time, if that pays: docs/objects.md. Collective."""
        if scheme not in SCHEMES:
            self.refuse("fence", f"scheme {scheme!r}", f"give one of {', '.join(SCHEMES)}")
        return self._library.fence(self._open("fence"), (threshold, steps, hysteresis, min_gain_seconds), scheme)

    def explain(self) -> str:
        """Tell what the last fences have decided and why, a line for each."""
        return self._library.explain(self._open("explain"))

    def close(self) -> None:
        """Free the array. In the same order on all ranks, where no message runs."""
        if self._free.alive and self._library.runs:
            self.refuse("close", "an entry method closes an array", "close it where none runs")
        self._library.check(self._free() or 0)

    def __enter__(self) -> "Self":
        """Close the array at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the array."""
        self.close()

    # What proxies and elements call.

    def call(self, number: int, flags: int, method: str, given: tuple[Any, ...], ticket: Any = None) -> None:
        """Call an entry method of an element."""
        pieces = messages.Pieces((method, given, ticket))
        self._library.call("foreign_call", self._open("call"), number, flags, pieces.array, pieces.count)

    def call_all(self, method: str, given: tuple[Any, ...]) -> None:
        """Call an entry method of all elements."""
        pieces = messages.Pieces((method, given, None))
        self._library.call("foreign_broadcast", self._open("broadcast"), pieces.array, pieces.count)

    def call_some(self, numbers: list[int], method: str, given: tuple[Any, ...]) -> None:
        """Call an entry method of some elements, with one message to each rank that has any."""
        pieces = messages.Pieces((method, given, None))
        elements = np.asarray(numbers, np.uint32)
        place = elements.ctypes.data
        self._library.call("foreign_section", self._open("call"), place, len(elements), pieces.array, pieces.count)

    def ask(self, number: int, flags: int, method: str, given: tuple[Any, ...]) -> Future:
        """Call an entry method whose result comes back."""
        ticket, future = self.new_future()
        self.call(number, flags, method, given, (self.rank, ticket))
        return future

    def associate(self, strategy: str) -> int:
        """Make an association."""
        return self._library.associate(self._open("association"), strategy)

    def dissociate(self, association: int) -> None:
        """End an association, if the array is still there, which else has ended it."""
        if self._free.alive:
            self._library.call("foreign_dissociate", self._handle, association)

    def bracket(self, name: str, association: int) -> None:
        """Begin a bracket of the element whose entry method runs, or end it."""
        self._library.call(name, self._open("bracket"), association)

    def call_in(
        self, association: int, to: "Array[Any]", whom: int | list[int], method: str, given: tuple[Any, ...]
    ) -> None:
        """Call an element of an array in the open bracket, or some."""
        pieces = messages.Pieces((method, given, None))
        handles = (self._open("call"), association, to._open("call"))  # noqa: SLF001
        if isinstance(whom, int):
            self._library.call("foreign_call_in", *handles, whom, pieces.array, pieces.count)
        else:
            elements = np.asarray(whom, np.uint32)
            place = (elements.ctypes.data, len(elements))
            self._library.call("foreign_section_in", *handles, *place, pieces.array, pieces.count)

    def migrate(self, number: int, rank: int) -> None:
        """Move an element."""
        self._library.call("foreign_migrate", self._open("migrate"), number, rank)

    def rank_of(self, number: int) -> int:
        """Tell where an element was, the last time that this rank heard of it."""
        return int(self._library.rank_of(self._handle, number))

    def contribute(self, element: Element, value: Any, operation: Any, then: str | Waiting[Any]) -> None:
        """Let an element take part in its next reduction."""
        if operation not in OPERATIONS and not callable(operation):
            self.refuse("reduce", f"operation {operation!r}", f"give a function, or one of {', '.join(OPERATIONS)}")
        number, count = element._place[1], element._reductions  # noqa: SLF001
        element._reductions = count + 1  # noqa: SLF001
        if isinstance(then, Waiting):
            self.reductions[number, count] = then
        packed = pickle.dumps((operation, then if isinstance(then, str) else None, count, value), protocol=5)
        self._library.call("foreign_contribute", self._open("reduce"), packed, len(packed))

    def _number_of(self, index: Any) -> int:
        given = index if isinstance(index, tuple) else (index,)
        inside = len(given) == len(self.shape) and all(
            0 <= at < side for at, side in zip(given, self.shape, strict=True)
        )
        if not inside:
            self.refuse("[]", f"no element {index!r}", f"the array's shape is {self.shape}")
        number = 0
        for at, side in zip(given, self.shape, strict=True):
            number = number * side + operator.index(at)
        return number

    def _open(self, call: str) -> Any:
        if not self._free.alive:
            self.refuse(call, "the array is closed", "make another one")
        return self._objects if call in {"flush", "progress", "finish", "fence", "explain"} else self._handle


def checkpoint(comm: Any, folder: str) -> None:
    """Write the elements of all arrays of a communicator to a folder that all ranks see. Collective.

    What was written there before stays whole until this is. Fails on all ranks where an async method waits.
    """
    library = library_of(comm, "checkpoint")
    library.run_all("objects_checkpoint", library.handle_of(comm), os.fsencode(folder))


def restore(comm: Any, folder: str) -> None:
    """Make elements what was written, on this number of ranks or another. Collective.

    The program has made the same arrays. Fails on all ranks, and has changed nothing, where a file is not as it was.
    """
    library = library_of(comm, "restore")
    library.run_all("objects_restore", library.handle_of(comm), os.fsencode(folder))
