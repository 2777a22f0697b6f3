# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are written to a folder by a job, and read again by others: killed, damaged, of other sizes."""

import random
from pathlib import Path

import pytest
from jobs import BUILD, Result, run
from mpis import named

FLAVORS = {"openmpi4": "openmpi", "mpich4": "mpich"}
pytestmark = pytest.mark.parametrize("mpi", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])


def run_job(mpi: str, ranks: int, folder: Path, *words: str) -> Result:
    program = BUILD / "tests" / "api" / "objects" / "jobs" / f"objects-restart-{FLAVORS[mpi]}"
    return run(named(mpi), ranks, [str(program), str(folder), *words], seconds=60)


def sum_of(result: Result) -> str:
    assert result.status == 0, result.explain()
    return result.out.split("sum ")[1].strip()


@pytest.mark.parametrize("ranks", [1, 2, pytest.param(5, marks=pytest.mark.exhaustive)])
def test_a_job_killed_amid_a_checkpoint_goes_on_from_the_one_before(mpi: str, ranks: int, tmp_path: Path) -> None:
    # Elements move by their own values and the number of ranks, so their values do not depend on where they are.
    whole = sum_of(run_job(mpi, 3, tmp_path / "whole", "4"))
    killed = run_job(mpi, 3, tmp_path / "killed", "4", "kill")
    assert killed.status != 0, killed.explain()
    assert "sum" not in killed.out
    again = run_job(mpi, ranks, tmp_path / "killed", "4", "-", "again")
    assert sum_of(again) == whole
    assert "from 3" in again.out  # periods


def test_damaged_checkpoints_are_refused_by_all_ranks(mpi: str, tmp_path: Path) -> None:
    sum_of(run_job(mpi, 2, tmp_path, "1"))
    part = next(tmp_path.glob("*/1.elements"))
    damage = bytearray(part.read_bytes())
    at = random.Random(1).randrange(len(damage))
    damage[at] ^= 1
    part.write_bytes(damage)
    result = run_job(mpi, 3, tmp_path, "2", "-", "again")
    assert result.status != 0
    assert f"on rank 1: {part}: is damaged" in result.err, result.explain()
    assert "restore from another checkpoint" in result.err
