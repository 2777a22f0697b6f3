# SPDX-License-Identifier: BSD-3-Clause
"""What a rank has for others leaves with the call that starts it, though it makes no other: in memory, and on hosts."""

import os
from pathlib import Path

import pytest
from jobs import BUILD, Mode, build, run
from mpis import named

from labs import OwnLab

RANKS = 2
# With these, one of two ranks waits for nobody.
STRATEGIES = {
    "barrier": "dissemination",
    "broadcast": "knomial",
    "scatter": "knomial",
    "gather": "knomial",
    "reduce": "knomial",
    "scan": "chain",
    "exscan": "chain",
    "allgather": "ring",
    "alltoall": "direct",
    "allreduce": "recursive_doubling",
    "reduce_scatter": "pairwise",
    "neighbor_allgather": "direct",
    "neighbor_alltoall": "direct",
}
SELECTIONS = ";".join(f"{operation}={strategy}" for operation, strategy in STRATEGIES.items())


@pytest.mark.parametrize("name", ["openmpi4", "openmpi5", "mpich4"])
def test_calls_of_mpi(name: str, tmp_path: Path) -> None:
    """Nonblocking and persistent collectives on strategies, in memory."""
    mpi = named(name)
    settings = {"THALWEG_USE": SELECTIONS, "THALWEG_LEARN": "off"}
    program = [str(build(mpi, "leaving")), str(tmp_path)]
    result = run(mpi, RANKS, program, Mode("leaving", preload=True, settings=settings))
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    assert "cannot" not in result.err, result.err


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make network namespaces")
@pytest.mark.xdist_group("lab")
def test_between_hosts(tmp_path: Path) -> None:
    """The same between hosts; calls of teams, whose short messages are put together there; and items of streams."""
    thalweg = OwnLab("leaving")
    team = str(BUILD / "tests" / "api" / "team" / "team-leaving-openmpi")
    stream = str(BUILD / "tests" / "api" / "stream" / "jobs" / "stream-leaving-openmpi")
    with thalweg.up("--hosts", str(RANKS)):
        for program, words in (
            (str(build(named("openmpi4"), "leaving")), ["--use", SELECTIONS]),
            (team, ["--native"]),
            (team, ["--learn", "off", "--tuning", "off"]),
            (stream, ["--native"]),
        ):
            result = thalweg("lab", "run", *words, "-n", str(RANKS), "--", program, str(tmp_path))
            assert result.returncode == 0, result.stderr[-3000:]
            assert "cannot" not in result.stderr, result.stderr[-3000:]
