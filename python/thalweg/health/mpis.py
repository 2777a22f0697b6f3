# SPDX-License-Identifier: BSD-3-Clause
"""Every MPI of this host that can be found: by the linker, beside launchers in PATH, in /opt, and in modules."""

import glob
import os
import re
import sys
from collections.abc import Iterator, Mapping

from thalweg.errors import ThalwegError
from thalweg.health.finding import FAIL, NONE, OK, WARN, Finding
from thalweg.launch.launchers import launcher_of
from thalweg.libraries import interposer
from thalweg.programs.families import FAMILIES, Family, LoadedMpi, looks_like_mpi
from thalweg.programs.processes import executable, output_of

_SECONDS = 20.0
_SONAMES = {soname: family for family in FAMILIES for soname in family.sonames}
_STARTERS = ("mpirun", "mpiexec", "mpicc")
_PREFIXES = ("MPI_HOME", "MPI_ROOT", "MPI_DIR", "I_MPI_ROOT", "OPAL_PREFIX", "CONDA_PREFIX", "VIRTUAL_ENV")
_INSTALLED = (
    "/opt/*", "/opt/*/*", "/opt/intel/oneapi/mpi/*", "/usr/local", "/usr/local/*", "/usr/lib64/*", "/usr/lib/*/*",
)  # fmt: skip
_LIBRARIES = ("lib", "lib64", "lib/release", "lib/mpi")
_MODULE = re.compile(r"(?i).*(mpi|mpich|mvapich)")
_ASK = """
import ctypes, sys
text, length = ctypes.create_string_buffer(1 << 13), ctypes.c_int()
ctypes.CDLL(sys.argv[1]).MPI_Get_library_version(text, ctypes.byref(length))
print("library:", text.value.decode("utf-8", "replace").splitlines()[0])
"""
"""In a process of its own, as a library that is broken may end it."""


def libraries(environment: Mapping[str, str]) -> list[Finding]:
    """Give a finding for each library, and for families without one; it fails where none can be used."""
    paths = dict.fromkeys(_paths(environment))
    found: list[Finding] = []
    for family in FAMILIES:
        own = [path for path in paths if _SONAMES.get(os.path.basename(path)) == family]
        distinct = {os.path.realpath(path): path for path in reversed(own)}
        # Programs find the first by themselves.
        for place, path in enumerate(reversed(distinct.values())):
            found.append(_library(family, path, environment, in_use=not place))
        found += [] if own else [Finding(NONE, family.title, "not found")]
    foreign = {os.path.realpath(path): path for path in paths if os.path.basename(path) not in _SONAMES}
    found += [Finding(NONE, "MPI", f"{path}: no interposer fits it") for path in foreign.values()]
    modules = _modules(environment)
    if modules:
        found.append(Finding(NONE, "MPI", f"modules that may hold one: {', '.join(modules)}", "module load NAME"))
    if not any(one.state == OK for one in found):
        remedy = "install one (Debian: openmpi-bin or mpich), or load its module"
        found.append(Finding(FAIL, "MPI", "no MPI library with a launcher was found that works", remedy))
    return found


def _library(family: Family, path: str, environment: Mapping[str, str], *, in_use: bool) -> Finding:
    version, trouble = _version(path, environment)
    if trouble:
        return Finding(
            FAIL if in_use else WARN, family.title, f"{path} does not load: {trouble}", f"install it again; ldd {path}"
        )
    text = f"{version}, {path}"
    try:
        fits = os.path.basename(interposer(family))
    except ThalwegError as error:
        return Finding(FAIL, family.title, f"{text}: {error.message}", error.remedy)
    try:
        launcher = launcher_of(LoadedMpi(family, path), environment)
    except ThalwegError as error:
        return Finding(WARN, family.title, f"{text}: {error.message}", error.remedy)
    return Finding(OK, family.title, f"{text}, launcher {launcher.path}, interposer {fits}")


def _version(path: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """Ask a library what it is; else say why it does not answer."""
    try:
        said = output_of([sys.executable, "-c", _ASK, path], environment, _SECONDS)
    except TimeoutError as error:
        return "", str(error)
    except OSError as error:
        return f"version unknown ({sys.executable}: {error.strerror})", ""
    if found := re.search(r"^library: ([^,\n]*)", said.text, re.MULTILINE):
        return re.sub(r"\s+Version:\s*", " ", found[1]).strip(), ""
    lines = said.errors.strip().splitlines()
    return "", lines[-1].removeprefix("OSError: ") if lines else "it ends the process that loads it"


def _paths(environment: Mapping[str, str]) -> Iterator[str]:
    """Give libraries' paths, those first that programs find by themselves."""
    own = [folder for folder in environment.get("LD_LIBRARY_PATH", "").split(":") if folder]
    yield from _in_folders(own)
    yield from _in_cache(environment)
    prefixes = [environment[name] for name in _PREFIXES if environment.get(name)]
    prefixes += [
        os.path.dirname(os.path.realpath(folder))
        for folder in environment.get("PATH", "").split(":")
        if any(os.access(os.path.join(folder, name), os.X_OK) for name in _STARTERS)
    ]
    yield from _in_folders([os.path.join(prefix, name) for prefix in prefixes for name in _LIBRARIES])
    installed = [prefix for pattern in _INSTALLED for prefix in sorted(glob.glob(pattern))]
    yield from _in_folders([os.path.join(prefix, name) for prefix in installed for name in _LIBRARIES])


def _in_folders(folders: list[str]) -> Iterator[str]:
    for folder in dict.fromkeys(folders):
        for path in sorted(glob.glob(os.path.join(glob.escape(folder), "lib*mp*.so.*"))):
            name = os.path.basename(path)
            if name in _SONAMES or (looks_like_mpi(name) and name.count(".") == 2):
                yield path


def _in_cache(environment: Mapping[str, str]) -> Iterator[str]:
    linker = executable("ldconfig", environment) or "/sbin/ldconfig"
    if not os.access(linker, os.X_OK):
        return
    listing = output_of([linker, "-p"], environment, _SECONDS).text
    for soname, path in re.findall(r"^\s*(\S+) .*=> (\S+)$", listing, re.MULTILINE):
        if soname in _SONAMES:
            yield path


def _modules(environment: Mapping[str, str]) -> list[str]:
    """Name modules that sound like an MPI, in the folders that `module` looks into."""
    found: set[str] = set()
    for folder in environment.get("MODULEPATH", "").split(":"):
        names = os.listdir(folder) if folder and os.path.isdir(folder) else []
        found |= {name.removesuffix(".lua") for name in names if _MODULE.match(name)}
    return sorted(found)
