# SPDX-License-Identifier: BSD-3-Clause
"""Fetch the tests with Debian's source package of MPICH, and build them for an MPI."""

import os
import subprocess
from pathlib import Path

from mpis import ROOT, Mpi

BUILT = ROOT / "build" / "mpich-suite"
FOLDERS = ("coll", "comm", "topo", "threads/coll", "threads/comm")
# What the tests of these folders can do without.
CONFIGURE = ("--disable-fortran", "--disable-cxx", "--disable-spawn", "--disable-rma", "--disable-romio")
# Open MPI still has what MPI 3 took away, which the tests' helpers use, but declares it only if told to.
DECLARATIONS = "CPPFLAGS=-DOMPI_OMIT_MPI1_COMPAT_DECLS=0"
SOURCES = Path("/etc/apt")
# Two tests ask a new communicator for the neighbors of a rank that they took from MPI_COMM_WORLD. That is right only
# where ranks keep their numbers, as MPICH's do; MPI lets them change, since these communicators are made with reorder.
AMENDMENTS = {
    "topo/distgraph1.c": ("MPI_Comm dupcomm = MPI_COMM_NULL;", " int rank = 0; MPI_Comm_rank(comm, &rank);"),
    "topo/dgraph_unwgt.c": ("MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);", " MPI_Comm_rank(dgraph_comm, &world_rank);"),
}


def _must(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    """Run a command whose failure is no test's fault but the machine's."""
    log = folder / "last-command.log"
    with log.open("w") as out:
        done = subprocess.run(
            command, cwd=folder, stdout=out, stderr=out, check=False, env=os.environ | (environment or {})
        )
    assert done.returncode == 0, f"{' '.join(command)}\n{log.read_text()[-3000:]}"


def _source_lists(folder: Path) -> None:
    """Write the machine's own package sources once more, for source packages."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in (*SOURCES.glob("sources.list"), *SOURCES.glob("sources.list.d/*")):
        if file.suffix == ".sources":
            lines = ["Types: deb-src" if line.startswith("Types:") else line for line in file.read_text().splitlines()]
        elif file.suffix == ".list":
            binary = (line for line in file.read_text().splitlines() if line.startswith("deb "))
            lines = ["deb-src" + line.removeprefix("deb") for line in binary]
        else:
            continue
        (folder / file.name).write_text("\n".join(lines) + "\n")


def _fetch(folder: Path) -> Path:
    """Download the package's archive with apt, in a configuration of its own; the machine's stays as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    _source_lists(folder / "sources")
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (folder / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    own = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": folder / "sources",
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder / "cache",
    }
    apt = ["apt-get", "--quiet", *(word for name, value in own.items() for word in ("-o", f"{name}={value}"))]
    _must([*apt, "update"], folder)
    _must([*apt, "source", "--download-only", "mpich"], folder)
    [archive] = folder.glob("mpich_*.orig.tar.*")
    return archive


def _amend(tests: Path) -> None:
    """Add a statement behind the first one that an amendment names."""
    for name, (statement, added) in AMENDMENTS.items():
        text = (tests / name).read_text()
        assert statement in text, f"{name} has changed: does it still need its amendment?"
        (tests / name).write_text(text.replace(statement, statement + added, 1))


def source() -> Path:
    """Give the folder of the tests' sources, fetched the first time."""
    tests = BUILT / "source" / "test" / "mpi"
    if not (tests / "configure").exists():
        archive = _fetch(BUILT / "apt")
        tests.parents[1].mkdir(parents=True, exist_ok=True)
        members = ["--strip-components=1", "--wildcards", "*/test/mpi", "*/confdb"]
        _must(["tar", "-xf", str(archive), *members], tests.parents[1])
        _amend(tests)
    return tests


def build(mpi: Mpi) -> Path:
    """Give the folder of the tests built for an MPI; what does not compile there is left out."""
    folder = BUILT / mpi.name
    if (folder / "built").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "Makefile").exists():
        _must([str(source() / "configure"), *CONFIGURE], folder, {"MPICC": mpi.compile[0]})
    make = ["make", "--keep-going", "--jobs", str(os.cpu_count() or 1), DECLARATIONS, "-C"]
    for part in ("dtpools", "util"):
        _must([*make, part], folder)
    for part in FOLDERS:
        with (folder / part / "make.log").open("w") as log:
            subprocess.run([*make, part], cwd=folder, stdout=log, stderr=log, check=False)
    (folder / "built").touch()
    return folder
