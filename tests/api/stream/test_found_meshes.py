# SPDX-License-Identifier: BSD-3-Clause
"""What a stream has found is kept for later jobs, where the settings name a file for it."""

import tomllib
from pathlib import Path

import pytest
from jobs import Result, run
from mpis import ROOT, named

FLAVORS = {"openmpi4": "openmpi", "mpich4": "mpich"}
RANKS = 9
on_debians = pytest.mark.parametrize("mpi", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])


def job(mpi: str, settings: dict[str, str], *words: str) -> Result:
    program = ROOT / "build" / "tests" / "api" / "stream" / "jobs" / f"stream-choosing-{FLAVORS[mpi]}"
    result = run(named(mpi), RANKS, [str(program), *words], environment=settings, seconds=120)
    assert result.status == 0, result.explain()
    return result


@on_debians
def test_a_later_job_begins_with_what_was_found(mpi: str, tmp_path: Path) -> None:
    file = tmp_path / "tuning.toml"
    settings = {"THALWEG_TUNING": str(file)}
    job(mpi, settings, "25", "3")
    known = file.read_text()
    shapes = {stream["shape"] for machine in tomllib.loads(known)["machine"] for stream in machine["stream"]}
    # It looks at one phase, and then has it.
    again = job(mpi, settings, "3", "3")
    assert any(f"after one phase {shape}\n" in again.out for shape in shapes), again.out
    assert file.read_text() == known


@on_debians
def test_nothing_is_kept_unasked(mpi: str, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    job(mpi, home, "25", "3")
    file = tmp_path / "tuning.toml"
    for learn in ({"THALWEG_TUNING": "off"}, {"THALWEG_TUNING": str(file), "THALWEG_LEARN": "off"}):
        job(mpi, home | learn, "15", "3")
    assert not list(tmp_path.rglob("*.toml"))


@on_debians
def test_a_file_that_cannot_be_written_costs_a_line(mpi: str, tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("")
    result = job(mpi, {"THALWEG_TUNING": str(tmp_path / "folder" / "tuning.toml")}, "25", "3")
    assert "all right" in result.out
    assert "what a stream has found is not kept" in result.err
