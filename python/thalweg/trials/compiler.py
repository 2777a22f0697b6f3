# SPDX-License-Identifier: BSD-3-Clause
"""Programs compiled with the compiler of the MPI that is to be measured, once for each."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from thalweg.errors import INSTALLATION, ThalwegError
from thalweg.launch.mpis import named_mpi
from thalweg.libraries import find_library, library_folders
from thalweg.programs.families import LoadedMpi

_NEEDED_BYTES = 1 << 21
"""Of the program, and of what compilers keep on their way to it."""


def library_options(library: str, mpi: str, environment: Mapping[str, str]) -> list[str]:
    """Give what a program on teams or streams (thalweg/team.h, stream.h) is compiled with for an MPI."""
    family = named_mpi(mpi, environment).family
    name = f"libthalweg-{library}-{family.name}.so"
    if path := find_library(name):
        folder = os.path.dirname(path)
        return [f"-I{os.path.dirname(folder)}/include", path, f"-Wl,-rpath,{folder}"]
    message = f"{name} is missing in {' and '.join(library_folders())}"
    raise ThalwegError(INSTALLATION, message, "build Thalweg with that MPI installed: make build")


def compiled_program(
    name: str, files: Sequence[Path], mpi: str, environment: Mapping[str, str], options: Sequence[str] = ()
) -> str:
    """Compile C or C++ files with an MPI's compiler, unless that was done before; gives the program's path."""
    is_cpp = any(file.suffix == ".cpp" for file in files)
    compiler = compiler_of(named_mpi(mpi, environment), environment, "mpicxx" if is_cpp else "mpicc")
    key = hashlib.sha256(
        b"".join(file.read_bytes() for file in files)
        + os.fsencode(os.path.realpath(compiler) + compiler + " ".join(options))
    ).hexdigest()[:16]
    folder = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "thalweg"
    program = folder / f"{name}-{key}"
    if program.exists():
        return str(program)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=folder)
        os.close(handle)
    except OSError as error:
        remedy = "set XDG_CACHE_HOME to a folder that can be written"
        raise ThalwegError(INSTALLATION, f"the {name} program cannot be kept in {folder}: {error}", remedy) from error
    sources = [str(file) for file in files if file.suffix in (".c", ".cpp")]
    command = [
        compiler,
        "-O2",
        *(["-std=c++20"] if is_cpp else []),
        "-o",
        fresh,
        *sources,
        *options,
        f"-Wl,-rpath,{Path(compiler).parents[1] / 'lib'}",
        "-ldl",
    ]
    # Intel's wrapper does not look where it stands.
    variables = {**environment, "I_MPI_ROOT": str(Path(compiler).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    if done.returncode:
        Path(fresh).unlink(missing_ok=True)  # compilers take it away where the disk is full
        for place in (str(folder), environment.get("TMPDIR") or "/tmp"):  # noqa: S108 - as compilers do
            if os.path.isdir(place) and shutil.disk_usage(place).free < _NEEDED_BYTES:
                remedy = "free some space there, or set XDG_CACHE_HOME and TMPDIR to folders elsewhere"
                raise ThalwegError(INSTALLATION, f"the {name} program cannot be compiled: {place} is full", remedy)
        message = f"the {name} program does not compile: {' '.join(command)}\n{done.stderr}"
        raise ThalwegError(INSTALLATION, message, "is the MPI whole, with its headers and a C compiler?")
    os.chmod(fresh, 0o700)
    os.replace(fresh, program)
    return str(program)


def compiler_of(mpi: LoadedMpi, environment: Mapping[str, str], wrapper: str = "mpicc") -> str:
    """Find the MPI's compiler wrapper: in bin/ of the nearest folder above its library, else in PATH."""
    suffix = {"openmpi": ".openmpi", "mpich": ".mpich"}.get(mpi.family.name, "_abi")
    folders = [str(folder / "bin") for folder in Path(os.path.abspath(mpi.library)).parents]
    for folder in (*folders, environment.get("PATH", os.defpath)):
        for name in (f"{wrapper}{suffix}", wrapper):
            if path := shutil.which(name, path=folder):
                return path
    message = f"no {wrapper} of {mpi.family.title} lies near {mpi.library} or in PATH"
    raise ThalwegError(
        INSTALLATION, message, "install it (Debian: libopenmpi-dev or libmpich-dev), or name another --mpi"
    )
