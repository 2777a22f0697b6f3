# SPDX-License-Identifier: BSD-3-Clause
"""The MPI that a user names with --mpi: a family, or the path of a library, a launcher or a prefix."""

import os
from collections.abc import Mapping

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.launch.launchers import recognize
from thalweg.programs.families import BY_NAME, FAMILIES, Family, LoadedMpi, family_of_library
from thalweg.programs.processes import executable

_LIBRARY_FOLDERS = ("lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "")


def named_mpi(name: str, environment: Mapping[str, str]) -> LoadedMpi:
    """Turn what the user named into a family and a library, whose place leads to the launcher."""
    if name in BY_NAME:
        return LoadedMpi(BY_NAME[name], "/usr/lib/" + BY_NAME[name].sonames[0])
    if os.path.isdir(name):
        return _in_prefix(name)
    if family := family_of_library(name):
        if not os.path.exists(name):
            raise ThalwegError(SETTINGS, f"--mpi {name}: there is no such library")
        return LoadedMpi(family, os.path.abspath(name))
    if executable(name, environment):
        launcher = recognize(name, environment)
        if launcher is not None and launcher.kind.family is not None:
            family = launcher.kind.family
            return LoadedMpi(family, os.path.join(os.path.dirname(os.path.abspath(launcher.path)), family.sonames[0]))
    raise ThalwegError(SETTINGS, f"--mpi {name}: that is no MPI", _EXPECTED)


def _in_prefix(prefix: str) -> LoadedMpi:
    for folder in _LIBRARY_FOLDERS:
        for family, soname in _sonames():
            path = os.path.join(os.path.abspath(prefix), folder, soname)
            if os.path.exists(path):
                return LoadedMpi(family, path)
    raise ThalwegError(SETTINGS, f"--mpi {prefix}: no MPI library lies in its lib folder", _EXPECTED)


def _sonames() -> list[tuple[Family, str]]:
    """List the libraries' own interfaces before the standard one, which is the guess for fewer programs today."""
    ordered = sorted(FAMILIES, key=lambda family: family.name == "mpiabi")
    return [(family, soname) for family in ordered for soname in family.sonames]


_EXPECTED = f"expected {', '.join(sorted(BY_NAME))}, or the path of an MPI's prefix, library or launcher"
