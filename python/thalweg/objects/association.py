# SPDX-License-Identifier: BSD-3-Clause
"""Calls of elements in brackets, which travel combined (docs/objects.md)."""

import weakref
from typing import TYPE_CHECKING, Any, Generic

from thalweg.objects.array import Array
from thalweg.objects.calls import Calls, Proxy, Section, target_of
from thalweg.objects.members import E

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing itself from Python 3.11 on


class Association(Generic[E]):
    """A call of the program by an array's elements, with a strategy of its own. Making one is collective.

    In entry methods: `halo.begin()`, then `halo[index].method(arguments)`, or `halo(proxy)` and `halo(section)` for
    elements of other arrays, and `halo.end()`. It ends with close(), with its last reference, or with its array: on all
    ranks between the same calls of finish() or fence().
    """

    def __init__(self, array: Array[E], strategy: str = "auto") -> None:
        """Make it in the main program. `strategy`: direct, mesh, grid, hypercube, stream or auto."""
        self._array = array
        self._number = array.associate(strategy)
        self._end = weakref.finalize(self, array.dissociate, self._number)

    def close(self) -> None:
        """End it. An array may have 32 at a time; what has ended counts until the next finish() or fence()."""
        self._end()

    def __enter__(self) -> "Self":
        """End it at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.close()

    def begin(self) -> None:
        """Begin a bracket of the element whose entry method runs. It may wait before it ends it."""
        self._array.bracket("foreign_begin", self._number)

    def end(self) -> None:
        """End the bracket: calls go when all elements of the rank have."""
        self._array.bracket("foreign_end", self._number)

    def __getitem__(self, index: Any) -> "Bracketed":
        """Give what calls of an element of this array are made of."""
        return self(self._array[index])

    def __call__(self, of: Proxy | Section) -> "Bracketed":
        """Give the same for an element of another array, or for a section."""
        return Bracketed(self._array, self._number, of)


class Bracketed(Calls):
    """Calls of an element or a section in a bracket."""

    def __init__(self, by: Array[Any], association: int, of: Proxy | Section) -> None:
        """Name who calls, in which association, and who is called."""
        array, self._whom = target_of(of)
        super().__init__(array)
        self._by, self._association = by, association

    def call(self, method: str, *given: Any) -> None:
        """Call what was named; it may wait for others' calls."""
        self._by.call_in(self._association, self._array, self._whom, method, given)
