# SPDX-License-Identifier: BSD-3-Clause
"""Libraries of C functions over MPI as Python calls them: in the one that fits mpi4py's MPI."""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, TypeVar

from thalweg import prototypes
from thalweg.errors import PROGRAM, ThalwegError
from thalweg.programs.families import FAMILIES, Family, LoadedMpi, loaded_mpi


class RuntimeLibraryError(Exception):
    """What went wrong in a call: the whole line for people, and its parts."""

    def __init__(self, message: str, call: str = "", rank: int = -1, remedy: str = "", status: str = "") -> None:
        """Keep the parts; without a status a value or a call was wrong."""
        super().__init__(message)
        self.call = call
        self.rank = rank
        self.remedy = remedy
        self.status = status or "invalid argument"


class RuntimeLibrary:
    """A library, for one process. Calls let other threads of Python run."""

    error: type[RuntimeLibraryError] = RuntimeLibraryError

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        self._functions = ctypes.CDLL(path)
        self.declare(prototypes.of_status(communicator))
        self._communicator = communicator

    def declare(self, *headers: prototypes.Prototypes) -> None:
        """Say what functions give back, and take."""
        for header in headers:
            for name, (given, taken) in header.items():
                function = getattr(self._functions, name)
                function.restype, function.argtypes = given, taken

    def initialized(self) -> bool:
        """Ask the MPI library that this one calls whether it was initialized."""
        answer = ctypes.c_int()
        self._functions.MPI_Initialized(ctypes.byref(answer))
        return bool(answer.value)

    def handle_of(self, communicator: Any) -> ctypes.c_int | ctypes.c_void_p:
        """Give an mpi4py communicator as C functions take it."""
        address = _mpi4py()._addressof(communicator)  # noqa: SLF001 (documented for C extensions)
        return self._communicator.from_address(address)

    def communicator_of(self, handle: ctypes.c_int | ctypes.c_void_p) -> Any:
        """Give an intracommunicator that a C function has made to mpi4py."""
        made = _mpi4py().Intracomm()
        self._communicator.from_address(_mpi4py()._addressof(made)).value = handle.value  # noqa: SLF001
        return made

    def call(self, name: str, *arguments: Any) -> None:
        """Call thalweg_<name>; raise what it failed with."""
        self.check(self.status_of(name, *arguments))

    def status_of(self, name: str, *arguments: Any) -> int:
        """Call thalweg_<name>; give its status."""
        return int(getattr(self._functions, f"thalweg_{name}")(*arguments))

    def check(self, status: int) -> None:
        """Raise what the last call has failed with, if it has."""
        if status == 0:
            return
        failed = self._functions.thalweg_last_error().contents
        message, call, remedy = (
            bytes(text).decode(errors="replace") for text in (failed.message, failed.call, failed.remedy)
        )
        name = self._functions.thalweg_status_name(status).decode()
        raise self.error(message, call, failed.rank, remedy, name)


class CallbackLibrary(RuntimeLibrary):
    """One whose calls call functions of Python. What the collector drops meanwhile is freed afterwards."""

    free_name: str
    """Of the function that frees what it has made, without thalweg_."""

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        super().__init__(path, communicator)
        self._running = 0
        self._dropped: list[tuple[ctypes.c_void_p, object]] = []

    @property
    def runs(self) -> bool:
        """Whether a call or a function of Python is in progress."""
        return self._running > 0

    def status_of(self, name: str, *arguments: Any) -> int:
        """Call thalweg_<name>; give its status."""
        try:
            with self.running():
                return super().status_of(name, *arguments)
        finally:
            while self._dropped and not self._running:
                self.free(*self._dropped.pop())

    @contextmanager
    def running(self) -> Iterator[None]:
        """Free nothing meanwhile: a call is in progress, or a handler, which may run in an MPI call as well."""
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1

    def free(self, made: ctypes.c_void_p, used: object) -> int:
        """Free what the library has made, `used` by its callbacks; later if a call is in progress. Gives the status."""
        if self.runs:
            self._dropped.append((made, used))
            return 0
        return self.status_of(self.free_name, ctypes.byref(made))


Library = TypeVar("Library", bound=RuntimeLibrary)

_libraries: dict[str, RuntimeLibrary] = {}  # of this process, by the name of their class


def load_for(communicator: object, kind: type[Library], path_for: Callable[[Family], str], user: str) -> Library:
    """Find the library for the MPI that an mpi4py communicator belongs to; `user` is for errors."""
    if "mpi4py.MPI" not in sys.modules or not isinstance(communicator, _mpi4py().Comm):
        message = f"{user}: {communicator!r} is no communicator of mpi4py; give one, as MPI.COMM_WORLD"
        raise kind.error(message, user)
    try:
        library = _libraries.get(kind.__name__) or _load(kind, path_for)
    except ThalwegError as failed:
        raise kind.error(f"{user}: {failed.message}; {failed.remedy}", user, remedy=failed.remedy) from failed
    assert isinstance(library, kind)
    _libraries[kind.__name__] = library
    return library


def _load(kind: type[RuntimeLibrary], path_for: Callable[[Family], str]) -> RuntimeLibrary:
    mpi = _loaded()
    path = path_for(mpi.family)
    handle_bytes = _mpi4py()._sizeof(_mpi4py().Comm)  # noqa: SLF001
    communicator = ctypes.c_int if handle_bytes == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
    try:
        library = kind(path, communicator)
    except OSError as failed:
        raise ThalwegError(PROGRAM, f"{path} cannot be loaded: {failed}", _remedy(mpi)) from failed
    if _mpi4py().Is_initialized() and not library.initialized():
        message = f"mpi4py runs on {mpi.library}, but {path} is linked with another MPI library"
        raise ThalwegError(PROGRAM, message, _remedy(mpi))
    return library


def _mpi4py() -> ModuleType:
    return sys.modules["mpi4py.MPI"]


def _remedy(mpi: LoadedMpi) -> str:
    return f"use an mpi4py of the MPI that Thalweg was built with, or build Thalweg with this {mpi.family.title}"


def _loaded() -> LoadedMpi:
    """Find which MPI mpi4py has loaded, by asking for each that is known without loading it."""
    sonames = [soname for family in FAMILIES for soname in family.sonames if _is_loaded(soname)]
    mpi = loaded_mpi("mpi4py", {soname: soname for soname in sonames})
    if mpi is None:
        titles = ", ".join(family.title for family in FAMILIES)
        raise ThalwegError(PROGRAM, "mpi4py uses an MPI that Thalweg is not built for", f"there are those of {titles}")
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
_PYBUF_READ, _PYBUF_WRITE = 0x100, 0x200


def memory_at(address: int, size: int, *, writable: bool = False) -> memoryview:
    """View memory where it is, to be read only unless it is said to be writable."""
    return _memory_view(address, size, _PYBUF_WRITE if writable else _PYBUF_READ)
