# SPDX-License-Identifier: BSD-3-Clause
"""Ranks on hosts of the test's own making: topologies that are numbered anew, without a network between the hosts."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from jobs import Mode, Result, build, run, using
from mpis import Mpi, named

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make hosts")

APART = str(Path(__file__).parent / "apart.sh")
DEBIAN = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
RENUMBERED = "ranks of a topology renumbered"


def start(mpi: Mpi, ranks: int, hosts: int, program: Iterable[str], mode: Mode) -> Result:
    """Run a job whose ranks are dealt out to so many hosts in turns."""
    return run(mpi, ranks, [APART, str(hosts), *program], mode)


@pytest.mark.parametrize("name", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])
def test_neighbors_are_by_rank_what_was_asked_for(name: str) -> None:
    """Whichever process has the rank; and ranks were numbered anew, which the log says."""
    mode = Mode("apart", preload=True, settings={"THALWEG_VERBOSE": "1"})
    result = start(named(name), 6, 2, [str(build(named(name), "topologies"))], mode)
    assert "passed topologies" in result.out, result.explain()
    assert RENUMBERED in result.err, result.explain()


@pytest.mark.parametrize("wait", ["yield", "spin"])
@DEBIAN
def test_waiting_lets_the_library_go_on(name: str, wait: str) -> None:
    """A rank that waits in a topology's making holds up none of the program's messages and collectives."""
    mpi = named(name)
    ranks = 3 if mpi.spins and wait == "spin" else 4  # of two none would be numbered anew
    mode = using("barrier=dissemination;allreduce=recursive_doubling", wait)
    result = start(mpi, ranks, 2, [str(build(mpi, "waiting")), "--known", mpi.known_names], mode)
    assert "passed waiting" in result.out, result.explain()
