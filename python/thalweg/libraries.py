"""Where the interposer libraries of this installation are."""

import os

import thalweg
from thalweg.errors import INSTALLATION, ThalwegError
from thalweg.programs.families import Family


def library_folders() -> list[str]:
    """Name the folders that may hold the libraries: lib in each folder that the package consists of."""
    return [os.path.join(folder, "lib") for folder in thalweg.__path__]


def interposer(family: Family) -> str:
    """Find a family's interposer; fails, and never starts a program without, if it is not there."""
    folders = library_folders()
    for folder in folders:
        path = os.path.join(folder, family.interposer)
        if os.path.isfile(path):
            return path
    message = f"{family.interposer}, the interposer for {family.title}, is missing in {' and '.join(folders)}"
    raise ThalwegError(INSTALLATION, message, "build Thalweg with that MPI's headers installed: make build")
