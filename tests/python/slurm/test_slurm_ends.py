# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that Slurm ends, or starts again: what was until then is reported."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cluster import Cluster
from slurm_programs import HOG_SOURCE

from support import Programs
from thalweg.lab.hosts import folder_of

pytestmark = pytest.mark.xdist_group("slurm")

FOREVER = "100000000"


def script(program: str, name: str, *directives: str, rounds: str = FOREVER) -> str:
    lines = "\n".join(f"#SBATCH {one}" for one in ("--nodes=2 --ntasks=4", *directives))
    run = f"thalweg run --report {name} srun --kill-on-bad-exit=1 --mpi=pmix {program} {rounds}"
    return f"#!/bin/sh\n{lines}\n{run}\necho status $?\n"


def await_start(cluster: Cluster, job: str, times: int = 1) -> None:
    """Wait until the job's ranks are at work."""
    end_s = time.monotonic() + 120
    while cluster.output(job).count("started") < times:
        assert time.monotonic() < end_s, cluster.output(job)
        time.sleep(0.1)


def await_report(cluster: Cluster, job: str, name: str) -> dict[str, Any]:
    """Wait for the report of a job that ends; it is there when the job is gone from its nodes."""
    end_s = time.monotonic() + 120
    while not (cluster.shared / name).exists() or cluster.state(job) == "COMPLETING":
        assert time.monotonic() < end_s, cluster.output(job)
        time.sleep(0.1)
    document: dict[str, Any] = json.loads((cluster.shared / name).read_text())
    return document


def check(document: dict[str, Any], cause: str) -> None:
    """Ranks of both hosts are there, with their calls: the folder is a common one."""
    assert cause in document["ended_by"], document["ended_by"]
    assert [one["rank"] for one in document["ranks"]] == [0, 1, 2, 3]
    assert document["missing"] == []
    assert any(one["function"] == "MPI_Allreduce" and one["calls"] > 0 for one in document["calls"])


@pytest.mark.parametrize(
    ("options", "cause"), [([], "SIGTERM"), (["--signal=TERM"], "status 143"), (["--full", "--signal=TERM"], "SIGTERM")]
)
def test_a_canceled_job_is_reported(cluster: Cluster, here: str, options: list[str], cause: str) -> None:
    """Canceling ends all; a signal goes to the ranks, or to the script's commands too."""
    name = f"canceled{len(options)}.json"
    job = cluster.submit(script(here, name))
    await_start(cluster, job)
    assert cluster.run("scancel", *options, job).status == 0
    check(await_report(cluster, job, name), cause)


def test_a_rank_beyond_its_memory_ends_the_job(cluster: Cluster, programs: Programs) -> None:
    if not cluster.limits_memory:
        pytest.skip("this machine's control groups of memory are not of version 1, or not ours to make")
    program = programs.build("hog", HOG_SOURCE, "mpicc.openmpi")
    job = cluster.submit(script(program, "hog.json", "--mem=200M"))
    document = await_report(cluster, job, "hog.json")
    check(document, "without MPI_Finalize")
    waiting = [one["function"] for one in document["calls"] if one.get("in_progress")]
    assert waiting == ["MPI_Barrier"]
    cluster.wait(job, "COMPLETED", "FAILED", "OUT_OF_MEMORY")
    assert "oom" in cluster.output(job), cluster.output(job)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("receiver", "cause"), [("", "status 143"), ("B:", "SIGTERM")])
def test_the_signal_before_the_time_limit(cluster: Cluster, here: str, receiver: str, cause: str) -> None:
    """Slurm sends it within the minute before; ranks get it, or the script alone (B:)."""
    name = f"limit{len(receiver)}.json"
    text = script(here, name, "--time=1", f"--signal={receiver}TERM@50")
    job = cluster.submit(text.replace("thalweg run", "exec thalweg run") if receiver else text)
    check(await_report(cluster, job, name), cause)


@pytest.mark.exhaustive
def test_a_job_that_is_requeued_starts_anew(cluster: Cluster, here: str) -> None:
    text = script(here, "again-$SLURM_RESTART_COUNT.json", "--requeue", rounds="${SLURM_RESTART_COUNT:-100000000}")
    job = cluster.submit(text, "--open-mode=append")
    await_start(cluster, job)
    assert cluster.run("scontrol", "requeue", job).status == 0
    cluster.wait(job, "COMPLETED")
    assert "status 0" in cluster.output(job)
    check(json.loads((cluster.shared / "again-.json").read_text()), "SIGTERM")
    assert json.loads((cluster.shared / "again-1.json").read_text())["ended_by"] == "MPI_Finalize"


def test_nothing_is_left_when_the_tests_are_killed(cluster: Cluster, tmp_path: Path) -> None:
    """Also of a job that runs at the time."""
    name = f"{cluster.name}k"
    folder = Path(f"{cluster.folder}k")
    code = f"""
import sys, time
from pathlib import Path
sys.path[:0] = {sys.path!r}
from cluster import Cluster
one = Cluster({name!r}, Path({str(folder)!r}))
with one.up():
    one.submit("#!/bin/sh\\nsrun sleep 1000\\n", "-n", "2", "-N", "2")
    print("up", flush=True)
    time.sleep(1000)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        assert tests.stdout.readline() == "up\n"
        os.kill(tests.pid, signal.SIGKILL)
    left = [folder, folder_of(name), *(Path("/sys/fs/cgroup/memory") / f"{name}-h{host}" for host in (1, 2))]
    end_s = time.monotonic() + 120
    while any(path.exists() for path in left):
        assert time.monotonic() < end_s, left
        time.sleep(0.1)
