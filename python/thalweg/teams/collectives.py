# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of a team on arrays of numpy."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg.enumerations import Collective, Sync
from thalweg.teams.calls import Arrays, Call, Nothing, Numbers, Rooted
from thalweg.teams.handle import site
from thalweg.teams.library import mpi4py_module
from thalweg.teams.memory import SymmetricMemory
from thalweg.teams.memory_calls import MemoryCalls

Synchronization = str | tuple[str, str]
"""'mine', 'loose' or 'strict', or how a call synchronizes before and after it: each 'none', 'mine' or 'all'."""

_ENDS = {"none": Sync.NONE, "mine": Sync.MINE, "all": Sync.ALL}
_MODES = {"mine": ("mine", "mine"), "loose": ("none", "none"), "strict": ("all", "all")}
_COMBINED_CODES = "?bhilqBHILQfdgFDG"  # of numpy; MPI has no type for half precision


class Collectives(MemoryCalls[Arrays, Rooted, Numbers, Nothing]):
    """Collectives. Arrays are symmetric memory or any others; `out` is a new array where none is given.

    `sync` states how far a call synchronizes (docs/teams.md). After a call with 'none' at its end, its arrays belong
    to it until barrier() or complete().
    """

    def broadcast(
        self, data: NDArray[Any] | SymmetricMemory, root: int = 0, *, sync: Synchronization = "mine"
    ) -> Arrays:
        """Give the root's array to all ranks, in place."""
        array = self._output("broadcast", data, None, None)
        given: Arrays = self._move("broadcast", None, array, array.nbytes, root, sync)
        return given

    def scatter(
        self,
        data: ArrayLike | None,
        out: NDArray[Any] | SymmetricMemory,
        root: int = 0,
        *,
        sync: Synchronization = "mine",
    ) -> Arrays:
        """Give row r of the root's array to rank r; the other ranks' data is None."""
        mine = self._output("scatter", out, None, None)
        whole = None
        if self.rank == root:
            whole = self._input("scatter", data, mine.dtype, (self.size, *mine.shape))
        given: Arrays = self._move("scatter", whole, mine, mine.nbytes, root, sync)
        return given

    def gather(
        self,
        data: ArrayLike,
        out: NDArray[Any] | SymmetricMemory | None = None,
        root: int = 0,
        *,
        sync: Synchronization = "mine",
    ) -> Rooted:
        """Give the ranks' arrays to the root, row r that of rank r; None on the other ranks."""
        mine = self._input("gather", data, None, None)
        whole = None
        if self.rank == root:
            whole = self._output("gather", out, mine.dtype, (self.size, *mine.shape))
        rooted: Rooted = self._move("gather", mine, whole, mine.nbytes, root, sync)
        return rooted

    def allgather(
        self, data: ArrayLike, out: NDArray[Any] | SymmetricMemory | None = None, *, sync: Synchronization = "mine"
    ) -> Arrays:
        """Do the same, and give it to all ranks."""
        mine = self._input("allgather", data, None, None)
        whole = self._output("allgather", out, mine.dtype, (self.size, *mine.shape))
        given: Arrays = self._move("allgather", mine, whole, mine.nbytes, 0, sync)
        return given

    def alltoall(
        self, data: ArrayLike, out: NDArray[Any] | SymmetricMemory | None = None, *, sync: Synchronization = "mine"
    ) -> Arrays:
        """Give row r of each rank's array to rank r, which gets a row from each rank."""
        rows = self._input("alltoall", data, None, None)
        if rows.shape[:1] != (self.size,):
            self._refuse("alltoall", f"an array of shape {rows.shape}", f"give a row for each of {self.size} ranks")
        whole = self._output("alltoall", out, rows.dtype, rows.shape)
        given: Arrays = self._move("alltoall", rows, whole, rows.nbytes // self.size, 0, sync)
        return given

    def reduce(
        self,
        data: ArrayLike,
        out: NDArray[Any] | SymmetricMemory | None = None,
        op: Any = None,
        root: int = 0,
        *,
        sync: Synchronization = "mine",
    ) -> Rooted:
        """Combine the ranks' arrays on the root, by an operator of mpi4py; MPI.SUM unless one is given."""
        mine = self._input("reduce", data, None, None)
        whole = None
        if self.rank == root:
            whole = self._output("reduce", out, mine.dtype, mine.shape)
        rooted: Rooted = self._combine("reduce", mine, whole, op, root, sync)
        return rooted

    def allreduce(
        self,
        data: ArrayLike,
        out: NDArray[Any] | SymmetricMemory | None = None,
        op: Any = None,
        *,
        sync: Synchronization = "mine",
    ) -> Arrays:
        """Do the same on all ranks. `out` may be the data itself."""
        mine = self._input("allreduce", data, None, None)
        whole = self._output("allreduce", out, mine.dtype, mine.shape)
        given: Arrays = self._combine("allreduce", mine, whole, op, 0, sync)
        return given

    def scan(
        self,
        data: ArrayLike,
        out: NDArray[Any] | SymmetricMemory | None = None,
        op: Any = None,
        *,
        sync: Synchronization = "mine",
    ) -> Arrays:
        """Combine the arrays of the ranks up to this one."""
        mine = self._input("scan", data, None, None)
        whole = self._output("scan", out, mine.dtype, mine.shape)
        given: Arrays = self._combine("scan", mine, whole, op, 0, sync)
        return given

    def _move(  # noqa: PLR0913, PLR0917 (a call has so many)
        self,
        name: str,
        given: NDArray[Any] | None,
        out: NDArray[Any] | None,
        count: int,
        root: int,
        sync: Synchronization,
    ) -> Any:
        mpi = mpi4py_module()
        byte, no_operator = (self._handle.library.handle_of(one).value for one in (mpi.BYTE, mpi.OP_NULL))
        return self._start(name, given, out, sync, root, count=count, type=byte, op=no_operator)

    def _combine(  # noqa: PLR0913, PLR0917 (a call has so many)
        self,
        name: str,
        given: NDArray[Any],
        out: NDArray[Any] | None,
        op: Any,
        root: int,
        sync: Synchronization,
    ) -> Any:
        mpi = mpi4py_module()
        operator = mpi.SUM if op is None else op
        if not isinstance(operator, mpi.Op):
            self._refuse(name, f"{op!r} as the operator", "give one of mpi4py, as MPI.SUM")
        library = self._handle.library
        number = library.handle_of(self._number_type(name, given.dtype)).value
        combined_by = library.handle_of(operator).value
        return self._start(name, given, out, sync, root, keep=operator, count=given.size, type=number, op=combined_by)

    def _start(  # noqa: PLR0913 (a call has so many)
        self,
        name: str,
        given: NDArray[Any] | None,
        out: NDArray[Any] | None,
        sync: Synchronization,
        root: int,
        *,
        keep: object = None,
        **fields: Any,
    ) -> Any:
        ends = _MODES.get(sync, sync) if isinstance(sync, str) else sync
        if not (isinstance(ends, tuple) and len(ends) == 2 and all(end in _ENDS for end in ends)):
            problem = f"{sync!r} as the synchronization"
            self._refuse(name, problem, f"give one of {', '.join(_MODES)}, or two of {', '.join(_ENDS)}")
        before, after = (_ENDS[end] for end in ends)
        file, line = site()
        structure = self._handle.library.collective_call(
            collective=Collective[name.upper()],
            input=_place(given),
            output=_place(out),
            before=before,
            after=after,
            root=self._handle.number(name, "root", root),
            file=file,
            line=line,
            **fields,
        )
        return self._issue(Call(name, "start", structure, (given, out, keep), out, after == Sync.NONE))

    def _input(self, name: str, data: Any, dtype: np.dtype[Any] | None, shape: tuple[int, ...] | None) -> NDArray[Any]:
        if data is None:
            self._refuse(name, "no data", "give an array")
        array = data.array if isinstance(data, SymmetricMemory) else np.asarray(data)
        if array.dtype.hasobject:
            self._refuse(name, f"data of {array.dtype}, which refers to objects of one process", "give plain data")
        if (dtype or array.dtype) != array.dtype or (array.shape if shape is None else shape) != array.shape:
            problem = f"data of {array.dtype} of shape {array.shape}"
            self._refuse(name, problem, f"the call needs {dtype} of shape {shape}")
        return np.ascontiguousarray(array) if array.ndim else array

    def _output(self, name: str, out: Any, dtype: np.dtype[Any] | None, shape: tuple[int, ...] | None) -> NDArray[Any]:
        if out is None and shape is not None:
            return np.empty(shape, dtype)
        array = out.array if isinstance(out, SymmetricMemory) else out
        if not (isinstance(array, np.ndarray) and array.flags.c_contiguous and array.flags.writeable):
            self._refuse(name, f"{type(out).__name__} as the output", "give a writable array without gaps")
        if array.dtype.hasobject:
            self._refuse(name, f"data of {array.dtype}, which refers to objects of one process", "give plain data")
        if (dtype or array.dtype) != array.dtype or (array.shape if shape is None else shape) != array.shape:
            problem = f"an output of {array.dtype} of shape {array.shape}"
            self._refuse(name, problem, f"the call gives {dtype} of shape {shape}")
        return array

    def _number_type(self, name: str, dtype: np.dtype[Any]) -> Any:
        if dtype.char not in _COMBINED_CODES or not dtype.isnative:
            self._refuse(name, f"data of {dtype}", "give numbers that MPI knows, of this machine's byte order")
        return mpi4py_module().Datatype.fromcode(dtype.char)

    def _refuse(self, call: str, problem: str, remedy: str) -> Any:
        self._handle.refuse(call, problem, remedy)


def _place(array: NDArray[Any] | None) -> int | None:
    return None if array is None or array.size == 0 else array.ctypes.data
