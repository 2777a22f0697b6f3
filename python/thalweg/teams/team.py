# SPDX-License-Identifier: BSD-3-Clause
"""Teams for programs with mpi4py and numpy: symmetric memory, puts and gets, and collectives.

    with thalweg.Team(MPI.COMM_WORLD) as team:
        halo = team.allocate(100)                  # 100 numbers on every rank, zeros
        team.put(halo, right, np.s_[:10], edge)    # halo[:10] = edge, of another rank
        total = team.allreduce(mine)

What teams promise is in docs/teams.md. One thread at a time may use a team.
"""

import ctypes
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from thalweg.enumerations import Collective, Condition
from thalweg.structures import Received
from thalweg.teams.calls import Call
from thalweg.teams.collectives import Collectives
from thalweg.teams.handle import Handle
from thalweg.teams.library import library_of
from thalweg.teams.memory import SymmetricMemory, word_of
from thalweg.teams.requests import Request

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing itself from Python 3.11 on

_CONDITIONS = {
    "equal": Condition.EQUAL,
    "not_equal": Condition.NOT_EQUAL,
    "greater_equal": Condition.GREATER_EQUAL,
    "less_equal": Condition.LESS_EQUAL,
}
_WORD_BYTES = 8


class ReceivedMessage(NamedTuple):
    """The message that a receive got."""

    source: int
    tag: int
    bytes: int


class Starter(Collectives[Request[NDArray[Any]], Request["NDArray[Any] | None"], Request[int], Request[None]]):
    """The calls of a team, which return at once with a request. Team.start() gives it."""

    def barrier(self) -> Request[None]:
        """Begin a barrier."""
        request = ctypes.c_void_p()
        self._handle.call("barrier", "barrier", ctypes.byref(request))
        return Request(self._handle, request, None, None)

    def _issue(self, call: Call) -> Any:
        request = ctypes.c_void_p()
        self._made(call, ctypes.byref(request))
        if call.outlives:
            self._handle.hold(call.buffers)
        if call.function == "update" and call.result is not None:
            return WordRequest(self._handle, request, call.buffers, call.result)
        return Request(self._handle, request, call.buffers, call.result)


class WordRequest(Request[Any]):
    """The request of an atomic operation that gives a number."""

    def wait(self) -> Any:
        """Wait until the operation has finished, and give the number."""
        return int(super().wait())


class Team(Collectives[NDArray[Any], "NDArray[Any] | None", int, None]):
    """Ranks of an MPI program that share memory and make collectives on it.

    Making it is collective, and so are the calls that say so. A team is a context: at the end of its block free() is
    called, unless the block has failed, as then other ranks may not come.
    """

    def __init__(self, comm: Any) -> None:
        """Make the team of a communicator's ranks, in its order. The communicator is duplicated."""
        library = library_of(comm)
        super().__init__(Handle(library, library.create(comm)))

    def free(self) -> None:
        """Collective. Wait for calls that were started, and end the team with its memory."""
        if not self._handle.pointer:
            return
        self.complete()  # so that no call under way uses memory
        for memory in self._handle.memories:
            memory.must_be_unused("free")
        self._handle.library.call("team_free", ctypes.byref(self._handle.pointer))
        for memory in self._handle.memories:
            memory.end()
        self._handle.memories.clear()
        self._handle.let_all_go()

    def __enter__(self) -> "Self":
        """Free the team at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Free the team, unless the block has failed."""
        if kind is None:
            self.free()

    def start(self) -> Starter:
        """Give the same calls, which return at once: team.start().allreduce(mine)."""
        return Starter(self._handle)

    def split(self, color: int, key: int = 0) -> "Team | None":
        """Collective. One team for each color, its ranks by key; None for a negative color."""
        return self._part(
            "split", self._handle.number("split", "color", color), self._handle.number("split", "key", key)
        )

    def row(self, columns: int) -> "Team":
        """Collective. This rank's row, where ranks stand in rows of `columns`."""
        part = self.split(self.rank // self._columns("row", columns), self.rank)
        assert part is not None
        return part

    def column(self, columns: int) -> "Team":
        """Collective. This rank's column, where ranks stand in rows of `columns`."""
        part = self.split(self.rank % self._columns("column", columns), self.rank)
        assert part is not None
        return part

    def subset(self, ranks: Sequence[int]) -> "Team | None":
        """Collective. The ranks that are listed, in that order; None on the others."""
        listed = np.ascontiguousarray(ranks, dtype=np.intc)
        return self._part("subset", listed.size, listed.ctypes.data)

    def of_blocks(self, owners: Sequence[int]) -> "Team | None":
        """Collective. The ranks that own blocks of a distributed array, owners[b] that of block b."""
        listed = np.ascontiguousarray(owners, dtype=np.intc)
        return self._part("of_blocks", listed.size, listed.ctypes.data)

    def use(self, selections: str) -> None:
        """Collective. Say which strategies run from now on, as THALWEG_USE does."""
        self._handle.call("use", "use", selections.encode())

    def strategy(self, collective: str, unit_bytes: int) -> str:
        """Name the strategy that runs for units of so many bytes, and who chose it."""
        if collective.upper() not in Collective.__members__:
            known = ", ".join(name.lower() for name in Collective.__members__)
            self._handle.refuse("strategy", f"no collective {collective!r}", f"there are {known}")
        self._handle.must_be_open("strategy")
        return self._handle.library.text(
            "team_strategy", self._handle.pointer, Collective[collective.upper()], unit_bytes
        )

    def allocate(self, shape: int | tuple[int, ...], dtype: DTypeLike = np.float64) -> SymmetricMemory:
        """Collective. Give an array on every rank, of the same shape on all, with zeros."""
        checked = np.dtype(dtype)
        extents = shape if isinstance(shape, tuple) else (shape,)
        if checked.hasobject or checked.itemsize == 0:
            self._handle.refuse("allocate", f"memory of {checked}", "give a dtype of plain data with a size")
        if any(extent < 0 for extent in extents):
            self._handle.refuse("allocate", f"the shape {extents}", "extents are at least 0")
        count = 1
        for extent in extents:
            count *= int(extent)
        address = ctypes.c_void_p()
        self._handle.call("allocate", "allocate", count * checked.itemsize, ctypes.byref(address))
        memory = SymmetricMemory(self._handle, address.value or 0, extents, checked)
        self._handle.memories.append(memory)
        return memory

    def release(self, memory: SymmetricMemory) -> None:
        """Collective. Give memory back, once no array lies in it."""
        memory.must_be_of(self._handle, "release")
        address = memory.address("release")
        memory.must_be_unused("release")
        self._handle.call("release", "release", address)
        memory.end()
        self._handle.memories.remove(memory)

    def barrier(self) -> None:
        """Collective. Wait until all ranks have come, and all that they have started has finished."""
        self._handle.call("barrier", "barrier", None)
        self._handle.let_all_go()

    def complete(self) -> None:
        """Wait until all that this rank has started has finished here; other ranks have to take part."""
        self._handle.call("complete", "complete")
        self._handle.let_all_go()

    def wait(self, words: SymmetricMemory, index: Any, value: int, condition: str = "equal") -> int:
        """Wait until words[index] of this rank meets the condition, and give the number as it was then.

        The words are of uint64, or of int64 without negative numbers. `condition` is "equal", "not_equal",
        "greater_equal" or "less_equal".
        """
        if words.dtype.kind not in "iu" or words.dtype.itemsize != _WORD_BYTES:
            self._handle.refuse("wait", f"memory of {words.dtype}", "words of uint64 or int64 are waited for")
        if condition not in _CONDITIONS:
            self._handle.refuse("wait", f"the condition {condition!r}", f"there are {', '.join(_CONDITIONS)}")
        found = ctypes.c_uint64()
        word = words.address("wait") + word_of(words, index, self._handle, "wait")
        given = self._word("wait", words, value)
        self._handle.call("wait", "wait", word, _CONDITIONS[condition], given, ctypes.byref(found))
        return int(np.uint64(found.value).astype(words.dtype))

    def fence(self) -> None:
        """Order puts and atomic operations: later ones land later at their rank."""
        self._handle.call("fence", "fence")

    def quiet(self) -> None:
        """Wait until all puts and atomic operations have landed, and all gets have finished."""
        self._handle.call("quiet", "quiet")

    def progress(self) -> None:
        """Take in the puts of others, without waiting."""
        self._handle.call("progress", "progress")

    def open_inboxes(self) -> None:
        """Collective, before the first message."""
        self._handle.call("open_inboxes", "open_inboxes")

    def inboxes(self) -> str:
        """Tell who matches messages: the devices, or the library and why."""
        self._handle.must_be_open("inboxes")
        return self._handle.library.text("team_inboxes", self._handle.pointer)

    def send(self, data: NDArray[Any] | SymmetricMemory, to: int, tag: int = 0) -> None:
        """Send an array to a rank, once inboxes are open."""
        array = self._input("send", data, None, None)
        numbers = (self._handle.number("send", "rank", to), self._handle.number("send", "tag", tag))
        self._handle.call("send", "send", *numbers, array.ctypes.data, array.nbytes)

    def receive(self, out: NDArray[Any] | SymmetricMemory, source: int = -1, tag: int = -1) -> ReceivedMessage:
        """Wait for a message into an array; -1: from anybody, with any tag. A longer message is lost, and an error."""
        array = self._output("receive", out, None, None)
        got = Received()
        numbers = (self._handle.number("receive", "rank", source), self._handle.number("receive", "tag", tag))
        self._handle.call("receive", "receive", *numbers, array.ctypes.data, array.nbytes, ctypes.byref(got))
        return ReceivedMessage(got.from_, got.tag, got.bytes)

    def _issue(self, call: Call) -> Any:
        self._made(call, None)
        if call.outlives:
            self._handle.hold(call.buffers)
        return int(call.result) if call.function == "update" and call.result is not None else call.result

    def _part(self, name: str, *arguments: Any) -> "Team | None":
        pointer = ctypes.c_void_p()
        self._handle.call(name, name, *arguments, ctypes.byref(pointer))
        if not pointer:
            return None
        part = Team.__new__(Team)
        super(Team, part).__init__(Handle(self._handle.library, pointer))
        return part

    def _columns(self, name: str, columns: int) -> int:
        if columns < 1:
            self._handle.refuse(name, f"rows of {columns} columns", "give at least 1")
        return columns
