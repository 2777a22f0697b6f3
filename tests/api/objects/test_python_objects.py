# SPDX-License-Identifier: BSD-3-Clause
"""thalweg.Array in jobs of real ranks: mpi4py and numpy, nothing preloaded and nothing linked."""

from pathlib import Path

import pytest
from jobs import Result, run
from mpis import ROOT, named
from python_jobs import PYTHON, environment

PROGRAMS = Path(__file__).parent / "python"
on_debians = pytest.mark.parametrize("mpi", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])
pytestmark = pytest.mark.usefixtures("_mpi4py")


def run_program(mpi: str, ranks: int, program: str, *words: str) -> Result:
    given = environment(named(mpi)) | {"PYTHONPATH": str(ROOT / "python"), "PYTHONWARNINGS": "error"}
    command = [str(PYTHON), str(PROGRAMS / program), *words]
    return run(named(mpi), ranks, command, environment=given, seconds=120)


def check_program(mpi: str, ranks: int, program: str, *words: str) -> None:
    result = run_program(mpi, ranks, program, *words)
    assert result.status == 0, result.explain()
    assert result.out.count("all right") == ranks, result.explain()


@on_debians
def test_the_example_of_the_page(mpi: str) -> None:
    result = run_program(mpi, 2, "page.py")
    assert result.status == 0, result.explain()
    assert result.out.endswith("step 20: at most 0.1437\n"), result.explain()


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.exhaustive), 2])
@on_debians
def test_errors(mpi: str, ranks: int) -> None:
    check_program(mpi, ranks, "errors.py")


@pytest.mark.parametrize("mpi", ["openmpi4", "mpich4"])
def test_what_methods_send_while_they_compute(mpi: str) -> None:
    check_program(mpi, 2, "late.py")


@on_debians
def test_random_programs(mpi: str, tmp_path: Path) -> None:
    check_program(mpi, 3, "random_program.py", "1", "6", str(tmp_path))


@pytest.mark.exhaustive
@pytest.mark.parametrize("ranks", [1, 2, 5, 8])
@on_debians
def test_many_random_programs(mpi: str, ranks: int, tmp_path: Path) -> None:
    check_program(mpi, ranks, "random_program.py", "1001", "100", str(tmp_path))
