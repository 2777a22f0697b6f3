"""The C interface of streams (include/thalweg/stream.h) as Python calls it, in the library that fits mpi4py's MPI."""

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from thalweg.errors import PROGRAM, ThalwegError
from thalweg.libraries import stream_library
from thalweg.programs.families import FAMILIES, LoadedMpi, loaded_mpi


class StreamError(Exception):
    """What went wrong in a call of a stream: the whole line for people, and its parts."""

    def __init__(self, message: str, call: str = "", rank: int = -1, remedy: str = "", status: str = "") -> None:
        """Keep the parts; without a status a value or a call was wrong."""
        super().__init__(message)
        self.call = call
        self.rank = rank
        self.remedy = remedy
        self.status = status or "invalid argument"


class StreamStatistics(NamedTuple):
    """What a rank's end of a stream has done since it was made."""

    buffers_full: int
    buffers_flushed: int
    buffers_waited: int
    buffers_closed: int
    near_bytes: int
    far_bytes: int
    delivered_bytes: int
    waits: int
    waves: int
    phases: int
    max_overflow_bytes: int


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

    _fields_ = tuple((name, ctypes.c_uint64) for name in StreamStatistics._fields)


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

    _fields_ = (("refill", ctypes.c_void_p), ("fail", Fail), ("stream", ctypes.c_void_p))


class LastError(ctypes.Structure):
    """thalweg_error."""

    _fields_ = (
        ("status", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("call", ctypes.c_char_p),
        ("remedy", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
    )


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
    "thalweg_request_test": (_HANDLES, ctypes.POINTER(ctypes.c_int)),
    "thalweg_request_wait": (_HANDLES,),
    "thalweg_request_free": (_HANDLES,),
}


class StreamLibrary:
    """The library with its functions declared, for one process.

    Calls let other threads of Python run. What the collector drops meanwhile, be it in a handler, is freed afterwards.
    """

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        self._functions = ctypes.CDLL(path)
        for name, arguments in _ARGUMENTS.items():
            getattr(self._functions, name).argtypes = arguments
        options, handler = ctypes.POINTER(Options), ctypes.POINTER(Handler)
        self._functions.thalweg_stream_create.argtypes = (communicator, options, handler, _HANDLES)
        self._functions.thalweg_stream_view_of.argtypes = (_HANDLE,)
        self._functions.thalweg_stream_view_of.restype = ctypes.POINTER(View)
        self._functions.thalweg_stream_shape.argtypes = (_HANDLE,)
        self._functions.thalweg_stream_shape.restype = ctypes.c_char_p
        self._functions.thalweg_last_error.restype = ctypes.POINTER(LastError)
        self._functions.thalweg_status_name.restype = ctypes.c_char_p
        self._communicator = communicator
        self._running = 0
        self._dropped: list[tuple[ctypes.c_void_p, object]] = []

    def initialized(self) -> bool:
        """Ask the MPI library that this one calls whether it was initialized."""
        answer = ctypes.c_int()
        self._functions.MPI_Initialized(ctypes.byref(answer))
        return bool(answer.value)

    @property
    def runs(self) -> bool:
        """Whether a call is in progress, as it is in handlers."""
        return self._running > 0

    def call(self, name: str, *arguments: Any) -> None:
        """Call thalweg_<name>; raise what it failed with."""
        self.check(self.status_of(name, *arguments))

    def status_of(self, name: str, *arguments: Any) -> int:
        """Call thalweg_<name>; give its status."""
        self._running += 1
        try:
            return int(getattr(self._functions, f"thalweg_{name}")(*arguments))
        finally:
            self._running -= 1
            while self._dropped and not self._running:
                self.free(*self._dropped.pop())

    def check(self, status: int) -> None:
        """Raise what the last call has failed with, if it has."""
        if status == 0:
            return
        failed = self._functions.thalweg_last_error().contents
        message, call, remedy = (
            bytes(text).decode(errors="replace") for text in (failed.message, failed.call, failed.remedy)
        )
        name = self._functions.thalweg_status_name(status).decode()
        raise StreamError(message, call, failed.rank, remedy, name)

    def create(self, communicator: Any, options: Options, handler: Handler) -> ctypes.c_void_p:
        """Make a stream of an mpi4py communicator."""
        address = _mpi4py()._addressof(communicator)  # noqa: SLF001 (documented for C extensions)
        stream = ctypes.c_void_p()
        handle = self._communicator.from_address(address)
        self.call("stream_create", handle, ctypes.byref(options), ctypes.byref(handler), ctypes.byref(stream))
        return stream

    def free(self, stream: ctypes.c_void_p, used: object) -> int:
        """Free a stream, `used` by its callbacks; later if a call is in progress. Gives the status."""
        if self.runs:
            self._dropped.append((stream, used))
            return 0
        return self.status_of("stream_free", ctypes.byref(stream))

    def view_of(self, stream: ctypes.c_void_p) -> View:
        """Give what a handler needs to fail."""
        view: View = self._functions.thalweg_stream_view_of(stream).contents
        return view

    def shape_of(self, stream: ctypes.c_void_p) -> str:
        """Name the mesh."""
        return bytes(self._functions.thalweg_stream_shape(stream)).decode()


def _mpi4py() -> ModuleType:
    return sys.modules["mpi4py.MPI"]


def library_of(communicator: object) -> StreamLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    if "mpi4py.MPI" not in sys.modules or not isinstance(communicator, _mpi4py().Comm):
        message = f"Stream: {communicator!r} is no communicator of mpi4py; give one, as MPI.COMM_WORLD"
        raise StreamError(message, "Stream")
    try:
        return _library()
    except ThalwegError as failed:
        raise StreamError(f"Stream: {failed.message}; {failed.remedy}", "Stream", remedy=failed.remedy) from failed


@cache
def _library() -> StreamLibrary:
    mpi = _loaded()
    path = stream_library(mpi.family)
    handle_bytes = _mpi4py()._sizeof(_mpi4py().Comm)  # noqa: SLF001
    communicator = ctypes.c_int if handle_bytes == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
    try:
        library = StreamLibrary(path, communicator)
    except OSError as failed:
        raise ThalwegError(PROGRAM, f"{path} cannot be loaded: {failed}", _remedy(mpi)) from failed
    if _mpi4py().Is_initialized() and not library.initialized():
        message = f"mpi4py runs on {mpi.library}, but {path} is linked with another MPI library"
        raise ThalwegError(PROGRAM, message, _remedy(mpi))
    return library


def _remedy(mpi: LoadedMpi) -> str:
    return f"use an mpi4py of the MPI that Thalweg was built with, or build Thalweg with this {mpi.family.title}"


def _loaded() -> LoadedMpi:
    """Find which MPI mpi4py has loaded, by asking for each that is known without loading it."""
    sonames = [soname for family in FAMILIES for soname in family.sonames if _is_loaded(soname)]
    mpi = loaded_mpi("mpi4py", {soname: soname for soname in sonames})
    if mpi is None:
        titles = ", ".join(family.title for family in FAMILIES)
        raise ThalwegError(PROGRAM, "mpi4py uses an MPI that streams are not built for", f"there are those of {titles}")
    return mpi


def _is_loaded(soname: str) -> bool:
    try:
        ctypes.CDLL(soname, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return False
    return True


_memory_view: Callable[[int, int, int], memoryview] = ctypes.pythonapi.PyMemoryView_FromMemory
ctypes.pythonapi.PyMemoryView_FromMemory.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
ctypes.pythonapi.PyMemoryView_FromMemory.restype = ctypes.py_object
_PYBUF_READ = 0x100


def memory_at(address: int, size: int) -> memoryview:
    """View memory where it is, to be read only."""
    return _memory_view(address, size, _PYBUF_READ)
