# SPDX-License-Identifier: BSD-3-Clause
"""Symmetric memory as arrays of numpy, and parts of it by numpy's indices."""

import weakref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg.runtime_library import memory_at
from thalweg.teams.handle import Handle


class SymmetricMemory:
    """An array of one shape and dtype on every rank of a team, which Team.allocate() makes.

    `memory[index]` reads and writes this rank's own. Once the memory is released, or the team is freed, it is gone:
    both refuse to go on while the program still has arrays that lie in it.
    """

    def __init__(self, handle: Handle, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        """Take over memory that a team has allocated."""
        self._handle = handle
        self._address: int | None = address
        self._shape = shape
        self._dtype = dtype
        self._arrays: dict[int, NDArray[Any]] = {}

    @property
    def array(self) -> NDArray[Any]:
        """The array of this rank."""
        array = self.of_rank(self._handle.rank)
        assert array is not None
        return array

    def of_rank(self, rank: int) -> NDArray[Any] | None:
        """Give the array of another rank of this node; None where the rank is on another node."""
        self._handle.must_be_open("of_rank")
        if not 0 <= rank < self._handle.size:
            self._handle.refuse("of_rank", f"rank {rank}", f"the team has ranks 0 to {self._handle.size - 1}")
        if rank not in self._arrays:
            address = self._handle.library.reach(self._handle.pointer, self.address("of_rank"), rank)
            if address is None:
                return None
            memory = memory_at(address, self.nbytes, writable=True)
            self._arrays[rank] = np.ndarray(self._shape, self._dtype, buffer=memory)
        return self._arrays[rank][...]

    def address(self, call: str) -> int:
        """Tell where this rank's memory begins, for a call that needs it."""
        if self._address is None:
            self._handle.refuse(call, "the memory was released", "allocate some")
        return self._address

    def must_be_of(self, handle: Handle, call: str) -> None:
        """Fail where a call of another team is given this memory."""
        if handle is not self._handle:
            handle.refuse(call, "the memory of another team", "give what this team has allocated")

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, on every rank."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self._dtype

    @property
    def nbytes(self) -> int:
        """The bytes of the array on each rank."""
        return self._dtype.itemsize * int(np.prod(self._shape, dtype=np.int64))

    def __len__(self) -> int:
        """Give the first extent."""
        return self._shape[0]

    def __getitem__(self, index: Any) -> Any:
        """Read this rank's elements."""
        return self.array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write this rank's elements."""
        self.array[index] = value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001 (numpy's)
        """Be an argument of numpy's functions."""
        return np.array(self.array, dtype) if copy else np.asarray(self.array, dtype)

    def must_be_unused(self, call: str) -> None:
        """Fail where the program has arrays that lie in the memory, and would soon lie nowhere."""
        ranks = list(self._arrays)
        owners = [weakref.ref(self._arrays.pop(rank)) for rank in ranks]
        kept = {rank: array for rank, owner in zip(ranks, owners, strict=True) if (array := owner()) is not None}
        self._arrays = kept
        if kept:
            problem = f"an array of rank {next(iter(kept))}'s memory is still in use"
            self._handle.refuse(call, problem, "delete it before, or keep a copy: array.copy()")

    def end(self) -> None:
        """Take note that the memory is no more."""
        self._address = None


class Signal(NamedTuple):
    """The effect of a put on a word at its rank, once the data is there: words[index] of that rank changes.

    The words are memory of uint64 or int64. `kind` is "set" or "add".
    """

    words: SymmetricMemory
    index: Any
    value: int
    kind: str = "set"


class Part(NamedTuple):
    """Elements of an array as blocks of bytes: `offset` of the first, and `stride` between them, or `places`."""

    shape: tuple[int, ...]
    offset: int
    bytes: int
    blocks: int
    stride: int = 0
    places: NDArray[np.uintp] | None = None


def part_of(memory: SymmetricMemory, index: Any, handle: Handle, call: str) -> Part:
    """Find the elements that memory[index] are, in as few blocks as they have."""
    memory.must_be_of(handle, call)
    memory.address(call)
    whole = memory.array
    try:
        if _is_basic(index):
            indices = index if isinstance(index, tuple) else (index,)
            return _blocks(whole, whole[indices if Ellipsis in indices else (*indices, ...)])
        numbers = np.arange(whole.size).reshape(whole.shape)[index]
    except (IndexError, TypeError, ValueError) as failed:
        handle.refuse(call, f"no part of memory of shape {memory.shape}: {failed}", "give an index that numpy takes")
    places = np.ascontiguousarray(numbers.reshape(-1) * memory.dtype.itemsize, dtype=np.uintp)
    return Part(numbers.shape, 0, memory.dtype.itemsize, len(places), places=places)


def word_of(memory: SymmetricMemory, index: Any, handle: Handle, call: str) -> int:
    """Give the offset of a single element, in bytes."""
    part = part_of(memory, index, handle, call)
    if part.shape != () or part.places is not None:
        handle.refuse(call, f"{index!r} as the place of a word", "give the index of one element")
    return part.offset


def data_for(part: Part, memory: SymmetricMemory, data: ArrayLike, handle: Handle, call: str) -> NDArray[Any]:
    """Give data as a part of memory wants it: of its dtype, as many elements, one after the other."""
    array = np.asarray(data) if isinstance(data, np.ndarray | np.generic) else np.asarray(data, memory.dtype)
    if array.dtype != memory.dtype:
        handle.refuse(call, f"data of {array.dtype}", f"the memory is of {memory.dtype}: convert by astype()")
    try:
        return np.ascontiguousarray(np.broadcast_to(array, part.shape))
    except ValueError:
        handle.refuse(call, f"data of shape {array.shape} for a part of shape {part.shape}", "give as many elements")


def _is_basic(index: Any) -> bool:
    if isinstance(index, tuple):
        return all(not isinstance(one, tuple) and _is_basic(one) for one in index)
    is_number = isinstance(index, int | np.integer) and not isinstance(index, bool | np.bool_)
    return is_number or isinstance(index, slice) or index is Ellipsis


def _blocks(whole: NDArray[Any], view: NDArray[Any]) -> Part:
    offset = view.ctypes.data - whole.ctypes.data if view.size else 0
    extents = [(n, step) for n, step in zip(view.shape, view.strides, strict=True) if n != 1]
    block = whole.dtype.itemsize
    while extents and extents[-1][1] == block:
        block *= extents.pop()[0]
    if view.size == 0:
        return Part(view.shape, 0, 0, 1)
    if not extents:
        return Part(view.shape, offset, block, 1)
    if len(extents) == 1 and extents[0][1] > 0:
        return Part(view.shape, offset, block, extents[0][0], extents[0][1])
    places = np.zeros((), np.int64) + offset
    for n, step in extents:
        places = places[..., np.newaxis] + np.arange(n) * step
    return Part(view.shape, 0, block, places.size, places=np.ascontiguousarray(places.reshape(-1), dtype=np.uintp))
