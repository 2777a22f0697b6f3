# SPDX-License-Identifier: BSD-3-Clause
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


def unfinished_program() -> str:
    """Find the program that reports jobs that ended without MPI_Finalize."""
    return _library("thalweg-unfinished", "the program that reports jobs that were interrupted")


def trial_program_for(soname: str) -> str:
    """Find the program that measures, for an MPI library of that name."""
    return _library(f"thalweg-trial-{soname}", "the program that measures")


def team_library(family: Family) -> str:
    """Find what programs on teams call."""
    return _library(f"libthalweg-team-{family.name}.so", f"teams for {family.title}")


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


def find_library(name: str) -> str:
    """Give the path of a library by its file's name; empty where there is none.

    Wheels have libraries that programs are linked with under the name alone by which programs load them, with the
    number of its interface behind.
    """
    paths = [os.path.join(folder, name) for folder in library_folders()]
    if found := next(filter(os.path.isfile, paths), ""):
        return found
    import glob  # noqa: PLC0415 - runs find theirs above

    return next((found for path in paths for found in glob.glob(f"{path}.[0-9]*") if os.path.isfile(found)), "")


def _library(name: str, description: str) -> str:
    if path := find_library(name):
        return path
    message = f"{name}, {description}, is missing in {' and '.join(library_folders())}"
    raise ThalwegError(INSTALLATION, message, "build Thalweg with that MPI's headers installed: make build")
