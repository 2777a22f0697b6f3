# SPDX-License-Identifier: BSD-3-Clause
"""The program that measures, for the MPI that is to be measured: it comes with Thalweg, and needs no compiler.

There is one for each name under which programs ask for their MPI library. One whose library the dynamic linker does not
find by itself gets its folder written into a copy.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from thalweg.errors import INSTALLATION, ThalwegError
from thalweg.launch.mpis import named_mpi
from thalweg.libraries import trial_program_for
from thalweg.programs.elf import loaded_libraries, read_elf
from thalweg.programs.families import LoadedMpi, UnknownMpiError

_ROOM = re.compile(rb"/thalweg-mpi/+")
"""Where the program has the folder of its MPI library."""


def trial_program(mpi: str, environment: Mapping[str, str]) -> str:
    """Give the path of the trial program for an MPI: a family's name, or a prefix, library or launcher."""
    named = named_mpi(mpi, environment)
    for folder in _folders_of(named):
        if program := _in_folder(named, folder, environment):
            return program
    for soname in named.family.sonames:
        program = trial_program_for(soname)
        if _library_of(program, soname, environment):
            return program
    for folder in _folders_in_path(environment):
        if program := _in_folder(named, folder, environment):
            return program
    message = (
        f"no {' or '.join(named.family.sonames)} of {named.family.title} is found by the dynamic linker or near PATH"
    )
    remedy = "install it, load its module, or name its prefix with --mpi"
    raise ThalwegError(INSTALLATION, message, remedy)


def _folders_of(named: LoadedMpi) -> Iterator[str]:
    """Name the folders that the library of an MPI, or the launcher beside which it was looked for, leads to."""
    own = os.path.dirname(os.path.abspath(named.library))
    if own != "/usr/lib":  # where a family's name leads
        yield own
        yield from _library_folders(os.path.dirname(own))


def _folders_in_path(environment: Mapping[str, str]) -> Iterator[str]:
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isfile(os.path.join(folder, "mpiexec")):
            yield from _library_folders(os.path.dirname(os.path.abspath(folder)))


def _library_folders(prefix: str) -> Iterator[str]:
    yield os.path.join(prefix, "lib")
    yield os.path.join(prefix, "lib64")


def _in_folder(named: LoadedMpi, folder: str, environment: Mapping[str, str]) -> str:
    """Give the program for the library in a folder; empty where none of the family's is there."""
    for soname in named.family.sonames:
        library = os.path.join(folder, soname)
        if os.path.exists(library):
            program = trial_program_for(soname)
            found = _library_of(program, soname, environment)
            same = found and os.path.realpath(found) == os.path.realpath(library)
            return program if same else _copy_for(folder, program, environment)
    return ""


def _library_of(program: str, soname: str, environment: Mapping[str, str]) -> str:
    """Say which library the program would load; empty: none."""
    elf = read_elf(program)
    assert elf is not None
    try:
        return loaded_libraries(elf, environment).get(soname, "")
    except UnknownMpiError:
        return ""


def _copy_for(folder: str, program: str, environment: Mapping[str, str]) -> str:
    """Keep a copy of the program that looks for its library in a folder."""
    original = Path(program).read_bytes()
    room = _ROOM.search(original)
    assert room is not None
    wanted = os.fsencode(folder)
    if len(wanted) > len(room[0]):
        message = f"{folder} is a path of {len(wanted)} bytes, of at most {len(room[0])} for an MPI library's folder"
        raise ThalwegError(INSTALLATION, message, "name a shorter path, such as a symbolic link's")
    changed = original[: room.start()] + wanted.ljust(len(room[0]), b"\0") + original[room.end() :]
    kept = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "thalweg"
    path = kept / f"trial-{hashlib.sha256(changed).hexdigest()[:16]}"
    if path.exists():
        return str(path)
    fresh = None
    try:
        kept.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=kept)
        fresh = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(changed)
        fresh.chmod(0o700)
        fresh.replace(path)
    except OSError as error:
        if fresh is not None:
            fresh.unlink(missing_ok=True)
        remedy = "set XDG_CACHE_HOME to a folder that can be written"
        raise ThalwegError(INSTALLATION, f"the trial program cannot be kept in {kept}: {error}", remedy) from error
    return str(path)
