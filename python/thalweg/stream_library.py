"""The C interface of streams (include/thalweg/stream.h) as Python calls it, in the library that fits mpi4py's MPI."""

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

from thalweg.libraries import stream_library
from thalweg.linked_library import CallbackLibrary, LinkedError, load_for


class StreamError(LinkedError):
    """What went wrong in a call of a stream: the whole line for people, and its parts."""


class StreamStatistics(NamedTuple):
    """What a rank's end of a stream has done: see thalweg_stream_statistics in include/thalweg/stream.h."""

    buffers_full: int
    buffers_flushed: int
    buffers_waited: int
    buffers_closed: int
    near_bytes: int
    far_bytes: int
    buffer_bytes: int
    far_messages: int
    hops: int
    delivered_bytes: int
    delivered_items: int
    waits: int
    waited_ns: int
    finish_ns: int
    duration_ns: int
    waves: int
    phases: int
    max_overflow_bytes: int
    max_memory_bytes: int

    @property
    def fill(self) -> float:
        """Give the share of what buffers could have held that was in them when they were sent; 0 where none was."""
        return (self.near_bytes + self.far_bytes) / max(self.buffer_bytes, 1)


class Options(ctypes.Structure):
    """thalweg_stream_options."""

    _fields_ = (
        ("item_bytes", ctypes.c_size_t),
        ("buffer_bytes", ctypes.c_size_t),
        ("memory_bytes", ctypes.c_size_t),
        ("shape", ctypes.c_char_p),
        ("max_pending_items", ctypes.c_size_t),
        ("max_overflow_bytes", ctypes.c_size_t),
        ("period_us", ctypes.c_uint),
    )


class Statistics(ctypes.Structure):
    """thalweg_stream_statistics."""

    _fields_ = (("size", ctypes.c_size_t), *((name, ctypes.c_uint64) for name in StreamStatistics._fields))


Deliver = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
Fail = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)


class Handler(ctypes.Structure):
    """thalweg_stream_handler; without a function to forward items, the library does that."""

    _fields_ = (
        ("context", ctypes.c_void_p),
        ("deliver", Deliver),
        ("forward", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("resend", ctypes.c_void_p),
    )


class View(ctypes.Structure):
    """The first fields of thalweg_stream_view."""

    _fields_ = (("refill", ctypes.c_void_p), ("fail", Fail), ("hurry", ctypes.c_void_p), ("stream", ctypes.c_void_p))


_HANDLE = ctypes.c_void_p
_HANDLES = ctypes.POINTER(_HANDLE)
_COUNT = ctypes.c_size_t
_ARGUMENTS = {
    "thalweg_stream_free": (_HANDLES,),
    "thalweg_stream_send_many": (_HANDLE, _COUNT, ctypes.c_void_p, ctypes.c_void_p),
    "thalweg_stream_send_many_to": (_HANDLE, ctypes.c_int, _COUNT, ctypes.c_void_p),
    "thalweg_stream_flush": (_HANDLE,),
    "thalweg_stream_progress": (_HANDLE,),
    "thalweg_stream_finish": (_HANDLE,),
    "thalweg_stream_start_finish": (_HANDLE, _HANDLES),
    "thalweg_stream_read_statistics": (_HANDLE, ctypes.POINTER(Statistics)),
    "thalweg_stream_read_phase_statistics": (_HANDLE, ctypes.POINTER(Statistics)),
    "thalweg_stream_set_name": (_HANDLE, ctypes.c_char_p),
    "thalweg_request_test": (_HANDLES, ctypes.POINTER(ctypes.c_int)),
    "thalweg_request_wait": (_HANDLES,),
    "thalweg_request_free": (_HANDLES,),
}


class StreamLibrary(CallbackLibrary):
    """The library with its functions declared, for one process."""

    error = StreamError
    free_name = "stream_free"

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        super().__init__(path, communicator)
        self.declare(_ARGUMENTS)
        options, handler = ctypes.POINTER(Options), ctypes.POINTER(Handler)
        self._functions.thalweg_stream_create.argtypes = (communicator, options, handler, _HANDLES)
        self._functions.thalweg_stream_view_of.argtypes = (_HANDLE,)
        self._functions.thalweg_stream_view_of.restype = ctypes.POINTER(View)
        self._functions.thalweg_stream_shape.argtypes = (_HANDLE,)
        self._functions.thalweg_stream_shape.restype = ctypes.c_char_p

    def create(self, communicator: Any, options: Options, handler: Handler) -> ctypes.c_void_p:
        """Make a stream of an mpi4py communicator."""
        stream = ctypes.c_void_p()
        handle = self.handle_of(communicator)
        self.call("stream_create", handle, ctypes.byref(options), ctypes.byref(handler), ctypes.byref(stream))
        return stream

    def view_of(self, stream: ctypes.c_void_p) -> View:
        """Give what a handler needs to fail."""
        view: View = self._functions.thalweg_stream_view_of(stream).contents
        return view

    def shape_of(self, stream: ctypes.c_void_p) -> str:
        """Name the mesh."""
        return bytes(self._functions.thalweg_stream_shape(stream)).decode()


def library_of(communicator: object) -> StreamLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    return load_for(communicator, StreamLibrary, stream_library, "Stream")


_memory_view: Callable[[int, int, int], memoryview] = ctypes.pythonapi.PyMemoryView_FromMemory
ctypes.pythonapi.PyMemoryView_FromMemory.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
ctypes.pythonapi.PyMemoryView_FromMemory.restype = ctypes.py_object
_PYBUF_READ = 0x100


def memory_at(address: int, size: int) -> memoryview:
    """View memory where it is, to be read only."""
    return _memory_view(address, size, _PYBUF_READ)
