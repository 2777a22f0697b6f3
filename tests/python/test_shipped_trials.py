# SPDX-License-Identifier: BSD-3-Clause
"""The program that measures comes with Thalweg: no compiler is needed, and it finds the MPI that was named."""

import os
import subprocess
from pathlib import Path

import pytest

from support import plain_environment
from thalweg.errors import INSTALLATION, ThalwegError
from thalweg.libraries import trial_program_for
from thalweg.programs.families import FAMILIES
from thalweg.trials.session import Session, start_words
from thalweg.trials.shipped import trial_program

PLACES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}


def library(family: str) -> Path:
    """Give the library of this machine's MPI."""
    listing = listed(trial_program(family, os.environ))
    return next(Path(line.split()[2]) for line in listing.splitlines() if PLACES[family] in line)


def listed(program: str) -> str:
    """Let the dynamic linker list what a program loads."""
    return subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put compilers that do not work before those of the machine."""
    folder = tmp_path / "no_compiler"
    folder.mkdir()
    for name in ("cc", "gcc", "mpicc", "mpicc.openmpi", "mpicc.mpich"):
        (folder / name).write_text("#!/bin/sh\nexit 77\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("soname", [soname for family in FAMILIES for soname in family.sonames])
def test_there_is_one_for_each_name_of_a_library(soname: str) -> None:
    shown = subprocess.check_output(["readelf", "--dynamic", trial_program_for(soname)], text=True)
    assert f"Shared library: [{soname}]" in shown


@pytest.mark.usefixtures("no_compiler")
@pytest.mark.parametrize("family", PLACES)
def test_it_measures_without_a_compiler(family: str, tmp_path: Path) -> None:
    words = start_words([], 2, trial_program(family, os.environ))
    with Session(words, variables=plain_environment()) as session:
        found = session.measure("allreduce", 64, ["native", "ring"], batches=2)
    assert set(found) == {"native", "ring"}
    assert not (tmp_path / "cache").exists()


@pytest.mark.usefixtures("no_compiler")
@pytest.mark.parametrize("family", PLACES)
def test_a_library_elsewhere_is_the_one_that_is_loaded(family: str, tmp_path: Path) -> None:
    """A copy of the program is kept, which looks there; the program that is shipped stays as it is."""
    prefix = tmp_path / "other"
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib" / PLACES[family]).write_bytes(library(family).read_bytes())
    for name in (str(prefix), str(prefix / "lib" / PLACES[family])):
        program = trial_program(name, os.environ)
        assert f"{PLACES[family]} => {prefix}/lib/{PLACES[family]} " in listed(program)
    assert program != trial_program(family, os.environ)
    assert [file.name for file in (tmp_path / "cache" / "thalweg").iterdir()] == [Path(program).name]


def test_what_cannot_be_had_is_said(tmp_path: Path) -> None:
    prefix = tmp_path / "other"
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib" / "libmpi.so.40").write_bytes(library("openmpi").read_bytes())
    (tmp_path / "file").touch()
    with pytest.raises(ThalwegError, match="the trial program cannot be kept in") as error:
        trial_program(str(prefix), {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "file")})
    assert error.value.status is INSTALLATION
    assert error.value.remedy == "set XDG_CACHE_HOME to a folder that can be written"
    long = tmp_path.joinpath(*["a" * 200] * 3)
    (long / "lib").mkdir(parents=True)
    (long / "lib" / "libmpi.so.40").write_bytes(library("openmpi").read_bytes())
    with pytest.raises(ThalwegError, match=r"is a path of \d+ bytes, of at most 492"):
        trial_program(str(long), os.environ)


def test_where_no_library_is_found_its_names_are_said() -> None:
    with pytest.raises(ThalwegError) as error:
        trial_program("mpiabi", {**os.environ, "PATH": "/usr/bin", "LD_LIBRARY_PATH": ""})
    assert "no libmpi_abi.so.1 or libmpi_abi.so.0 of MPI-5 standard ABI is found" in error.value.message
