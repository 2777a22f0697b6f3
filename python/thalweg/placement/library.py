# SPDX-License-Identifier: BSD-3-Clause
"""The C interface of placing (include/thalweg/place.h) as Python calls it."""

import ctypes
from typing import Any

from thalweg import prototypes
from thalweg.libraries import place_library
from thalweg.runtime_library import RuntimeLibrary, RuntimeLibraryError, load_for


class PlaceError(RuntimeLibraryError):
    """What went wrong in a reordering: the whole line for people, and its parts."""


class PlaceLibrary(RuntimeLibrary):
    """The library with its function declared."""

    error = PlaceError

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        super().__init__(path, communicator)
        self.declare(prototypes.of_place(communicator))


def library_of(communicator: Any) -> PlaceLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    return load_for(communicator, PlaceLibrary, place_library, "reorder")
