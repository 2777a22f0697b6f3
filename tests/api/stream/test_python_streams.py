# SPDX-License-Identifier: BSD-3-Clause
"""thalweg.Stream in jobs of real ranks: mpi4py and numpy, nothing preloaded and nothing linked."""

from pathlib import Path

import pytest
from jobs import Result, run
from mpis import ROOT, named
from python_jobs import PYTHON, environment

PROGRAMS = Path(__file__).parent / "python"
MESSAGES = {"THALWEG_SHARED_MEMORY": "0"}  # only, as between nodes
on_debians = pytest.mark.parametrize("mpi", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])
pytestmark = pytest.mark.usefixtures("_mpi4py")


def run_program(mpi: str, ranks: int, words: list[str], settings: dict[str, str] | None = None) -> Result:
    given = environment(named(mpi)) | {"PYTHONPATH": str(ROOT / "python"), "PYTHONWARNINGS": "error"}
    return run(named(mpi), ranks, [str(PYTHON), *words], environment=given | (settings or {}), seconds=120)


def check_program(mpi: str, ranks: int, program: str, *words: str, settings: dict[str, str] | None = None) -> None:
    result = run_program(mpi, ranks, [str(PROGRAMS / program), *words], settings)
    assert result.status == 0, result.explain()
    assert result.out.count("all right") == ranks, result.explain()


@pytest.mark.parametrize(
    ("ranks", "shape", "programs"),
    [(1, "any", 10), (2, "any", 12), (3, "2x2", 8), pytest.param(8, "2x2x2", 8, marks=pytest.mark.exhaustive)],
)
@on_debians
def test_random_programs(mpi: str, ranks: int, shape: str, programs: int) -> None:
    check_program(mpi, ranks, "random_program.py", shape, "1", str(programs))


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1001, 1401, 100))
@on_debians
def test_many_random_programs(mpi: str, first: int) -> None:
    check_program(mpi, 2, "random_program.py", "any", str(first), "100")


@pytest.mark.parametrize(("ranks", "shape"), [(2, "any"), (4, "2x2")])
@on_debians
def test_random_programs_between_nodes(mpi: str, ranks: int, shape: str) -> None:
    check_program(mpi, ranks, "random_program.py", shape, "101", "5", settings=MESSAGES)


@pytest.mark.parametrize(("ranks", "shape"), [(2, "any"), (4, "2x2")])
@on_debians
def test_one_rank_is_slow(mpi: str, ranks: int, shape: str) -> None:
    check_program(mpi, ranks, "random_program.py", shape, "201", "4", "slow")


@pytest.mark.parametrize("ranks", [1, 2, pytest.param(8, marks=pytest.mark.exhaustive)])
@on_debians
def test_items_of_every_dtype(mpi: str, ranks: int) -> None:
    check_program(mpi, ranks, "dtypes.py")


@pytest.mark.parametrize("mpi", ["openmpi4", "mpich4"])
def test_the_example_of_the_page(mpi: str) -> None:
    result = run_program(mpi, 2, [str(PROGRAMS / "page.py")])
    assert result.status == 0, result.explain()
    assert result.out == "2000000 samples\n", result.explain()


@pytest.mark.parametrize("ranks", [1, 2, 4])
@on_debians
def test_errors(mpi: str, ranks: int) -> None:
    check_program(mpi, ranks, "errors.py")


@on_debians
def test_errors_between_nodes(mpi: str) -> None:
    check_program(mpi, 4, "errors.py", settings=MESSAGES)


def test_another_mpi() -> None:
    """Python's packages may bring an MPI that is not the one that Thalweg was built with."""
    result = run_program("mpich5", 2, [str(PROGRAMS / "another_mpi.py")])
    assert result.status == 0, result.explain()
    assert result.out.count("is linked with another MPI library; use an mpi4py of the MPI that Thalweg") == 4
    assert result.out.count("all right") == 2


# Each call in turns with one of the victims; the gate leaves out the other.
@pytest.mark.parametrize(
    ("call", "victim", "settings"),
    [
        pytest.param(
            call, victim, settings, id=f"{call}-{name}", marks=() if (k + far) % 2 == 0 else pytest.mark.exhaustive
        )
        for k, call in enumerate(["send", "finish", "test", "progress", "handler"])
        for far, (name, victim, settings) in enumerate([("first near", "0", {}), ("last far", "-1", MESSAGES)])
    ],
)
@on_debians
def test_a_killed_rank_ends_the_job(mpi: str, call: str, victim: str, settings: dict[str, str]) -> None:
    """The launcher sees it and ends the others, wherever they wait."""
    result = run_program(mpi, 3, [str(PROGRAMS / "killed.py"), call, victim], settings)
    assert not result.lines_of("HUNG"), result.explain()
    assert result.status != 0, result.explain()
    assert "survived" not in result.out, result.explain()
