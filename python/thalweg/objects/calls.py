# SPDX-License-Identifier: BSD-3-Clause
"""What calls are made of: an element, all of them, or some, wherever they are."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from thalweg.objects.library import URGENT

if TYPE_CHECKING:
    from thalweg.objects.array import Array
    from thalweg.objects.element import Future


class Calls:
    """Makes the entry methods of a class attributes."""

    def __init__(self, array: "Array[Any]") -> None:
        """Remember the array."""
        self._array = array

    def call(self, method: str, *given: Any) -> Any:
        """Call an entry method by its name. Arguments travel by value; it runs later, where the element is."""
        raise NotImplementedError

    def __getattr__(self, method: str) -> Callable[..., Any]:
        """Give an entry method as a function."""
        if method.startswith("_") or not callable(getattr(self._array.kind, method, None)):
            message = f"{self._array.kind.__qualname__} has no entry method {method!r}"
            raise AttributeError(message)
        return lambda *given: self.call(method, *given)


class Proxy(Calls):
    """An element of an array."""

    def __init__(self, array: "Array[Any]", number: int, flags: int = 0) -> None:
        """Name the element."""
        super().__init__(array)
        self._number = number
        self._flags = flags

    def call(self, method: str, *given: Any) -> None:
        """Call the element."""
        self._array.call(self._number, self._flags, method, given)

    @property
    def ask(self) -> "Question":
        """Call the element, and get its result: `future = array[index].ask.method(arguments)`."""
        return Question(self._array, self._number, self._flags)

    @property
    def urgent(self) -> "Proxy":
        """Its calls run before those that are not urgent."""
        return Proxy(self._array, self._number, URGENT)

    def migrate(self, rank: int) -> None:
        """Move the element, behind what was sent to it before, and when no async method of it waits."""
        self._array.migrate(self._number, rank)

    def rank(self) -> int:
        """Tell where it was, the last time that this rank heard of it."""
        return self._array.rank_of(self._number)


class Question(Proxy):
    """Calls of an element whose results come back."""

    def call(self, method: str, *given: Any) -> "Future":  # type: ignore[override]
        """Call the element; give its result, later."""
        return self._array.ask(self._number, self._flags, method, given)


class Broadcast(Calls):
    """All elements of an array."""

    def call(self, method: str, *given: Any) -> None:
        """Call all elements."""
        self._array.call_all(method, given)


class Section(Calls):
    """Some elements of an array."""

    def __init__(self, array: "Array[Any]", numbers: list[int]) -> None:
        """Name the elements."""
        super().__init__(array)
        self._numbers = numbers

    def call(self, method: str, *given: Any) -> None:
        """Call them, with one message to each rank that has any."""
        self._array.call_some(self._numbers, method, given)

    def __len__(self) -> int:
        """Tell how many they are."""
        return len(self._numbers)


def target_of(of: Proxy | Section) -> "tuple[Array[Any], int | list[int]]":
    """Tell which array's element it names, or which elements: public names are entry methods."""
    return of._array, of._number if isinstance(of, Proxy) else of._numbers  # noqa: SLF001
