# SPDX-License-Identifier: BSD-3-Clause
"""What fences have found for brackets is kept for later jobs, where the settings name a file for it."""

import tomllib
from pathlib import Path

import pytest
from jobs import BUILD, Result, run
from mpis import named

FLAVORS = {"openmpi4": "openmpi", "mpich4": "mpich"}
RANKS = 4
on_debians = pytest.mark.parametrize("mpi", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])


def job(mpi: str, fences: int, settings: dict[str, str]) -> Result:
    program = BUILD / "tests" / "api" / "objects" / "jobs" / f"objects-found-{FLAVORS[mpi]}"
    result = run(named(mpi), RANKS, [str(program), str(fences)], environment=settings, seconds=120)
    assert result.status == 0, result.explain()
    assert "all right" in result.out
    return result


@on_debians
def test_a_later_job_begins_with_what_was_found(mpi: str, tmp_path: Path) -> None:
    file = tmp_path / "tuning.toml"
    settings = {"THALWEG_TUNING": str(file)}
    first = job(mpi, 25, settings)
    assert " is tried: " in first.out, first.out
    known = file.read_text()
    (found,) = (bracket for machine in tomllib.loads(known)["machine"] for bracket in machine["bracket"])
    assert found["ranks"] == RANKS
    again = job(mpi, 10, settings)
    assert f"; {found['use']} is used, as an earlier job has found: " in again.out, again.out
    assert " is tried: " not in again.out, again.out
    assert file.read_text() == known


@on_debians
def test_nothing_is_kept_unasked(mpi: str, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    file = tmp_path / "tuning.toml"
    for settings in ({}, {"THALWEG_TUNING": "off"}, {"THALWEG_TUNING": str(file), "THALWEG_LEARN": "off"}):
        job(mpi, 25, home | settings)
    assert not list(tmp_path.rglob("*.toml"))


@on_debians
def test_a_file_that_cannot_be_written_costs_a_line(mpi: str, tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("")
    result = job(mpi, 25, {"THALWEG_TUNING": str(tmp_path / "folder" / "tuning.toml")})
    assert "what a program with objects has found is not kept" in result.err
