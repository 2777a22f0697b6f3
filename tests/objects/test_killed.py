"""A rank is killed while others wait for its brackets: the job ends, and nothing hangs."""

import pytest
from jobs import BUILD, run
from mpis import named

FLAVORS = {"openmpi4": "openmpi", "mpich4": "mpich"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("strategy", ["direct", "mesh", "grid", "hypercube", "stream", "auto"])
@pytest.mark.parametrize("ranks", [2, 5])
@pytest.mark.parametrize("mpi", list(FLAVORS))
def test_jobs_end_whose_brackets_lose_a_rank(mpi: str, ranks: int, strategy: str) -> None:
    program = BUILD / "tests" / "objects" / "jobs" / f"objects-brackets-{FLAVORS[mpi]}"
    result = run(named(mpi), ranks, [str(program), strategy], seconds=60)
    assert result.status != 0, result.explain()
    assert "all right" not in result.out
