# SPDX-License-Identifier: BSD-3-Clause
"""thalweg.Team in jobs of real ranks: mpi4py and numpy, nothing preloaded and nothing linked."""

import os
from pathlib import Path

import pytest
from jobs import Result, run
from mpis import ROOT, named
from python_jobs import PYTHON, environment, install_mpi4py

PROGRAMS = Path(__file__).parent / "python"
APART = str(Path(__file__).parents[2] / "run" / "mpi" / "apart.sh")
on_debians = pytest.mark.parametrize("mpi", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])


@pytest.fixture(scope="session", autouse=True)
def _mpi4py() -> None:
    install_mpi4py()


def run_program(mpi: str, ranks: int, words: list[str], settings: dict[str, str] | None = None) -> Result:
    given = environment(named(mpi)) | {"PYTHONPATH": str(ROOT / "python"), "PYTHONWARNINGS": "error"}
    return run(named(mpi), ranks, words, environment=given | (settings or {}), seconds=120)


def check_program(
    mpi: str, ranks: int, program: str, *words: str, hosts: int = 0, settings: dict[str, str] | None = None
) -> None:
    apart = [APART, str(hosts)] if hosts else []
    result = run_program(mpi, ranks, [*apart, str(PYTHON), str(PROGRAMS / program), *words], settings)
    assert result.status == 0, result.explain()
    assert result.out.count("all right") == ranks, result.explain()


@pytest.mark.parametrize(("ranks", "programs"), [(1, 15), (2, 25), (4, 15)])
@on_debians
def test_random_programs_agree_with_numpy(mpi: str, ranks: int, programs: int) -> None:
    check_program(mpi, ranks, "random_program.py", "1", str(programs))


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make hosts")
@on_debians
def test_random_programs_between_hosts(mpi: str) -> None:
    check_program(mpi, 3, "random_program.py", "101", "10", hosts=2)


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1001, 1401, 100))
@on_debians
def test_many_random_programs(mpi: str, first: int) -> None:
    check_program(mpi, 3, "random_program.py", str(first), "100")


def test_checked_calls_name_their_place() -> None:
    check_program("openmpi4", 2, "random_program.py", "201", "5", settings={"THALWEG_CHECK": "1"})
    begin = "import thalweg; from mpi4py import MPI; team = thalweg.Team(MPI.COMM_WORLD)"
    different = f"{begin}\nteam.barrier() if team.rank else team.allgather([1.0])"
    result = run_program("openmpi4", 2, [str(PYTHON), "-c", different], {"THALWEG_CHECK": "1"})
    assert "rank 0 has come to allgather" in result.err + result.out, result.explain()
    assert "<string>:2" in result.err + result.out, result.explain()


@pytest.mark.parametrize("mpi", ["openmpi4", "mpich4"])
def test_the_example_of_the_page(mpi: str) -> None:
    result = run_program(mpi, 3, [str(PYTHON), str(PROGRAMS / "page.py")])
    assert result.status == 0, result.explain()
    assert "rank 1: [0. 0. 1. 2.], sums [33. 36.]\n" in result.out, result.explain()


@pytest.mark.parametrize("ranks", [1, 2, 4])
@on_debians
def test_errors(mpi: str, ranks: int) -> None:
    check_program(mpi, ranks, "errors.py")
