# SPDX-License-Identifier: BSD-3-Clause
"""Where the demo finds what it starts: MPI libraries, their launchers, our programs, those from PyPI."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import INSTALLATION, ThalwegError


class Flavor(NamedTuple):
    """An MPI library of the system and how its jobs are started when there are more ranks than cores."""

    name: str
    title: str
    launcher: tuple[str, ...]
    library: str
    """The file name of its library, below which programs from PyPI are to run."""
    links: tuple[str, ...]
    """The names that programs built elsewhere know this library by."""


OPENMPI = Flavor(
    "openmpi",
    "Open MPI",
    ("mpirun.openmpi", "--oversubscribe", "-np"),
    "libmpi.so.40",
    ("libmpi.so",),
)
MPICH = Flavor(
    "mpich",
    "MPICH",
    ("mpirun.mpich", "-n"),
    "libmpich.so.12",
    # MPICH's ABI initiative: programs built on any MPICH or Intel MPI ask for libmpi.so.12.
    ("libmpi.so", "libmpi.so.12"),
)
FLAVORS = {flavor.name: flavor for flavor in (OPENMPI, MPICH)}

_LIBRARY_FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")


class Site(NamedTuple):
    """The folders of this machine that programs are described in terms of."""

    repository: Path
    build: Path
    scratch: Path
    """For inputs and outputs; empty at the start."""
    inputs: Path
    wheels: Path
    """A virtual environment with the programs that come from PyPI."""

    def built(self, folder: str, name: str, flavor: Flavor) -> str:
        """Find one of our own programs as it was built for an MPI library."""
        path = self.build / folder / f"{name}-{flavor.name}"
        if not path.is_file():
            message = f"{path} is missing"
            raise ThalwegError(INSTALLATION, message, "build it: make build")
        return str(path)

    def compatible_library_folder(self, flavor: Flavor) -> Path:
        """Make a folder with the system's MPI library by the names that programs built elsewhere ask for."""
        folder = self.scratch / f"{flavor.name}-by-other-names"
        folder.mkdir(parents=True, exist_ok=True)
        places = [Path(place, flavor.library) for place in _LIBRARY_FOLDERS]
        library = next((path for path in places if path.exists()), None)
        if library is None:
            message = f"{flavor.library} of {flavor.title} is in none of {', '.join(_LIBRARY_FOLDERS)}"
            raise ThalwegError(INSTALLATION, message, "install the library: scripts/prepare")
        for name in flavor.links:
            if not (folder / name).exists():
                (folder / name).symlink_to(library)
        return folder


def make_site(build: Path | None, scratch: Path) -> Site:
    """Look from this package outwards: it lies in a source tree with its build folder beside."""
    repository = Path(__file__).resolve().parents[3]
    inputs = Path(__file__).resolve().parent / "inputs"
    return Site(repository, build or repository / "build", scratch, inputs, repository / ".mpi" / "demo")


def base_environment(own: Mapping[str, str]) -> dict[str, str]:
    """Give every run the same: one thread a rank, no first look in its time, and Open MPI's consent for root."""
    environment = {**own, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "THALWEG_SETUP": "0"}
    if os.geteuid() == 0:
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return environment


def thalweg_command() -> list[str]:
    """Find the installed command, else run this package."""
    beside = Path(sys.executable).parent / "thalweg"
    found = str(beside) if beside.is_file() else shutil.which("thalweg")
    return [found] if found else [sys.executable, "-m", "thalweg"]
