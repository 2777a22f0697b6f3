# SPDX-License-Identifier: BSD-3-Clause
"""Streams for programs with mpi4py and numpy: many small items to unpredictable ranks, put together on the way.

    with thalweg.Stream(MPI.COMM_WORLD, np.uint64, handler) as samples:
        samples.send(ranks, items)  # item i of an array goes to ranks[i]
        samples.finish()

What streams promise is in docs/streams.md. One thread at a time may use the streams of a process.
"""

import ctypes
import operator
import os
import sys
import traceback
import weakref
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from thalweg import structures
from thalweg.runtime_library import memory_at
from thalweg.stream_library import StreamError, StreamLibrary, StreamStatistics, library_of

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing itself from Python 3.11 on

# Ranks of other types than C's int are converted so many at a time, which stay in a cache.
_CONVERTED_AT_A_TIME = 1 << 16


class Stream:
    """A rank's end of a stream of items of one dtype. Making it and finish() are collective.

    `handler(items)` is called with an array of all items that have arrived together. It is a read-only view of where
    they lie, valid during the call only. Handlers run in send, progress, finish, test and wait of any stream of the
    process, one at a time; they may send.
    """

    def __init__(  # noqa: PLR0913 (options have names)
        self,
        comm: Any,
        dtype: DTypeLike,
        handler: Callable[[NDArray[Any]], object],
        *,
        shape: str = "",
        buffer_bytes: int = 0,
        memory_bytes: int = 0,
        max_pending_items: int = 0,
        max_overflow_bytes: int = 0,
        period_us: int = 0,
    ) -> None:
        """Make a stream; all ranks give the same dtype and options. 0 and "": what Thalweg thinks best."""
        self._library = library_of(comm)
        self._rank, self._size = -1, 0
        self._dtype = self._checked_dtype(dtype)
        if not callable(handler):
            self._refuse("Stream", f"{handler!r} cannot be called", "give a function of an array of items")
        if self._library.runs:
            self._refuse("Stream", "a handler makes a stream", "make it where no handler runs")
        options = structures.StreamOptions(
            item_bytes=self._dtype.itemsize,
            buffer_bytes=self._checked_option("buffer_bytes", buffer_bytes),
            memory_bytes=self._checked_option("memory_bytes", memory_bytes),
            shape=shape.encode() or None,
            max_pending_items=self._checked_option("max_pending_items", max_pending_items),
            max_overflow_bytes=self._checked_option("max_overflow_bytes", max_overflow_bytes),
            period_us=self._checked_option("period_us", period_us, ctypes.c_uint),
        )
        self._handler = handler
        self._failure: BaseException | None = None
        # It holds no reference to this object, or nobody would ever collect that.
        deliver = structures.StreamHandlerDeliver(_receiver(weakref.WeakMethod(self._receive)))
        self._handle = self._library.create(comm, options, structures.StreamHandler(deliver=deliver))
        self._free = weakref.finalize(self, self._library.free, self._handle, deliver)
        self._view = self._library.view_of(self._handle)
        self._library.call("stream_set_name", self._handle, _place_of(sys._getframe(1)).encode())  # noqa: SLF001
        self._rank, self._size = comm.Get_rank(), comm.Get_size()

    def send(self, ranks: SupportsIndex | ArrayLike, items: ArrayLike) -> None:
        """Send item i of an array to ranks[i], or all of them to one rank. They are copied; handlers may be called."""
        handle = self._open("send")
        array = self._checked_items(items)
        numbers = self._checked_ranks(ranks)
        if numbers.ndim == 0:
            self._library.call("stream_send_many_to", handle, int(numbers), len(array), array.ctypes.data)
            return
        if numbers.shape != array.shape[:1]:
            problem = f"ranks of shape {numbers.shape} for {len(array)} items"
            self._refuse("send", problem, "give a rank for each item, or one for all")
        at_a_time = len(numbers) if numbers.dtype == np.intc else _CONVERTED_AT_A_TIME
        for start in range(0, len(numbers), at_a_time or 1):
            some = np.ascontiguousarray(numbers[start : start + at_a_time], dtype=np.intc)
            place = array.ctypes.data + start * self._dtype.itemsize
            self._library.call("stream_send_many", handle, len(some), some.ctypes.data, place)

    def flush(self) -> None:
        """Send what is in buffers."""
        self._library.call("stream_flush", self._open("flush"))

    def progress(self) -> None:
        """Handle what has arrived; for programs that compute long between two sends."""
        self._library.call("stream_progress", self._open("progress"))

    def finish(self) -> None:
        """End the phase: returns when all items of all ranks have been handled, also those that handlers sent.

        Raises what a handler of this rank has raised; StreamError where one of another rank has.
        """
        self._end(self._library.status_of("stream_finish", self._open("finish")))

    def start_finish(self) -> "FinishRequest":
        """Begin to end the phase. Until the request has finished only handlers may send."""
        request = ctypes.c_void_p()
        self._library.call("stream_start_finish", self._open("start_finish"), ctypes.byref(request))
        return FinishRequest(self._library, request, self._open, self._end)

    def statistics(self) -> StreamStatistics:
        """Tell what this rank's end has done since it was made."""
        return self._read("statistics")

    def phase_statistics(self) -> StreamStatistics:
        """Tell what this rank's end has done in the phase that has ended last."""
        return self._read("phase_statistics")

    def _read(self, call: str) -> StreamStatistics:
        done = structures.StreamStatistics()
        self._library.call(f"stream_read_{call}", self._open(call), ctypes.byref(done))
        return StreamStatistics(*(getattr(done, name) for name in StreamStatistics._fields))

    @property
    def shape(self) -> str:
        """The mesh: direct, or its sides, as 4x8."""
        return self._library.shape_of(self._open("shape"))

    @property
    def size(self) -> int:
        """How many ranks the stream has."""
        return self._size

    @property
    def dtype(self) -> np.dtype[Any]:
        """What its items are."""
        return self._dtype

    def close(self) -> None:
        """Free the stream. All ranks have to have finished: items of a phase that has not ended are lost."""
        if self._free.alive and self._library.runs:
            self._refuse("close", "a handler closes a stream", "close it where no handler runs")
        self._library.check(self._free() or 0)

    def __enter__(self) -> "Self":
        """Close the stream at the end of the block, which does not finish it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the stream."""
        self.close()

    def _open(self, call: str) -> ctypes.c_void_p:
        if not self._free.alive:
            self._refuse(call, "the stream is closed", "make another one")
        return self._handle

    def _end(self, status: int) -> None:
        try:
            if self._failure is not None:
                raise self._failure
            self._library.check(status)
        finally:
            self._failure = None

    def _receive(self, address: int, size: int) -> int:
        try:
            with self._library.running():
                self._hand_over(address, size)
        except BaseException as failure:  # noqa: BLE001 (it is raised where the phase ends)
            # Views of items in the handler's frames must not outlive them.
            traceback.clear_frames(failure.__traceback__)
            self._failure = failure
            why = f"{type(failure).__name__}: {failure}".encode(errors="replace")
            return int(self._view.fail(self._view.stream, why))
        return 0

    def _hand_over(self, address: int, size: int) -> None:
        items = np.frombuffer(memory_at(address, size), dtype=self._dtype.base)
        owner = weakref.ref(items)  # the base of every view of it
        if self._dtype.shape:
            items = items.reshape(-1, *self._dtype.shape)
        self._handler(items)
        del items
        if owner() is not None:
            self._refuse(
                "handler", "an array of items is kept, whose memory is used again", "keep a copy: items.copy()"
            )

    def _checked_dtype(self, dtype: DTypeLike) -> np.dtype[Any]:
        checked = np.dtype(dtype)
        if checked.hasobject:
            self._refuse("Stream", f"items of {checked}, which refer to objects of one process", "send plain data")
        if checked.itemsize == 0:
            self._refuse("Stream", f"items of {checked}, which has no size", "give a dtype with one, as S8")
        return checked

    def _checked_option(self, name: str, value: SupportsIndex, kind: type[Any] = ctypes.c_size_t) -> int:
        number = operator.index(value)
        limit = 1 << 8 * ctypes.sizeof(kind)
        if not 0 <= number < limit:
            self._refuse("Stream", f"{name} {number}", f"it is at least 0 and below {limit}")
        return number

    def _checked_items(self, items: ArrayLike) -> NDArray[Any]:
        array = np.asarray(items) if isinstance(items, np.ndarray | np.generic) else np.asarray(items, self._dtype.base)
        if array.dtype != self._dtype.base:
            self._refuse("send", f"items of {array.dtype}", f"the stream's are of {self._dtype}: convert by astype()")
        if array.shape == self._dtype.shape:
            array = array[np.newaxis]  # a single one
        if array.ndim == 0 or array.shape[1:] != self._dtype.shape:
            self._refuse("send", f"items of shape {array.shape}", "give an array of one dimension")
        return np.ascontiguousarray(array)

    def _checked_ranks(self, ranks: SupportsIndex | ArrayLike) -> NDArray[np.integer[Any]]:
        numbers = np.asarray(ranks)
        if numbers.size == 0 and not isinstance(ranks, np.ndarray):
            numbers = numbers.astype(np.intc)
        if numbers.dtype.kind not in "iu":
            self._refuse("send", f"ranks of {numbers.dtype}", "give an integer, or an array of integers")
        # The library looks at C's integers by itself.
        if numbers.dtype != np.intc and numbers.size and not 0 <= numbers.min() <= numbers.max() < self._size:
            bad = numbers[(numbers < 0) | (numbers >= self._size)].flat[0]
            self._refuse("send", f"an item for rank {bad}", f"the stream has ranks 0 to {self._size - 1}")
        return numbers

    def _refuse(self, call: str, problem: str, remedy: str) -> NoReturn:
        where = f"{call} on rank {self._rank} of {self._size}" if self._size else call
        raise StreamError(f"{where}: {problem}; {remedy}", call, self._rank, remedy)


class FinishRequest:
    """A phase that is ending."""

    def __init__(
        self,
        library: StreamLibrary,
        request: ctypes.c_void_p,
        must_be_open: Callable[[str], object],
        end: Callable[[int], None],
    ) -> None:
        """Take over what start_finish has started; the functions are those of its stream."""
        self._library = library
        self._request = request
        self._must_be_open = must_be_open
        self._end = end
        self._forget = weakref.finalize(self, library.status_of, "request_free", ctypes.byref(request))

    def test(self) -> bool:
        """Make progress without waiting. Has the phase ended? Raises as finish() does."""
        finished = ctypes.c_int()
        self._look("test", ctypes.byref(finished))
        return bool(finished.value)

    def wait(self) -> None:
        """Wait until the phase has ended. Raises as finish() does."""
        self._look("wait")

    def _look(self, call: str, *arguments: Any) -> None:
        self._must_be_open(call)
        status = self._library.status_of(f"request_{call}", ctypes.byref(self._request), *arguments)
        if not self._request or status:
            self._end(status)


def _place_of(frame: FrameType) -> str:
    """Name a place as reports do those of compiled programs."""
    code = frame.f_code
    name: str = getattr(code, "co_qualname", code.co_name)  # since 3.11
    return f"{os.path.basename(code.co_filename)}:{frame.f_lineno} ({name.strip('<>')})"


def _receiver(method: "weakref.WeakMethod[Callable[[int, int], int]]") -> Callable[[int | None, int, int], int]:
    def deliver(_context: int | None, items: int, size: int) -> int:
        receive = method()
        return 0 if receive is None else receive(items, size)

    return deliver
