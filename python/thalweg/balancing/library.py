"""The C interface of balancers (include/thalweg/balance.h) as Python calls it."""

import ctypes
from typing import Any

from thalweg.libraries import balance_library
from thalweg.linked_library import LinkedError, LinkedLibrary, load_for

SCHEMES = {"sweep": 0, "alias": 1}
SPREADS = {"even": 0, "capped": 1}


class BalanceError(LinkedError):
    """What went wrong in a call of a balancer: the whole line for people, and its parts."""


class BalancerOptions(ctypes.Structure):
    """thalweg_balancer_options."""

    _fields_ = (("order", ctypes.POINTER(ctypes.c_int)), ("gathered_ranks", ctypes.c_int))


class BalanceOptions(ctypes.Structure):
    """thalweg_balance_options."""

    _fields_ = (
        ("scheme", ctypes.c_int),
        ("spread", ctypes.c_int),
        ("speed", ctypes.c_double),
        ("threshold", ctypes.c_double),
        ("load_seconds", ctypes.c_double),
        ("steps", ctypes.c_double),
        ("hysteresis", ctypes.c_double),
        ("min_gain_seconds", ctypes.c_double),
    )


class Tasks(ctypes.Structure):
    """thalweg_tasks."""

    _fields_ = (
        ("count", ctypes.c_size_t),
        ("tasks", ctypes.c_void_p),
        ("task_bytes", ctypes.c_size_t),
        ("weights", ctypes.c_void_p),
        ("pack", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
    )


class Moved(ctypes.Structure):
    """thalweg_moved."""

    _fields_ = (
        ("kept", ctypes.c_size_t),
        ("arrived", ctypes.c_size_t),
        ("tasks", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("was_worth", ctypes.c_int),
        ("imbalance", ctypes.c_double),
        ("gain_seconds", ctypes.c_double),
        ("exchange_seconds", ctypes.c_double),
    )


_HANDLE = ctypes.c_void_p
_HANDLES = ctypes.POINTER(_HANDLE)
_ARGUMENTS = {
    "thalweg_balancer_free": (_HANDLES,),
    "thalweg_balance_start": (_HANDLE, ctypes.POINTER(Tasks), ctypes.POINTER(BalanceOptions), _HANDLES),
    "thalweg_balance_kept": (_HANDLE, ctypes.POINTER(ctypes.c_size_t)),
    "thalweg_balance_moved": (_HANDLE, ctypes.POINTER(Moved)),
    "thalweg_request_test": (_HANDLES, ctypes.POINTER(ctypes.c_int)),
    "thalweg_request_wait": (_HANDLES,),
    "thalweg_request_free": (_HANDLES,),
}


class BalanceLibrary(LinkedLibrary):
    """The library with its functions declared."""

    error = BalanceError

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        super().__init__(path, communicator)
        options = ctypes.POINTER(BalancerOptions)
        self.declare({**_ARGUMENTS, "thalweg_balancer_create": (communicator, options, _HANDLES)})


def library_of(communicator: Any) -> BalanceLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    return load_for(communicator, BalanceLibrary, balance_library, "Balancer")
