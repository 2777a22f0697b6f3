# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of Python programs: the wheel of mpi4py, which has an extension for each MPI and is told which to take."""

import subprocess
from pathlib import Path

from jobs import PROGRAMS_BUILT
from locks import locked
from mpis import INSTALLED, ROOT, Mpi

FOLDER = INSTALLED / "mpi4py"
PYTHON = FOLDER / "bin" / "python"


def install_mpi4py() -> None:
    """Install mpi4py for the jobs' Python; quick when it is there."""
    with locked(ROOT / ".mpi"):
        subprocess.run([ROOT / "scripts" / "mpis" / "install.sh", "mpi4py"], check=True)


def environment(mpi: Mpi) -> dict[str, str]:
    """What the ranks get."""
    folder = _library_folder(mpi)
    library = "libmpi.so.40" if mpi.family == "openmpi" else "libmpi.so.12"
    given = {"MPI4PY_MPIABI": mpi.family, "MPI4PY_LIBMPI": str(folder / library) if folder else library}
    return given | ({"LD_LIBRARY_PATH": str(folder)} if folder else {})


def _library_folder(mpi: Mpi) -> Path | None:
    """Where the wheel's extension finds the library under the name that it was linked to."""
    if mpi.name != "mpich4":
        return mpi.library
    folder = PROGRAMS_BUILT / mpi.name / "lib"
    link = folder / "libmpi.so.12"  # Debian calls it libmpich
    with locked(folder):
        if not link.exists():
            link.symlink_to("/usr/lib/x86_64-linux-gnu/libmpich.so.12")
    return folder
