# SPDX-License-Identifier: BSD-3-Clause
"""A rank is killed while others wait for it: the job ends, and nothing hangs."""

import pytest
from jobs import BUILD, run
from mpis import named

FLAVORS = {"openmpi4": "openmpi", "mpich4": "mpich"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("strategy", ["direct", "mesh", "grid", "hypercube", "stream", "auto"])
@pytest.mark.parametrize("ranks", [2, 5])
@pytest.mark.parametrize("mpi", list(FLAVORS))
def test_jobs_end_whose_brackets_lose_a_rank(mpi: str, ranks: int, strategy: str) -> None:
    program = BUILD / "tests" / "api" / "objects" / "jobs" / f"objects-brackets-{FLAVORS[mpi]}"
    result = run(named(mpi), ranks, [str(program), strategy], seconds=60)
    assert result.status != 0, result.explain()
    assert "all right" not in result.out


EVERY = [(mpi, ranks, way) for mpi in FLAVORS for ranks in (2, 5) for way in ("calls", "long_calls", "sums", "moves")]
IN_THE_GATE = [("openmpi4", 5, "sums"), ("openmpi4", 2, "moves")]


@pytest.mark.parametrize(
    ("mpi", "ranks", "way"),
    [one if one in IN_THE_GATE else pytest.param(*one, marks=pytest.mark.exhaustive) for one in EVERY],
)
def test_jobs_end_that_lose_a_rank(mpi: str, ranks: int, way: str) -> None:
    program = BUILD / "tests" / "api" / "objects" / "jobs" / f"objects-killed-{FLAVORS[mpi]}"
    result = run(named(mpi), ranks, [str(program), way], seconds=60)
    assert result.status != 0, result.explain()
    assert "all right" not in result.out
