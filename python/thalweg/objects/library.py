# SPDX-License-Identifier: BSD-3-Clause
"""The C interface of arrays of objects (include/thalweg/objects_foreign.h) as Python calls it."""

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from thalweg import enumerations, prototypes, structures
from thalweg.libraries import objects_library
from thalweg.runtime_library import CallbackLibrary, RuntimeLibraryError, load_for

NOBODY = 0xFFFFFFFF  # THALWEG_OBJECTS_NOBODY
URGENT = 0x8000  # THALWEG_OBJECTS_URGENT
SCHEMES = {one.name.lower(): one.value for one in enumerations.FenceScheme}


class ObjectsError(RuntimeLibraryError):
    """What went wrong in a call of an array: the whole line for people, and its parts.

    Where an entry method has raised, all ranks get one, with the element and the method; on the rank where it did, its
    __cause__ is what was raised.
    """


class FenceOutcome(NamedTuple):
    """What a fence has done, and seen of the time since the one before: thalweg_fence_outcome."""

    left: int
    entered: int
    was_worth: bool
    imbalance: float
    gain_seconds: float
    move_seconds: float


class ObjectsLibrary(CallbackLibrary):
    """The library with its functions declared, for one process."""

    error = ObjectsError
    free_name = "foreign_free"

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        super().__init__(path, communicator)
        self.declare(prototypes.of_objects(communicator), prototypes.of_objects_foreign(communicator))
        self.failure: BaseException | None = None  # that an entry method of this rank has raised
        self.give, self.fail = self._functions.thalweg_foreign_give, self._functions.thalweg_foreign_fail
        self.keep, self.free_kept = self._functions.thalweg_foreign_keep, self._functions.thalweg_foreign_free_kept
        self.rank_of = self._functions.thalweg_foreign_rank_of

    def create(
        self, comm: Any, shape: Sequence[int], name: str, signature: int, functions: structures.ForeignFunctions
    ) -> Any:
        """Make an array of an mpi4py communicator."""
        array = ctypes.c_void_p()
        sides = (ctypes.c_int64 * len(shape))(*shape)
        given = (structures.HEADER_VERSION, self.handle_of(comm), sides, len(shape), name.encode(), signature)
        self.run_all("foreign_create_for", *given, ctypes.byref(functions), ctypes.byref(array))
        return array

    def associate(self, array: Any, strategy: str) -> int:
        """Make an association of an array; give its number there."""
        number = ctypes.c_uint32()
        self.run_all("foreign_associate", array, strategy.encode(), ctypes.byref(number))
        return number.value

    def run_all(self, name: str, *arguments: Any) -> None:
        """Call what runs messages. What an entry method of this rank has raised meanwhile is the failure's cause."""
        self.failure = None
        status = self.status_of(name, *arguments)
        failure, self.failure = self.failure, None
        try:
            self.check(status)
        except ObjectsError as failed:
            raise failed from failure

    def objects_of(self, array: ctypes.c_void_p) -> ctypes.c_void_p:
        """Give the scheduler of an array's communicator."""
        return ctypes.c_void_p(self._functions.thalweg_foreign_objects(array))

    def fence(self, objects: ctypes.c_void_p, options: Sequence[float], scheme: str) -> FenceOutcome:
        """Run all messages, and let elements move."""
        outcome = structures.FenceOutcome()
        given = structures.FenceOptions(*options, SCHEMES[scheme])
        self.run_all("objects_fence", objects, ctypes.byref(given), ctypes.byref(outcome))
        left, entered, was_worth, *seconds = (getattr(outcome, name) for name in FenceOutcome._fields)
        return FenceOutcome(left, entered, bool(was_worth), *seconds)

    def explain(self, objects: ctypes.c_void_p) -> str:
        """Tell what the last fences have decided."""
        return bytes(self._functions.thalweg_objects_explain(objects)).decode()


def library_of(communicator: object, user: str) -> ObjectsLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    return load_for(communicator, ObjectsLibrary, objects_library, user)
