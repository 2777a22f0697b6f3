# SPDX-License-Identifier: BSD-3-Clause
"""Every suite of the conformance program: natively, passed through, waiting by yielding; on every MPI."""

import itertools
import os
from collections.abc import Iterable

import pytest
from jobs import DISABLED, NATIVE, PASSING, YIELDING, Mode, build, run
from mpis import MPIS, Mpi, named

RANKS_MANY = (1, 2, 3, 4, 5, 7, 8, 13, 16)
RANKS_FEW = (1, 3, 8)
DEBIAN = ("openmpi4", "mpich4")
# What the gate runs of the yielding jobs. MPICH 5 is there by its standard ABI.
GATE = {
    *(("openmpi4", ranks) for ranks in (3, 16)),
    ("mpich4", 3),
    *((wheel, 3) for wheel in ("openmpi5", "mpich5abi", "intel")),
}


def jobs(names: Iterable[str], counts: Iterable[int]) -> pytest.MarkDecorator:
    """Let a test run on so many ranks of each library."""
    cases = itertools.product(names, counts)
    return pytest.mark.parametrize(
        ("name", "ranks"),
        [pytest.param(*case, marks=() if case in GATE else pytest.mark.exhaustive) for case in cases],
    )


def on_every_mpi(*gate: str) -> pytest.MarkDecorator:
    """Let a test run on all libraries, of which the gate takes these."""
    return pytest.mark.parametrize(
        "mpi",
        [pytest.param(mpi, id=mpi.name, marks=() if mpi.name in gate else pytest.mark.exhaustive) for mpi in MPIS],
    )


def _scale(ranks: int) -> str:
    """Fewer repetitions in the gate, and on more ranks, for the machine has two cores."""
    if ranks > 8:
        return "0.3"
    return "1" if "THALWEG_TEST_EFFORT" in os.environ else "0.25"


def check(mpi: Mpi, ranks: int, mode: Mode, *suites: str) -> None:
    """Run the conformance program, which fails with the first mismatch."""
    program = str(build(mpi, "conformance"))
    result = run(mpi, ranks, [program, "--scale", _scale(ranks), "--known", mpi.known_names, *suites], mode)
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    passed = [line.removeprefix("passed ") for line in result.out.splitlines() if line.startswith("passed ")]
    assert passed == list(suites) if suites else len(passed) > 30, result.out


@on_every_mpi("openmpi4")
def test_native(mpi: Mpi) -> None:
    """The checks themselves are right: the libraries pass them, but for their known deviations."""
    check(mpi, 2 if mpi.spins else 5, NATIVE)


@pytest.mark.parametrize("mpi", MPIS, ids=lambda mpi: mpi.name)
def test_passed_through(mpi: Mpi) -> None:
    """Preloaded, spinning, not learning and without a report: everything is passed on, known calls at once."""
    check(mpi, 2, PASSING)


@on_every_mpi("openmpi4", "mpich5abi")
def test_disabled(mpi: Mpi) -> None:
    """Preloaded and disabled."""
    check(mpi, 2, DISABLED, "bcast", "allreduce", "alltoallw", "comm_makers", "request_kinds", "p2p_traffic")


@jobs(DEBIAN, RANKS_MANY)
def test_yielding_on_debian(name: str, ranks: int) -> None:
    """Waiting by yielding, over all the interesting rank counts, on the two libraries of the distribution."""
    check(named(name), ranks, YIELDING)


@jobs([mpi.name for mpi in MPIS if mpi.name not in DEBIAN], RANKS_FEW)
def test_yielding_on_wheels(name: str, ranks: int) -> None:
    """Waiting by yielding on the libraries from wheels."""
    check(named(name), ranks, YIELDING)
