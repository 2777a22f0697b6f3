"""The C interface of arrays of objects (include/thalweg/objects_foreign.h) as Python calls it."""

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from thalweg.libraries import objects_library
from thalweg.linked_library import CallbackLibrary, LinkedError, load_for

NOBODY = 0xFFFFFFFF  # THALWEG_OBJECTS_NOBODY
URGENT = 0x8000  # THALWEG_OBJECTS_URGENT
SCHEMES = ("sweep", "alias", "refine", "greedy", "near", "stay")


class ObjectsError(LinkedError):
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


_POINTER, _SIZE, _ELEMENT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
Begin = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER)
Make = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _ELEMENT)
Run = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _ELEMENT, ctypes.c_uint32, _POINTER, _SIZE)
Enter = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _ELEMENT, _POINTER, _SIZE)
Leave = ctypes.CFUNCTYPE(None, _POINTER, _ELEMENT)
Combine = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER, _SIZE, _POINTER, _SIZE)


class Functions(ctypes.Structure):
    """thalweg_foreign_functions."""

    _fields_ = (
        ("context", _POINTER),
        ("make", Make),
        ("run", Run),
        ("pack", Make),
        ("enter", Enter),
        ("leave", Leave),
        ("combine", Combine),
        ("reduced", Enter),
        ("begin_anew", Begin),
    )


class Piece(ctypes.Structure):
    """thalweg_piece."""

    _fields_ = (("start", _POINTER), ("size", _SIZE))


class _Options(ctypes.Structure):
    """thalweg_fence_options."""

    _fields_ = (
        ("threshold", ctypes.c_double),
        ("steps", ctypes.c_double),
        ("hysteresis", ctypes.c_double),
        ("min_gain_seconds", ctypes.c_double),
        ("scheme", ctypes.c_int),
    )


class _Outcome(ctypes.Structure):
    """thalweg_fence_outcome."""

    _fields_ = (
        ("left", ctypes.c_uint64),
        ("entered", ctypes.c_uint64),
        ("was_worth", ctypes.c_int),
        ("imbalance", ctypes.c_double),
        ("gain_seconds", ctypes.c_double),
        ("move_seconds", ctypes.c_double),
    )


_HANDLES = ctypes.POINTER(_POINTER)
_PIECES = ctypes.POINTER(Piece)
_ARGUMENTS = {
    "thalweg_foreign_free": (_HANDLES,),
    "thalweg_foreign_objects": (_POINTER,),
    "thalweg_foreign_call": (_POINTER, _ELEMENT, ctypes.c_uint16, _PIECES, _SIZE),
    "thalweg_foreign_broadcast": (_POINTER, _PIECES, _SIZE),
    "thalweg_foreign_section": (_POINTER, _POINTER, _SIZE, _PIECES, _SIZE),
    "thalweg_foreign_associate": (_POINTER, ctypes.c_char_p, ctypes.POINTER(_ELEMENT)),
    "thalweg_foreign_dissociate": (_POINTER, _ELEMENT),
    "thalweg_foreign_begin": (_POINTER, _ELEMENT),
    "thalweg_foreign_end": (_POINTER, _ELEMENT),
    "thalweg_foreign_call_in": (_POINTER, _ELEMENT, _POINTER, _ELEMENT, _PIECES, _SIZE),
    "thalweg_foreign_section_in": (_POINTER, _ELEMENT, _POINTER, _POINTER, _SIZE, _PIECES, _SIZE),
    "thalweg_foreign_send": (_POINTER, ctypes.c_uint32, _PIECES, _SIZE),
    "thalweg_foreign_migrate": (_POINTER, _ELEMENT, ctypes.c_int),
    "thalweg_foreign_rank_of": (_POINTER, _ELEMENT),
    "thalweg_foreign_contribute": (_POINTER, ctypes.c_char_p, _SIZE),
    "thalweg_foreign_hold": (_POINTER, _ELEMENT),
    "thalweg_foreign_release": (_POINTER, _ELEMENT),
    "thalweg_foreign_give": (ctypes.c_char_p, _SIZE),
    "thalweg_foreign_fail": (ctypes.c_char_p,),
    "thalweg_foreign_keep": (_POINTER,),
    "thalweg_foreign_free_kept": (_POINTER,),
    "thalweg_objects_flush": (_POINTER,),
    "thalweg_objects_progress": (_POINTER,),
    "thalweg_objects_finish": (_POINTER,),
    "thalweg_objects_fence": (_POINTER, ctypes.POINTER(_Options), ctypes.POINTER(_Outcome)),
    "thalweg_objects_explain": (_POINTER,),
}


class ObjectsLibrary(CallbackLibrary):
    """The library with its functions declared, for one process."""

    error = ObjectsError
    free_name = "foreign_free"

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        super().__init__(path, communicator)
        self.declare(_ARGUMENTS)
        functions = ctypes.POINTER(Functions)
        create = (communicator, _POINTER, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint64, functions, _HANDLES)
        self.declare({"thalweg_foreign_create": create})
        for name in ("checkpoint", "restore"):
            self.declare({f"thalweg_objects_{name}": (communicator, ctypes.c_char_p)})
        for name in ("give", "fail", "free_kept"):
            getattr(self._functions, f"thalweg_foreign_{name}").restype = None
        for name in ("foreign_objects", "foreign_keep"):
            getattr(self._functions, f"thalweg_{name}").restype = _POINTER
        self._functions.thalweg_objects_explain.restype = ctypes.c_char_p
        self.failure: BaseException | None = None  # that an entry method of this rank has raised
        self.give, self.fail = self._functions.thalweg_foreign_give, self._functions.thalweg_foreign_fail
        self.keep, self.free_kept = self._functions.thalweg_foreign_keep, self._functions.thalweg_foreign_free_kept
        self.rank_of = self._functions.thalweg_foreign_rank_of

    def create(self, comm: Any, shape: Sequence[int], name: str, signature: int, functions: Functions) -> Any:
        """Make an array of an mpi4py communicator."""
        array = ctypes.c_void_p()
        sides = (ctypes.c_int64 * len(shape))(*shape)
        given = (self.handle_of(comm), sides, len(shape), name.encode(), signature)
        self.run_all("foreign_create", *given, ctypes.byref(functions), ctypes.byref(array))
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
        outcome = _Outcome()
        given = _Options(*options, SCHEMES.index(scheme))
        self.run_all("objects_fence", objects, ctypes.byref(given), ctypes.byref(outcome))
        left, entered, was_worth, *seconds = (getattr(outcome, name) for name, _ in _Outcome._fields_)
        return FenceOutcome(left, entered, bool(was_worth), *seconds)

    def explain(self, objects: ctypes.c_void_p) -> str:
        """Tell what the last fences have decided."""
        return bytes(self._functions.thalweg_objects_explain(objects)).decode()


def library_of(communicator: object, user: str) -> ObjectsLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    return load_for(communicator, ObjectsLibrary, objects_library, user)
