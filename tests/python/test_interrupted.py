# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that do not end by MPI_Finalize have a report all the same."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from locks import processors

from support import Command, Programs

SOURCE = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int rank;
static int waits(void) {
  int word = 0;
  while (MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS) {}
  return 1; }
int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 500; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
  const char* how = count > 1 ? words[1] : "";
  const int hangs = strcmp(how, "hangs") == 0;
  if (hangs && rank == 0)
    return waits();
  if (hangs) {
    /* Rank 0 has been in that call once it has this message, and is in the next one soon. */
    MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    usleep(500000);
  }
  if (hangs || rank == 0) {
    printf("begun\n");
    fflush(stdout);
  }
  if (strcmp(how, "aborts") == 0 && rank == 1)
    MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(how, "is killed") == 0 && rank == 1)
    raise(SIGKILL);
  if (strcmp(how, "exits") == 0)
    exit(5);
  sleep(120);
  return 0;
}
"""
FAMILIES = pytest.mark.parametrize("family", ["openmpi", "mpich"])
BARRIER = "job.c:17 (main)"


@pytest.fixture
def program(programs: Programs, family: str) -> str:
    (programs.folder / "job.c").write_text(SOURCE)
    path = programs.folder / f"interrupted_{family}"
    if not path.exists():
        words = [f"mpicc.{family}", "-g", "-o", str(path), str(programs.folder / "job.c")]
        subprocess.run(words, check=True, capture_output=True)
    return str(path)


def sites(report: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give a report and its call sites by function."""
    document = json.loads(report.read_text())
    return document, {site["function"]: site for site in document["calls"]}


def start(environment: dict[str, str], folder: Path, *words: str) -> "subprocess.Popen[str]":
    """Start a job in a session of its own and wait for its first line."""
    job = subprocess.Popen(
        [sys.executable, "-m", "thalweg", "run", "--report", str(folder / "run.json"), *words],
        env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert job.stdout is not None
    assert job.stdout.readline() == "begun\n", job.communicate(timeout=60)
    return job


@FAMILIES
@pytest.mark.parametrize("sent", ["SIGTERM", "SIGTERM with a launcher", "SIGINT", "SIGINT to all"])
def test_signals(environment: dict[str, str], tmp_path: Path, program: str, family: str, sent: str) -> None:
    words = [f"mpirun.{family}", "-n", "2"] if "launcher" in sent else ["-n", "2"]
    number = signal.Signals[sent.split(maxsplit=1)[0]]
    with processors():
        job = start(environment, tmp_path, *words, program, "hangs")
        os.killpg(job.pid, number) if "to all" in sent else os.kill(job.pid, number)
        said = job.communicate(timeout=120)[1]
    document, calls = sites(tmp_path / "run.json")
    assert document["ended_by"] == number.name
    assert len(document["ranks"]) == 2
    assert calls["MPI_Barrier"]["calls"] == 1000
    assert calls["MPI_Barrier"]["source"] == BARRIER
    assert [one["rank"] for one in calls["MPI_Recv"]["in_progress"]] == [0]
    assert f"from init until {number.name}" in said
    assert "in MPI_Recv at job.c:11 (waits) when the job ended" in said
    assert not list(Path("/dev/shm").glob("*thalweg-journal*"))


@pytest.mark.parametrize(
    ("family", "how"),
    [("openmpi", "aborts"), ("openmpi", "exits"), ("mpich", "aborts"), ("mpich", "exits"), ("mpich", "is killed")],
)
def test_ends_of_the_programs_own(
    thalweg: Command, environment: dict[str, str], tmp_path: Path, *, program: str, family: str, how: str
) -> None:
    result = thalweg("run", "--report", "run.json", "-n", "2", "--", program, how)
    assert result.returncode != 0
    launch = [f"mpirun.{family}", "-n", "2", program, how]
    # MPICH's launcher gives 1 now and then, where it kills a rank that is about to end by itself.
    natively = (
        subprocess.run(launch, env=environment, capture_output=True, check=False, timeout=120).returncode
        for _ in range(5)
    )
    assert result.returncode in natively
    document, calls = sites(tmp_path / "run.json")
    assert "without MPI_Finalize" in document["ended_by"] or "ended by SIG" in document["ended_by"]
    assert len(document["ranks"]) == 2
    assert calls["MPI_Barrier"]["calls"] == 1000
    assert document["ended_by"] in result.stderr


@pytest.mark.parametrize("family", ["mpich"])
def test_a_killed_command_takes_its_job_along(environment: dict[str, str], tmp_path: Path, program: str) -> None:
    with processors():
        job = start(environment, tmp_path, "-n", "2", program, "hangs")
        job.kill()
        # The ranks held the other ends of these pipes.
        job.communicate(timeout=60)
    assert job.returncode == -signal.SIGKILL


@FAMILIES
def test_a_job_that_ends_well_says_so(thalweg: Command, programs: Programs, tmp_path: Path, family: str) -> None:
    result = thalweg("run", "--report", "run.json", "-n", "2", programs.of(family))
    assert result.returncode == 0, result.stderr
    assert sites(tmp_path / "run.json")[0]["ended_by"] == "MPI_Finalize"
    assert result.stderr.count("from init to finalize") == 1
    quiet = thalweg("run", "--no-summary", "-n", "2", programs.of(family))
    assert quiet.returncode == 0 and "thalweg" not in quiet.stderr
