# SPDX-License-Identifier: BSD-3-Clause
"""Puts, gets and atomic operations between hosts of the test's own making, some of which have several ranks."""

import os
from pathlib import Path

import pytest
from jobs import BUILD, NATIVE, Mode, run
from mpis import named

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make hosts")

APART = str(Path(__file__).parents[2] / "run" / "mpi" / "apart.sh")
FLAVORS = {"openmpi4": "openmpi", "mpich4": "mpich"}
MULTIPLE = {"THALWEG_PROGRESS_THREAD": "1"}


def check(mpi: str, ranks: int, hosts: int, words: list[str], mode: Mode = NATIVE, **variables: str) -> None:
    """Run a job whose ranks are dealt out to so many hosts in turns."""
    program = str(BUILD / "tests" / "api" / "team" / f"team-{words[0]}-{FLAVORS[mpi]}")
    result = run(named(mpi), ranks, [APART, str(hosts), program, *words[1:]], mode, environment=variables)
    assert result.status == 0, result.explain()
    assert "all right" in result.out, result.explain()


@pytest.mark.parametrize(
    ("mpi", "ranks", "hosts"),
    [
        ("openmpi4", 2, 2),
        ("openmpi4", 4, 2),
        ("openmpi4", 5, 3),
        ("mpich4", 3, 2),
        *(pytest.param("mpich4", *shape, marks=pytest.mark.exhaustive) for shape in [(2, 2), (4, 2), (5, 3)]),
    ],
)
def test_random_programs_agree_with_the_oracle(mpi: str, ranks: int, hosts: int) -> None:
    """On mapped memory, by messages, and mixed."""
    check(mpi, ranks, hosts, ["one_sided"])
    check(mpi, ranks, hosts, ["one_sided_errors"])


@pytest.mark.parametrize(
    ("mpi", "ranks", "hosts"),
    [("openmpi4", 3, 3), ("openmpi4", 4, 2), pytest.param("mpich4", 3, 3, marks=pytest.mark.exhaustive)],
)
def test_collectives_keep_the_promises_of_all_modes(mpi: str, ranks: int, hosts: int) -> None:
    """Whether their buffers are in symmetric memory on all ranks, on some, or on none."""
    check(mpi, ranks, hosts, ["modes"])


@pytest.mark.parametrize("fault", ["before", "after"])
def test_the_oracle_notices_modes_that_are_weaker(fault: str) -> None:
    check("openmpi4", 3, 3, ["modes", fault])


@pytest.mark.exhaustive
@pytest.mark.parametrize(("ranks", "hosts"), [(3, 3), (5, 3), (4, 1)])
def test_ten_thousand_random_programs(ranks: int, hosts: int) -> None:
    """Of collectives in all modes, and of rounds of puts, gets, signals and atomic operations."""
    check("openmpi4", ranks, hosts, ["modes"], THALWEG_TEST_PROGRAMS="10000")
    check("openmpi4", ranks, hosts, ["one_sided"], THALWEG_TEST_PROGRAMS="10000")


@pytest.mark.parametrize("fault", ["signal", "fence", "quiet", "request", "atomic", "strict"])
def test_the_oracle_notices_what_is_left_out(fault: str) -> None:
    """Each way to order calls is needed: without it the same programs give other values."""
    check("openmpi4", 3, 3, ["one_sided", fault])


@pytest.mark.parametrize("where", ["progress", "team", "signal"])
@pytest.mark.parametrize("mpi", FLAVORS)
def test_ranks_are_served_in_calls_of_teams(mpi: str, where: str) -> None:
    check(mpi, 3, 3, ["serving", where])


@pytest.mark.parametrize("mpi", FLAVORS)
def test_ranks_are_served_in_mpi_calls(mpi: str) -> None:
    """Under Thalweg."""
    check(mpi, 3, 3, ["serving", "mpi"], Mode("mpi calls", preload=True))


@pytest.mark.parametrize("mode", [NATIVE, Mode("under thalweg", preload=True, settings=MULTIPLE)], ids=lambda m: m.name)
@pytest.mark.parametrize("mpi", FLAVORS)
def test_ranks_are_served_by_the_progress_thread(mpi: str, mode: Mode) -> None:
    """While they compute."""
    check(mpi, 3, 3, ["serving", "thread"], mode, **MULTIPLE)


@pytest.mark.parametrize("program", ["waiting", "crossing", "ending"])
def test_collectives_between_hosts_beside_memory_of_others(program: str) -> None:
    """Teams that serve others keep their promises for collectives."""
    check("openmpi4", 3, 2, [program])
