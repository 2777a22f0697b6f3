# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that yield in vain leave a core that somebody computes on, or sleep where there is no better one."""

import os

import pytest
from jobs import NATIVE, PASSING, YIELDING, Mode, build, run, using
from mpis import MPIS, Mpi, named

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core: there is no other one")
DEBIAN = ("openmpi4", "mpich4")
# Nothing else may run meanwhile, so the gate does it on Debian's libraries alone.
EVERY_MPI = pytest.mark.parametrize(
    "mpi",
    [pytest.param(mpi, marks=() if mpi.name in DEBIAN else pytest.mark.exhaustive, id=mpi.name) for mpi in MPIS],
)


@pytest.mark.parametrize(("mode", "words"), [(YIELDING, []), (PASSING, ["--stays"])], ids=["yielding", "spinning"])
@EVERY_MPI
def test_contended_core(mpi: Mpi, mode: Mode, words: list[str]) -> None:
    """The program computes on its own core, in another process, and sees what its yields do."""
    # Of two ranks Open MPI binds each to a core, of three to more.
    result = run(mpi, 3, [str(build(mpi, "contended_core")), *words], mode, alone=True)
    assert result.status == 0, result.explain()


@pytest.mark.parametrize(("mode", "words"), [(YIELDING, []), (PASSING, ["--stays"])], ids=["yielding", "spinning"])
@EVERY_MPI
def test_foreign_load(mpi: Mpi, mode: Mode, words: list[str]) -> None:
    """The program has more processes compute on its only core than it has ranks, and sees whether yields sleep."""
    result = run(mpi, 3, [str(build(mpi, "foreign_load")), *words], mode, alone=True)
    assert result.status == 0, result.explain()


def turns(name: str, mode: Mode, environment: dict[str, str] | None = None) -> int:
    """Give how many turns another thread of the core has while a rank waits on it."""
    mpi = named(name)
    result = run(mpi, 2, [str(build(mpi, "gives_way"))], mode, environment, alone=True)
    assert result.status == 0, result.explain()
    return int(result.out)


def gives_its_core_away(name: str, mode: Mode, environment: dict[str, str] | None = None) -> bool:
    """Say whether the thread has ten times the turns that it has where ranks spin natively.

    There the scheduler's slices are its turns. Where somebody else computes on the core, each yield takes a slice of
    his, and the thread has no more turns than where ranks spin. So the best of a few jobs counts.
    """
    spinning = turns(name, NATIVE)
    return any(turns(name, mode, environment) > 10 * spinning for _ in range(5))


@pytest.mark.parametrize("mode", [PASSING, using("allreduce=ring")], ids=["passing", "engine"])
@pytest.mark.parametrize("name", ["openmpi4", "openmpi5"])
def test_open_mpis_own_yields_reach_the_kernel(name: str, mode: Mode) -> None:
    assert gives_its_core_away(name, mode, {"OMPI_MCA_mpi_yield_when_idle": "1"})


@pytest.mark.parametrize("mode", [YIELDING, using("allreduce=ring", "yield")], ids=["passing", "engine"])
@pytest.mark.parametrize("name", DEBIAN)
def test_ranks_that_are_to_yield_give_their_core_away(name: str, mode: Mode) -> None:
    assert gives_its_core_away(name, mode)
