# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong is said, on all ranks that it concerns, and nothing hangs."""

import gc
import re
import sys
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from mpi4py import MPI

import thalweg

COMM = MPI.COMM_WORLD
LAST = COMM.size - 1
HERE = rf"on rank {COMM.rank} of {COMM.size}: "


def failure_of(call: Callable[[], object], kind: type[BaseException] = thalweg.StreamError) -> Any:
    try:
        call()
    except kind as failed:
        return failed
    raise AssertionError(f"no {kind.__name__} was raised")


def require(call: Callable[[], object], text: str, status: str = "invalid argument") -> None:
    failed = failure_of(call)
    assert re.search(text, str(failed)), f"no '{text}' in: {failed}"
    assert failed.status == status, failed.status
    assert failed.remedy in str(failed)


def stream_of(handler: Callable[[np.ndarray], object] = len, dtype: Any = np.int64, **options: Any) -> thalweg.Stream:
    return thalweg.Stream(COMM, dtype, handler, **options)


def bad_ranks() -> None:
    sums = []
    with stream_of(lambda items: sums.append(items.sum())) as stream:
        for rank in (-1, COMM.size, 1 << 20, 1 << 31, -(1 << 40)):
            text = f"^send {HERE}an item for rank {rank}.*; the stream has ranks 0 to {LAST}$"
            require(lambda rank=rank: stream.send(rank, 1), text)
            require(lambda rank=rank: stream.send([0, rank, 0], [1, 1, 1]), text)
            if abs(rank) < 1 << 31:
                require(lambda rank=rank: stream.send(np.array([0, rank], np.intc), [1, 1]), text)
        for ranks, kind in ((1.0, "float64"), ([0.0], "float64"), ("0", "<U1"), ([True], "bool"), (None, "object")):
            require(lambda ranks=ranks: stream.send(ranks, [1]), f"^send {HERE}ranks of {kind}; give an integer")
        require(lambda: stream.send([0, 0], [1]), r"ranks of shape \(2,\) for 1 items; give a rank for each item")
        require(lambda: stream.send([[0]], [1]), r"ranks of shape \(1, 1\) for 1 items")
        stream.finish()
    assert sums == [], "something was sent"


def bad_items() -> None:
    with stream_of() as stream:
        for items in (np.ones(2), np.ones(2, np.int32), np.ones(2, ">i8"), np.uint64(1), np.array(["1"])):
            text = rf"^send {HERE}items of {items.dtype}; the stream's are of int64: convert by astype\(\)$"
            require(lambda items=items: stream.send(0, items), text)
        require(
            lambda: stream.send(0, np.ones((2, 2), int)), r"items of shape \(2, 2\); give an array of one dimension"
        )
        failure_of(lambda: stream.send(0, "one"), ValueError)
        failure_of(lambda: stream.send(0, [1 << 70]), OverflowError)
        stream.finish()
    with stream_of(dtype="(3,)f4") as stream:
        require(lambda: stream.send(0, np.ones(4, "f4")), r"items of shape \(4,\)")
        stream.finish()


def bad_streams() -> None:
    for dtype, text in (
        (object, "object, which refer to objects"),
        ([("a", "i4"), ("b", "O")], "which refer to objects"),
        ("S0", "which has no size"),
        ("(0,)i4", "which has no size"),
    ):
        require(lambda dtype=dtype: stream_of(dtype=dtype), f"^Stream: items of .*{text}")
    failure_of(lambda: stream_of(dtype="nonsense"), TypeError)
    require(lambda: thalweg.Stream(COMM, int, "handler"), "'handler' cannot be called; give a function")
    for comm in (None, "world", MPI, 0x44000000):
        require(lambda comm=comm: thalweg.Stream(comm, int, len), "is no communicator of mpi4py; give one")
    require(lambda: thalweg.Stream(MPI.COMM_NULL, int, len), "^create: the communicator is MPI_COMM_NULL")
    for name in ("buffer_bytes", "memory_bytes", "max_pending_items", "max_overflow_bytes", "period_us"):
        for value in (-1, 1 << 64):
            require(
                lambda name=name, value=value: stream_of(**{name: value}), f"^Stream: {name} {value}; it is at least 0"
            )
        failure_of(lambda name=name: stream_of(**{name: 1.5}), TypeError)
    for shape in ("x", "0", "2x", "1x1x1x1", "direct4"):
        require(lambda shape=shape: stream_of(shape=shape), f"^create: the shape {shape}")
    if COMM.size > 1:
        text = "ranks 0 and 1 make the stream with different options"
        require(lambda: stream_of(buffer_bytes=1024 + 1024 * (COMM.rank > 0)), text, "ranks made different calls")
        require(lambda: stream_of(dtype=np.int64 if COMM.rank else np.int32), text, "ranks made different calls")
        half = COMM.Split(COMM.rank % 2)
        pair = half.Create_intercomm(0, COMM, 1 - COMM.rank % 2)
        require(lambda: thalweg.Stream(pair, int, len), "an intercommunicator has no stream", "unsupported")
        pair.Free()
        half.Free()


def closed_streams() -> None:
    stream = stream_of()
    request = stream.start_finish()
    request.wait()
    assert request.test()
    left = stream.start_finish()
    left.wait()
    stream.close()
    stream.close()
    for call in ("flush", "progress", "finish", "start_finish", "statistics"):
        require(getattr(stream, call), f"^{call} {HERE}the stream is closed; make another one$")
    require(lambda: stream.send(0, 1), "^send .*the stream is closed")
    require(lambda: stream.shape, "^shape .*the stream is closed")
    require(request.test, "^test .*the stream is closed")
    require(left.wait, "^wait .*the stream is closed")


class Unusual(BaseException):
    """No Exception, as KeyboardInterrupt."""


def failing_handlers(shape: str, kind: type[BaseException], end: Callable[[thalweg.Stream], None]) -> None:
    """All ranks learn of it, the failing one gets its own exception, and the next phase works."""
    sums = []
    fails = COMM.rank == LAST
    own = kind("seven is too much: \u2764")

    def handler(items: np.ndarray) -> None:
        if fails and 7 in items:
            raise own
        sums.append(int(items.sum()))

    with stream_of(handler, shape=shape, buffer_bytes=256) as stream:
        items = np.ones(1000, np.int64)
        items[500] = 7
        stream.send(np.arange(1000) % COMM.size, items)
        stream.send(LAST, 7)
        if COMM.rank == LAST:
            assert failure_of(lambda: end(stream), kind) is own
        else:
            text = rf"a handler failed on rank {LAST}: {kind.__name__}: seven is too much: \u2764"
            require(lambda: end(stream), text, "a handler failed")
        fails = False
        sums.clear()
        stream.send(0, 3)
        end(stream)
        assert sum(sums) == (3 * COMM.size if COMM.rank == 0 else 0), sums


def end_by_finish(stream: thalweg.Stream) -> None:
    stream.finish()


def end_by_wait(stream: thalweg.Stream) -> None:
    stream.start_finish().wait()


def end_by_test(stream: thalweg.Stream) -> None:
    request = stream.start_finish()
    while not request.test():
        pass


def kept_items() -> None:
    """An array that outlives the call of the handler would show other items, and later crash."""
    kept = []
    with stream_of(lambda items: kept.append(items[1:])) as stream:
        if COMM.rank == 0:
            stream.send(LAST, [1, 2, 3])
        text = "an array of items is kept, whose memory is used again; keep a copy"
        require(stream.finish, text, "invalid argument" if COMM.rank == LAST else "a handler failed")
        assert len(kept) == (COMM.rank == LAST)
    views = []

    def fails(items: np.ndarray) -> None:
        views.append(weakref.ref(items))
        raise ValueError

    with stream_of(fails) as stream:
        stream.send(COMM.rank, [1, 2, 3])
        # Who learns of another rank's failure before calls no handler any more.
        failed = failure_of(stream.finish, Exception)
    assert isinstance(failed, ValueError if views else thalweg.StreamError), repr(failed)
    assert COMM.allreduce(len(views)) > 0
    assert failed.__traceback__ is not None
    assert all(view() is None for view in views), "the exception's frames refer to the items"


def calls_in_handlers() -> None:
    calls: dict[str, Callable[[thalweg.Stream], object]] = {
        "a handler ends the phase": thalweg.Stream.finish,
        "the phase is ending already": thalweg.Stream.start_finish,
        "a handler closes a stream": thalweg.Stream.close,
        "a handler makes a stream": lambda _: stream_of(),
    }
    for text, call in calls.items():
        self = SimpleNamespace()
        with stream_of(lambda _, call=call, self=self: call(self.stream)) as self.stream:
            if COMM.rank == 0:
                self.stream.send(0, 1)
            status = "invalid argument" if COMM.rank == 0 else "a handler failed"
            require(self.stream.finish, text, status)
            self.stream.finish()


def sends_while_the_phase_ends() -> None:
    with stream_of() as stream:
        request = stream.start_finish()
        require(lambda: stream.send(0, 1), "an item is sent while the phase ends; send after its request has finished")
        require(stream.start_finish, "the phase is ending already")
        request.wait()
        stream.send(0, 1)
        stream.finish()


def too_much_from_handlers() -> None:
    """Each item leads to two."""
    self = SimpleNamespace()

    def handler(items: np.ndarray) -> None:
        self.stream.send((items + 1) % COMM.size, items + 1)
        self.stream.send((items + 2) % COMM.size, items + 1)

    with stream_of(handler, buffer_bytes=256, max_overflow_bytes=1 << 20) as self.stream:
        self.stream.send(0, 0)
        failed = failure_of(self.stream.finish)
        assert "wait for slots" in str(failed), failed
        assert failed.status in ("out of memory", "a handler failed"), failed.status


def dropped_streams() -> None:
    """The collector frees them, also in the midst of a handler and of a cycle."""

    def cyclic() -> weakref.ref:
        self = SimpleNamespace()
        self.stream = stream_of(lambda items: self.stream.send(0, items))
        self.stream.finish()
        return weakref.ref(self.stream)

    dropped = cyclic()
    gc.collect()
    assert dropped() is None
    drops = [stream_of(), stream_of()]

    def handler(_items: np.ndarray) -> None:
        drops.clear()

    with stream_of(handler) as stream, stream_of() as another:
        stream.send(0, 1)
        stream.finish()
        another.finish()
        assert len(drops) == (0 if COMM.rank == 0 else 2)
    with stream_of() as stream:
        stream.start_finish()  # a request that nobody asks
        gc.collect()
        stream.finish()


def leave_open_at_the_end() -> None:
    """The interpreter frees what the program did not, before mpi4py ends MPI."""
    left = stream_of()
    left.left = left
    left.send(0, [1, 2, 3])
    left.finish()
    sys.modules["left"] = left


def main() -> None:
    bad_ranks()
    bad_items()
    bad_streams()
    closed_streams()
    for shape in ("direct", *(["2x2"] if COMM.size == 4 else [])):
        for kind in (ValueError, Unusual, KeyboardInterrupt, SystemExit):
            for end in (end_by_finish, end_by_wait, end_by_test):
                failing_handlers(shape, kind, end)
    kept_items()
    calls_in_handlers()
    sends_while_the_phase_ends()
    too_much_from_handlers()
    dropped_streams()
    leave_open_at_the_end()
    print("all right")


if __name__ == "__main__":
    main()
