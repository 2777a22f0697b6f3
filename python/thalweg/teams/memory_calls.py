# SPDX-License-Identifier: BSD-3-Clause
"""Puts, gets and atomic operations on the symmetric memory of any rank."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg.enumerations import AtomicKind, SignalKind
from thalweg.structures import TeamAtomic, TeamTransfer
from thalweg.teams.calls import Arrays, Call, Calls, Nothing, Numbers, Rooted
from thalweg.teams.memory import Part, Signal, SymmetricMemory, data_for, part_of, word_of

_SIGNALS = {"set": SignalKind.SET, "add": SignalKind.ADD}
_WORD_BYTES = 8
_ATOMIC_BYTES = (4, 8)


class MemoryCalls(Calls[Arrays, Rooted, Numbers, Nothing]):
    """Calls on the memory of any rank. Only the caller takes part: they are not collective."""

    def put(
        self, memory: SymmetricMemory, rank: int, index: Any, data: ArrayLike, signal: Signal | None = None
    ) -> Nothing:
        """Write memory[index] of a rank, as numpy's assignment does. The data may be changed once this returns.

        A put that was started has landed when its request has finished; the array belongs to it until then.
        """
        part = part_of(memory, index, self._handle, "put")
        array = data_for(part, memory, data, self._handle, "put")
        given = self._transfer("put", memory, rank, part, array)
        if signal is not None:
            self._add_signal(given, signal)
        issued: Nothing = self._issue(Call("put", "put", given, (array, part, memory)))
        return issued

    def get(self, memory: SymmetricMemory, rank: int, index: Any = ..., out: NDArray[Any] | None = None) -> Arrays:
        """Read memory[index] of a rank, into a new array or into `out`."""
        part = part_of(memory, index, self._handle, "get")
        array = np.empty(part.shape, memory.dtype) if out is None else out
        is_fit = isinstance(array, np.ndarray) and array.flags.c_contiguous and array.flags.writeable
        if not is_fit or array.dtype != memory.dtype or array.shape != part.shape:
            problem = f"{_described(out)} as the output for {memory.dtype} of shape {part.shape}"
            self._handle.refuse("get", problem, "give a writable array of this kind without gaps, or none")
        given = self._transfer("get", memory, rank, part, array)
        issued: Arrays = self._issue(Call("get", "get", given, (array, part, memory), array))
        return issued

    def add(self, memory: SymmetricMemory, rank: int, index: Any, value: int) -> Nothing:
        """Add to memory[index] of a rank, a whole number of 4 or 8 bytes."""
        given = self._atomic("add", memory, rank, index, value)
        issued: Nothing = self._issue(Call("add", "update", given, memory))
        return issued

    def fetch_add(self, memory: SymmetricMemory, rank: int, index: Any, value: int) -> Numbers:
        """Do the same, and give the number as it was before."""
        return self._fetch("fetch_add", memory, self._atomic("fetch_add", memory, rank, index, value))

    def swap(self, memory: SymmetricMemory, rank: int, index: Any, value: int) -> Numbers:
        """Replace memory[index] of a rank, and give the number as it was before."""
        given = self._atomic("swap", memory, rank, index, value)
        given.kind = AtomicKind.SWAP
        return self._fetch("swap", memory, given)

    def compare_swap(self, memory: SymmetricMemory, rank: int, index: Any, expected: int, value: int) -> Numbers:
        """Do the same if the number is the expected one."""
        given = self._atomic("compare_swap", memory, rank, index, value)
        given.kind = AtomicKind.COMPARE_SWAP
        given.compare = self._word("compare_swap", memory, expected)
        return self._fetch("compare_swap", memory, given)

    def _fetch(self, name: str, memory: SymmetricMemory, given: TeamAtomic) -> Numbers:
        before = np.empty((), memory.dtype)
        given.result = before.ctypes.data
        issued: Numbers = self._issue(Call(name, "update", given, (memory, before), before))
        return issued

    def _transfer(self, name: str, memory: SymmetricMemory, rank: int, part: Part, array: NDArray[Any]) -> TeamTransfer:
        return TeamTransfer(
            memory=memory.address(name),
            offset=part.offset,
            data=array.ctypes.data,
            bytes=part.bytes,
            blocks=part.blocks,
            memory_stride=part.stride,
            places=None if part.places is None else part.places.ctypes.data,
            rank=self._handle.number(name, "rank", rank),
        )

    def _add_signal(self, given: TeamTransfer, signal: Signal) -> None:
        words, index, value, kind = signal
        offset = word_of(words, index, self._handle, "put")
        if words.dtype.kind not in "iu" or words.dtype.itemsize != _WORD_BYTES:
            self._handle.refuse("put", f"a signal on memory of {words.dtype}", "signals are words of uint64 or int64")
        if kind not in _SIGNALS:
            self._handle.refuse("put", f"a signal of kind {kind!r}", "give 'set' or 'add'")
        given.signal = words.address("put") + offset
        given.value = self._word("put", words, value)
        given.kind = _SIGNALS[kind]

    def _atomic(self, name: str, memory: SymmetricMemory, rank: int, index: Any, value: int) -> TeamAtomic:
        if memory.dtype.kind not in "iu" or memory.dtype.itemsize not in _ATOMIC_BYTES:
            self._handle.refuse(
                name, f"memory of {memory.dtype}", "atomic operations are on whole numbers of 4 or 8 bytes"
            )
        return TeamAtomic(
            offset=word_of(memory, index, self._handle, name),
            memory=memory.address(name),
            bytes=memory.dtype.itemsize,
            value=self._word(name, memory, value),
            rank=self._handle.number(name, "rank", rank),
        )

    def _word(self, name: str, memory: SymmetricMemory, value: int) -> int:
        """Give a number as the library takes words: without sign, in as many bytes."""
        limits = np.iinfo(memory.dtype)
        if not limits.min <= value <= limits.max:
            self._handle.refuse(name, f"the value {value}", f"numbers of {memory.dtype} end at {limits.max}")
        return int(value) % (1 << 8 * memory.dtype.itemsize)


def _described(array: object) -> str:
    if not isinstance(array, np.ndarray):
        return repr(array)
    return f"an array of {array.dtype}, of shape {array.shape},"
