# SPDX-License-Identifier: BSD-3-Clause
"""Find the MPI program in a command line, past wrappers such as `env`, `numactl` and `gdb --args`."""

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thalweg.errors import NOT_EXECUTABLE, NOT_FOUND, PROGRAM, ThalwegError
from thalweg.programs.elf import defined_functions, defines_mpi, loaded_libraries, read_elf
from thalweg.programs.families import LoadedMpi, UnknownMpiError, family_of_library, loaded_mpi
from thalweg.programs.processes import executable
from thalweg.programs.python import is_python, python_mpi

_CONTAINERS = ("apptainer", "singularity", "docker", "podman", "charliecloud", "ch-run", "shifter", "enroot")


# Sanitizers' runtime libraries, which refuse to run behind any other library. One that is linked statically is first.
_SANITIZER = re.compile(r"lib(clang_rt\.)?(asan|hwasan|lsan|tsan)\b.*\.so")


class Program(NamedTuple):
    """A file that a command line starts and the MPI it uses; `script` says that a shell or the like runs it.

    `sanitizer` is the library of one that the program needs, which has to be loaded before all others. `wrappers` are
    libraries that the program is linked with in front of MPI, and that stand in for functions of it, as profilers do.
    """

    path: str
    mpi: LoadedMpi | None
    script: bool
    sanitizer: str = ""
    wrappers: tuple[str, ...] = ()


def executable_path(word: str, environment: Mapping[str, str]) -> str:
    """Find what a shell would start for this word; fails as a shell does (127 not found, 126 not executable)."""
    found = executable(word, environment)
    if found is not None:
        return found
    if os.path.isdir(word):
        raise ThalwegError(NOT_EXECUTABLE, f"{word} is a directory")
    if "/" in word and os.path.exists(word):
        raise ThalwegError(NOT_EXECUTABLE, f"{word} may not be executed", f"chmod +x {word}")
    from shlex import quote  # noqa: PLC0415 - for a mistake alone

    remedy = f"is ./{word} meant?" if os.path.exists(word) else "is its folder in PATH?" if "/" not in word else ""
    raise ThalwegError(NOT_FOUND, f"{quote(word)}: there is no such program", remedy)


def find_program(words: Sequence[str], environment: Mapping[str, str]) -> Program | None:
    """Look through a command line for the first word that is an MPI program; else what its first program is.

    No table of every launcher's and wrapper's options is needed: values such as 8 or core are no MPI programs.
    """
    first: Program | None = None
    for word in words:
        if word.startswith("-") or "=" in word:
            continue
        path = executable(word, environment)
        if path is None:
            continue
        if os.path.basename(path) in _CONTAINERS:
            message = f"{word} starts a container, which does not see Thalweg's libraries of the host"
            raise ThalwegError(
                PROGRAM, message, f"install Thalweg in the image and start: {word} … thalweg run PROGRAM"
            )
        program = inspect_program(path, environment)
        if program.mpi is not None:
            return program
        first = first or program
    return first


def find_if_possible(words: Sequence[str], environment: Mapping[str, str]) -> Program | None:
    """Look for the program where the user has named its MPI: what cannot be found out then is not asked for."""
    try:
        return find_program(words, environment)
    except UnknownMpiError:
        return None


def inspect_program(path: str, environment: Mapping[str, str]) -> Program:
    """Find out which MPI a file uses; fails if it uses one in a way that cannot be interposed."""
    try:
        elf = read_elf(path)
        interpreter = "" if elf else _shebang(path, environment)
    except OSError as error:
        raise UnknownMpiError(
            PROGRAM, f"{path}: cannot be read: {error.strerror}", "Thalweg must see which MPI it uses"
        ) from error
    if elf is None:
        mpi = python_mpi(interpreter, environment) if is_python(interpreter) else None
        return Program(path, mpi, script=True)
    if is_python(path):
        return Program(path, python_mpi(path, environment), script=True)
    if not elf.interpreter:
        if defines_mpi(path):
            message = f"{path} is statically linked, so nothing can be loaded into it"
            raise ThalwegError(PROGRAM, message, "link it with the MPI library's shared form (without -static)")
        return Program(path, None, script=False)
    libraries = loaded_libraries(elf, environment)
    mpi = loaded_mpi(path, libraries)
    sanitizer = next((file for name, file in libraries.items() if _SANITIZER.match(name)), "")
    if mpi is not None and _gains_rights(path):
        message = f"{path} is set-uid (or has file capabilities), so the system ignores LD_PRELOAD for it"
        raise ThalwegError(PROGRAM, message, "run a copy without these rights: cp does not keep them")
    wrappers = _wrappers(libraries, mpi.library) if mpi is not None else ()
    return Program(path, mpi, script=False, sanitizer=sanitizer, wrappers=wrappers)


def _wrappers(libraries: Mapping[str, str], mpi: str) -> tuple[str, ...]:
    """Find the libraries that are searched before MPI's and define functions of it: the program's calls go to them."""
    in_front = itertools.takewhile(lambda path: family_of_library(path) is None, libraries.values())
    candidates = [path for path in in_front if not _SANITIZER.match(os.path.basename(path))]
    defined = {path: names for path in candidates if (names := defined_functions(path, "MPI_"))}
    functions = defined_functions(mpi, "MPI_") if defined else set()
    return tuple(path for path, names in defined.items() if names & functions)


def _gains_rights(path: str) -> bool:
    status = os.stat(path)
    gains_user = bool(status.st_mode & 0o4000) and status.st_uid != os.getuid()
    gains_group = bool(status.st_mode & 0o2000) and status.st_gid != os.getgid()
    try:
        return gains_user or gains_group or "security.capability" in os.listxattr(path)
    except OSError:
        return gains_user or gains_group


def _shebang(path: str, environment: Mapping[str, str]) -> str:
    """Name the interpreter in a script's first line, through `env` if it goes through that; "" if there is none."""
    with open(path, "rb") as file:
        start = file.read(512)
    if not start.startswith(b"#!"):
        return ""
    words = start[2:].split(b"\n", 1)[0].decode(errors="replace").split()
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if not words:
        return ""
    return executable(words[0], environment) or words[0]
