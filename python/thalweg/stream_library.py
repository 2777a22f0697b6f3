# SPDX-License-Identifier: BSD-3-Clause
"""The C interface of streams (include/thalweg/stream.h) as Python calls it, in the library that fits mpi4py's MPI."""

import ctypes
from typing import Any, NamedTuple

from thalweg import prototypes, structures
from thalweg.libraries import stream_library
from thalweg.runtime_library import CallbackLibrary, RuntimeLibraryError, load_for


class StreamError(RuntimeLibraryError):
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


class StreamLibrary(CallbackLibrary):
    """The library with its functions declared, for one process."""

    error = StreamError
    free_name = "stream_free"

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        super().__init__(path, communicator)
        self.declare(prototypes.of_request(communicator), prototypes.of_stream(communicator))

    def create(
        self, communicator: Any, options: structures.StreamOptions, handler: structures.StreamHandler
    ) -> ctypes.c_void_p:
        """Make a stream of an mpi4py communicator."""
        stream = ctypes.c_void_p()
        made_of = (self.handle_of(communicator), ctypes.byref(options), ctypes.byref(handler))
        self.call("stream_create_for", structures.HEADER_VERSION, *made_of, ctypes.byref(stream))
        return stream

    def view_of(self, stream: ctypes.c_void_p) -> structures.StreamView:
        """Give what a handler needs to fail."""
        view: structures.StreamView = self._functions.thalweg_stream_view_of(stream).contents
        return view

    def shape_of(self, stream: ctypes.c_void_p) -> str:
        """Name the mesh."""
        return bytes(self._functions.thalweg_stream_shape(stream)).decode()


def library_of(communicator: object) -> StreamLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    return load_for(communicator, StreamLibrary, stream_library, "Stream")
