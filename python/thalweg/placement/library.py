"""The C interface of placing (include/thalweg/place.h) as Python calls it."""

import ctypes
from typing import Any

from thalweg.libraries import place_library
from thalweg.linked_library import LinkedError, LinkedLibrary, load_for


class PlaceError(LinkedError):
    """What went wrong in a reordering: the whole line for people, and its parts."""


class Weight(ctypes.Structure):
    """thalweg_weight."""

    _fields_ = (("rank", ctypes.c_int), ("bytes", ctypes.c_double), ("phase", ctypes.c_int))


class ReorderOptions(ctypes.Structure):
    """thalweg_reorder_options."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("objective", ctypes.c_char_p),
        ("seconds", ctypes.c_double),
        ("gain", ctypes.c_double),
        ("network", ctypes.c_char_p),
        ("node_list", ctypes.c_char_p),
    )


class Found(ctypes.Structure):
    """thalweg_reordering."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("is_renumbered", ctypes.c_int),
        ("hops_per_byte", ctypes.c_double),
        ("hops_per_byte_before", ctypes.c_double),
        ("link_bytes", ctypes.c_double),
        ("link_bytes_before", ctypes.c_double),
        ("reason", ctypes.c_char * 160),
    )


class PlaceLibrary(LinkedLibrary):
    """The library with its function declared."""

    error = PlaceError

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        super().__init__(path, communicator)
        weights, options, found = (ctypes.POINTER(kind) for kind in (Weight, ReorderOptions, Found))
        handles = ctypes.POINTER(communicator)
        self.declare({"thalweg_reorder": (communicator, weights, ctypes.c_size_t, options, handles, found)})


def library_of(communicator: Any) -> PlaceLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    return load_for(communicator, PlaceLibrary, place_library, "reorder")
