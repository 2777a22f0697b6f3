"""Where the libraries of this installation are: the interposers, and those that Python programs call."""

import os

import thalweg
from thalweg.errors import INSTALLATION, ThalwegError
from thalweg.programs.families import Family


def library_folders() -> list[str]:
    """Name the folders that may hold the libraries: lib in each folder that the package consists of."""
    return [os.path.join(folder, "lib") for folder in thalweg.__path__]


def interposer(family: Family) -> str:
    """Find a family's interposer; fails, and never starts a program without, if it is not there."""
    return _library(family.interposer, f"the interposer for {family.title}")


def world_library(family: Family) -> str:
    """Find what stands before the interposer where ranks may be numbered anew."""
    return _library(f"libthalweg-world-{family.name}.so", f"the library that numbers ranks for {family.title}")


def stream_library(family: Family) -> str:
    """Find what programs on streams call."""
    return _library(f"libthalweg-stream-{family.name}.so", f"streams for {family.title}")


def balance_library(family: Family) -> str:
    """Find what programs that balance call."""
    return _library(f"libthalweg-balance-{family.name}.so", f"balancing for {family.title}")


def objects_library(family: Family) -> str:
    """Find what programs on objects call."""
    return _library(f"libthalweg-objects-{family.name}.so", f"objects for {family.title}")


def place_library(family: Family) -> str:
    """Find what programs that are placed call."""
    return _library(f"libthalweg-place-{family.name}.so", f"placing for {family.title}")


def _library(name: str, description: str) -> str:
    folders = library_folders()
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    message = f"{name}, {description}, is missing in {' and '.join(folders)}"
    raise ThalwegError(INSTALLATION, message, "build Thalweg with that MPI's headers installed: make build")
