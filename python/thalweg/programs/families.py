# SPDX-License-Identifier: BSD-3-Clause
"""MPI families: libraries that share a binary interface, and so an interposer."""

import os
import re
from collections.abc import Mapping
from typing import NamedTuple

from thalweg.errors import PROGRAM, ThalwegError


class Family(NamedTuple):
    """A family, the sonames that belong to it and the name to show to people."""

    name: str
    sonames: tuple[str, ...]
    title: str

    @property
    def interposer(self) -> str:
        """The file name of the family's interposer library."""
        return f"libthalweg-{self.name}.so"


OPENMPI = Family("openmpi", ("libmpi.so.40",), "Open MPI")
MPICH = Family("mpich", ("libmpi.so.12", "libmpich.so.12"), "MPICH or Intel MPI")
MPIABI = Family("mpiabi", ("libmpi_abi.so.1", "libmpi_abi.so.0"), "MPI-5 standard ABI")

# The standard ABI first: an implementation may serve it on top of its own library, which is then loaded too.
FAMILIES = (MPIABI, OPENMPI, MPICH)
BY_NAME = {family.name: family for family in FAMILIES}

# Any library that looks like some MPI's C interface (the C++ and Fortran layers never come without it).
_MPI_LIBRARY = re.compile(r"lib(mpi|mpich|pmpi|mpi_abi|mpi_ilp64|mpi_cray|mpi_gnu\w*|mpt|mvapich2?|msmpi)\.so(\.\d+)*$")

_SUPPORTED = "supported are " + ", ".join(
    f"{title} ({soname})"
    for title, soname in (
        ("Open MPI 4 and 5", "libmpi.so.40"),
        ("MPICH and Intel MPI", "libmpi.so.12, libmpich.so.12"),
        ("the MPI-5 ABI", "libmpi_abi.so.1"),
    )
)


class UnknownMpiError(ThalwegError):
    """Which MPI a program uses cannot be found out; where the user names it, that is no reason to refuse."""


class LoadedMpi(NamedTuple):
    """The MPI that a program would load: its family and the library's file."""

    family: Family
    library: str


def loaded_mpi(program: str, libraries: Mapping[str, str]) -> LoadedMpi | None:
    """Find the MPI among the libraries that the program loads; None if there is none.

    Fails on an MPI that no interposer fits, and on two of different families.
    """
    if "libmpi_ilp64.so.4" in libraries:
        message = f"{program} uses MPI with 64-bit Fortran integers (libmpi_ilp64.so.4), which Thalweg does not support"
        raise ThalwegError(PROGRAM, message, "link the program with the library's default (LP64) interface")
    present = [(family, soname) for family in FAMILIES for soname in family.sonames if soname in libraries]
    if not present:
        foreign = [soname for soname in libraries if looks_like_mpi(soname)]
        if foreign:
            message = f"{program} uses {foreign[0]}, an MPI that Thalweg does not support"
            raise ThalwegError(PROGRAM, message, _SUPPORTED)
        return None
    family, soname = present[0]
    others = [name for other, name in present if other != family]
    if others and family != MPIABI:
        message = f"{program} loads two MPI libraries: {soname} and {others[0]}"
        raise ThalwegError(PROGRAM, message, "link all of it with one MPI; `ldd` shows who brings which")
    return LoadedMpi(family, libraries[soname])


def looks_like_mpi(name: str) -> bool:
    """Tell whether a library's file name is that of some MPI's C interface, supported or not."""
    return _MPI_LIBRARY.match(name) is not None


def family_of_library(path: str) -> Family | None:
    """Tell the family from a library's file name, or from where its symbolic link leads (libmpi.so)."""
    for name in (os.path.basename(path), os.path.basename(os.path.realpath(path))):
        for family in FAMILIES:
            if any(name == soname or name.startswith(soname + ".") for soname in family.sonames):
                return family
    return None
