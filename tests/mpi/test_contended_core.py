"""Ranks that yield in vain leave a core that somebody computes on, and stay allowed where they were."""

import os

import pytest
from jobs import PASSING, YIELDING, Mode, build, run
from mpis import MPIS, Mpi

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
