# SPDX-License-Identifier: BSD-3-Clause
"""Elements of arrays, and what they wait for: messages that others leave, results of calls, and of all elements."""

from collections.abc import Callable, Coroutine, Generator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from thalweg.objects.array import Array

T = TypeVar("T")


class Waiting(Generic[T]):
    """What a task waits for: `await` it once."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self.is_ready = False
        self.value: T | None = None
        self.task: Task | None = None

    def __await__(self) -> Generator["Waiting[T]", None, T]:
        """Let others run until it has come."""
        if not self.is_ready:
            yield self
        return self.value  # type: ignore[return-value]

    def come(self, value: T) -> None:
        """It has: who waits goes on, in a message of its own."""
        self.value, self.is_ready = value, True
        if self.task is not None:
            self.task.resume_soon()


class Taken(Waiting[Any]):
    """What an inbox is asked for: it may still come when messages were lost."""


class Future(Waiting[Any]):
    """The result of a call, later: `await` it in an async method, or get() it behind a fence."""

    def get(self) -> Any:
        """Give the result that has come."""
        if not self.is_ready:
            message = "get: a result that has not come; await it in an async method, or call finish() before"
            raise LookupError(message)
        return self.value


class Task:
    """An async method that waits. Its element stays where it is meanwhile."""

    def __init__(self, run: Coroutine[Any, None, Any], name: str, resume: Callable[[], None]) -> None:
        """Run it by step(); `resume` lets that be called later."""
        self.name = name
        self.resume_soon = resume
        self._run = run
        self._waits_for: Waiting[Any] | None = None

    @property
    def is_lost(self) -> bool:
        """Tell whether nothing makes it go on once all messages are lost."""
        return not isinstance(self._waits_for, Taken) or self._waits_for.is_ready

    def close(self) -> None:
        """End it where it waits."""
        self._run.close()

    def step(self) -> tuple[bool, Any]:
        """Go on; tell whether it has ended, and with what."""
        try:
            waiting = self._run.send(None)
        except StopIteration as ended:
            return True, ended.value
        if not isinstance(waiting, Waiting):
            message = f"{self.name} awaits {waiting!r}, and not what arrays give"
            raise TypeError(message)
        waiting.task, self._waits_for = self, waiting
        return False, None


class Inbox:
    """What messages leave for the tasks of an element, by tag; with one tag, in the order in which it came."""

    def __init__(self) -> None:
        """Begin empty."""
        self._values: dict[Any, list[Any]] = {}
        self._takers: dict[Any, list[Waiting[Any]]] = {}

    def put(self, tag: Any, value: Any) -> None:
        """Leave a value for whoever takes it."""
        takers = self._takers.get(tag)
        if takers:
            takers.pop(0).come(value)
            if not takers:
                del self._takers[tag]
        else:
            self._values.setdefault(tag, []).append(value)

    def take(self, tag: Any = 0) -> Waiting[Any]:
        """Await a value: `await inbox.take(tag)`."""
        waiting = Taken()
        values = self._values.get(tag)
        if values:
            waiting.come(values.pop(0))
            if not values:
                del self._values[tag]
        else:
            self._takers.setdefault(tag, []).append(waiting)
        return waiting

    def __len__(self) -> int:
        """Tell how many values nobody has taken."""
        return sum(map(len, self._values.values()))


class Index(int):
    """The index of an element in an array of one dimension: a number, which can be taken apart as others' can."""

    def __getitem__(self, dimension: int) -> int:
        """Give the number in the only dimension."""
        return (int(self),)[dimension]

    def __len__(self) -> int:
        """Tell how many dimensions there are."""
        return 1


class Element:
    """What elements are derived from. Methods whose names begin without _ are entry methods; async ones may wait."""

    _place: "tuple[Array[Any], int]"
    _reductions = 0  # that it has taken part in

    @property
    def array(self) -> "Array[Any]":
        """The array that it is in."""
        return self._place[0]

    @property
    def at(self) -> Any:
        """Its index: a tuple, or a number where the array has one dimension, of which at[0] is the same."""
        array, number = self._place
        return array.index_of(number)

    def move_to(self, rank: int) -> None:
        """Move to another rank, behind what was sent before, and when no async method of this element waits."""
        self._place[0].migrate(self._place[1], rank)

    def reduce(self, value: Any, operation: Any = "sum") -> Waiting[Any]:
        """Await all elements' values made one; all of them do so.

        `operation`: "sum", "min", "max", or a function of two values that all ranks can import.
        """
        waiting = Waiting[Any]()
        self._place[0].contribute(self, value, operation, waiting)
        return waiting

    def contribute(self, method: str, value: Any, operation: Any = "sum") -> None:
        """Give a value, as in reduce(), without waiting: all elements run `method` with the result."""
        self._place[0].contribute(self, value, operation, method)

    def __getstate__(self) -> dict[str, Any]:
        """Give what travels when the element moves: all but its place."""
        return {name: value for name, value in self.__dict__.items() if name != "_place"}
