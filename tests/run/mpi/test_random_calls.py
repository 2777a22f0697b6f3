# SPDX-License-Identifier: BSD-3-Clause
"""Random collectives of random sizes, roots and communicators, some under way at once, under changing strategies.

THALWEG_TEST_CALLS=1000000 makes a long run of it; THALWEG_TEST_SEED begins elsewhere.
"""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from jobs import Mode, build, run, using
from mpis import Mpi, launcher_environment, named
from test_strategies import selections

CALLS = os.environ.get("THALWEG_TEST_CALLS", "4000")
SEED = os.environ.get("THALWEG_TEST_SEED", "1")
DEBIAN = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])


def program(mpi: Mpi, calls: str, max_bytes: int = 65536) -> list[str]:
    """Name the program and its arguments."""
    return [str(build(mpi, "random_calls")), calls, SEED, str(max_bytes), *selections()]


@pytest.mark.parametrize("memory", ["1", "0"], ids=["shared_memory", "library"])
@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.exhaustive), 5])
@DEBIAN
def test_random_calls(name: str, ranks: int, memory: str) -> None:
    """Every word is right."""
    mpi = named(name)
    mode = using(selections()[0])
    seconds = 240 + float(CALLS) / 100
    environment = {"THALWEG_SHARED_MEMORY": memory}
    result = run(mpi, ranks, program(mpi, CALLS), mode, environment=environment, seconds=seconds)
    assert result.status == 0, result.explain()
    assert "halweg" not in result.err, result.err


def _ranks_of(job: subprocess.Popen[str]) -> list[int]:
    """Processes of the job's ranks, wherever the launcher put them."""
    found = []
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
                name = os.fsdecode((entry / "exe").readlink())
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
            if name.endswith("random_calls"):
                found.append(int(entry.name))

    def is_of_job(process: int) -> bool:
        while process > 1 and process != job.pid:
            process = parents.get(process, 0)
        return process == job.pid

    return [process for process in found if is_of_job(process)]


def _begun_ranks(job: subprocess.Popen[str], count: int) -> list[int]:
    """Wait until all ranks say that they begin, and give their processes.

    Before, they may be in MPI_Init. Open MPI 4's mpirun itself then hangs at its end, natively too: a rank that dies
    while it connects leaves the lock of a PMIx server taken, and PMIx_server_finalize waits for that for good.
    """
    assert job.stdout is not None
    begun = 0
    for line in job.stdout:
        begun += line.strip().endswith("begins")
        if begun == count:
            break
    assert begun == count, "the job ended before its ranks began"
    ranks = _ranks_of(job)
    assert len(ranks) == count
    return ranks


@pytest.mark.parametrize("number", [0, 1, *(pytest.param(k, marks=pytest.mark.exhaustive) for k in (2, 3))])
@DEBIAN
def test_killed_at_any_point(name: str, number: int) -> None:
    """A rank that dies somewhere ends the job as it does natively, and no other rank is left behind."""
    mpi = named(name)
    mode: Mode = using(selections()[number])
    dice = random.Random(f"{SEED} {name} {number}")
    command = mpi.command(3, program(mpi, "100000000", max_bytes=200000), mode.environment(mpi))
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=launcher_environment(mpi), text=True
    ) as job:
        ranks = _begun_ranks(job, 3)
        time.sleep(dice.uniform(0, 0.5))
        os.kill(dice.choice(ranks), signal.SIGKILL)
        try:
            status = job.wait(timeout=240)
        finally:
            job.kill()
    assert status != 0
    end = time.monotonic() + 60
    while any(Path(f"/proc/{process}").exists() for process in ranks) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [process for process in ranks if Path(f"/proc/{process}").exists()]
