# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that do not end by MPI_Finalize have a report all the same."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
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
static volatile sig_atomic_t heard;
static void hear(int number) { heard = number; }
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
  if (strcmp(how, "listens") == 0) {
    struct sigaction action = {.sa_handler = hear};
    sigaction(SIGUSR1, &action, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      printf("begun\n");
      fflush(stdout);
    }
    for (int i = 0; i < 1200 && !heard; ++i)
      usleep(100000);
    MPI_Finalize();
    return heard ? 0 : 1;
  }
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
BARRIER = "job.c:19 (main)"


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


def awaited(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def ranks_of(program: str) -> list[str]:
    """Name the processes that run a program."""
    return [
        path.parent.name
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if (words := content_of(path).split(b"\0")) and words[0] == program.encode()
    ]


def content_of(path: Path) -> bytes:
    """Read a file of a process, which may have ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


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
    assert "in MPI_Recv at job.c:13 (waits) when the job ended" in said
    assert 0 <= calls["MPI_Barrier"]["waiting_share"] <= 1
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


@FAMILIES
def test_a_snapshot_is_written_while_the_job_goes_on(
    environment: dict[str, str], tmp_path: Path, program: str, family: str
) -> None:
    with processors():
        job = start(environment, tmp_path, "-n", "2", program, "hangs")
        job.send_signal(signal.SIGUSR1)
        report = tmp_path / "run.json"
        awaited(report.exists)
        assert job.poll() is None
        document, calls = sites(report)
        assert document["ended_by"] == "SIGUSR1 (the job goes on)"
        assert document["ranks_without_report"] == 0
        assert calls["MPI_Barrier"]["calls"] == 1000
        job.terminate()
        job.communicate(timeout=120)
    assert sites(report)[0]["ended_by"] == "SIGTERM"
    assert family in document["mpi"]["library"].lower().replace(" ", "")


@pytest.mark.parametrize("family", ["openmpi"])
def test_a_program_that_waits_for_the_signal_gets_it(
    environment: dict[str, str], tmp_path: Path, program: str, family: str
) -> None:
    with processors():
        job = start(environment, tmp_path, "-n", "2", program, "listens")
        job.send_signal(signal.SIGUSR1)
        said = job.communicate(timeout=240)[1]
    assert job.returncode == 0, said
    document = sites(tmp_path / "run.json")[0]
    assert document["ended_by"] == "MPI_Finalize"
    assert family in document["mpi"]["library"].lower().replace(" ", "")


def under_launcher(environment: dict[str, str], folder: Path, family: str, *words: str) -> "subprocess.Popen[str]":
    """Start ranks that are each a command of their own, in a session of its own."""
    command = [sys.executable, "-m", "thalweg", "run", "--report", str(folder / "run.json"), *words]
    return subprocess.Popen(
        [f"mpirun.{family}", "-n", "2", *command], env=environment, cwd=folder, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


@FAMILIES
def test_ranks_of_another_launcher_leave_their_parts(
    thalweg: Command, environment: dict[str, str], tmp_path: Path, program: str, family: str
) -> None:
    parts = tmp_path / "run.json.parts"
    with processors():
        job = under_launcher(environment, tmp_path, family, program, "hangs")
        assert job.stdout is not None
        assert job.stdout.readline() == "begun\n", job.communicate(timeout=60)
        pids = [int(pid) for pid in ranks_of(program)]
        assert len(pids) == 2
        for pid in pids:
            with suppress(ProcessLookupError):  # the launcher is faster
                os.kill(pid, signal.SIGKILL)
        job.communicate(timeout=120)
    shown = thalweg("report", str(parts))
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("2 of 2 ranks on 1 of 1 node: the last call in MPI was")
    document, calls = sites(parts / "run.json")
    assert document["ended_by"] == "an end without MPI_Finalize"
    assert calls["MPI_Barrier"]["calls"] == 1000
    assert [one["rank"] for one in calls["MPI_Recv"]["in_progress"]] == [0]
    assert 0 < document["wall_ns"] < 600e9
    assert "</html>" in (parts / "run.html").read_text()


@FAMILIES
def test_ranks_of_another_launcher_leave_nothing_where_they_end_well(
    environment: dict[str, str], programs: Programs, tmp_path: Path, family: str
) -> None:
    with processors():
        job = under_launcher(environment, tmp_path, family, programs.of(family))
        said = job.communicate(timeout=120)[1]
    assert job.returncode == 0, said
    assert sites(tmp_path / "run.json")[0]["ended_by"] == "MPI_Finalize"
    assert not (tmp_path / "run.json.parts").exists()


def test_a_folder_without_parts_is_refused(thalweg: Command, tmp_path: Path) -> None:
    done = thalweg("report", str(tmp_path))
    assert done.returncode == 2
    assert "has no parts of a report" in done.stderr


@FAMILIES
def test_running_jobs_are_shown(
    thalweg: Command, environment: dict[str, str], tmp_path: Path, program: str, family: str
) -> None:
    with processors():
        job = start(environment, tmp_path, "-n", "2", program, "hangs")
        try:
            awaited(lambda: "MPI_Recv" in thalweg("top", str(job.pid), "--json").stdout)
            (shown,) = json.loads(thalweg("top", str(job.pid), "--json").stdout)["jobs"]
            table = thalweg("top", str(job.pid))
        finally:
            job.kill()
            job.communicate(timeout=60)
    assert shown["pid"] == job.pid
    assert {site["function"] for site in shown["report"]["calls"]} >= {"MPI_Barrier", "MPI_Recv"}
    first, header, *rows = table.stdout.splitlines()
    assert first.startswith(f"{job.pid}  interrupted_{family}  2 ranks  ")
    assert "in MPI" in first and header.split()[0] == "where"
    assert any("job.c:13 waits" in row for row in rows)


def test_jobs_that_are_not_there_are_refused(thalweg: Command) -> None:
    done = thalweg("top", "1")
    assert done.returncode == 2
    assert "no job 1 counts here" in done.stderr


@FAMILIES
@pytest.mark.parametrize("how", ["", "exits"])
def test_each_job_leaves_a_small_log(
    thalweg: Command, programs: Programs, tmp_path: Path, *, program: str, family: str, how: str
) -> None:
    words = [program, how] if how else [programs.of(family)]
    variables = {"THALWEG_LOGS": str(tmp_path / "logs" / "%Y" / "%m"), "SLURM_JOB_NAME": "x", "USER": "ada"}
    done = thalweg("run", "--no-summary", "-n", "2", "--", *words, variables=variables)
    (log,) = (tmp_path / "logs").rglob("*.json")
    assert re.fullmatch(r"logs/\d{4}/\d{2}", str(log.parent.relative_to(tmp_path)))
    document = json.loads(log.read_text())
    assert document["user"] == "ada"
    assert document["ranks"] == 2
    assert (document["ended_by"] == "MPI_Finalize") == (not how), done.stderr
    assert len(log.read_bytes()) < 8192
    shown = thalweg("site", str(tmp_path / "logs"))
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("1 job, ")
    assert ("did not end by MPI_Finalize" in shown.stdout) == bool(how)


@FAMILIES
@pytest.mark.parametrize("how", ["", "exits"])
def test_logs_that_cannot_be_written_harm_no_job(
    thalweg: Command, programs: Programs, *, program: str, family: str, how: str
) -> None:
    """They are one line, and the job goes on."""
    words = [program, how] if how else [programs.of(family)]
    done = thalweg("run", "--no-summary", "-n", "2", "--", *words, variables={"THALWEG_LOGS": "/proc/none/%Y"})
    assert (done.returncode == 0) == (not how)
    (line,) = [line for line in done.stderr.splitlines() if "thalweg" in line]
    assert line.startswith("thalweg: the job's log cannot be written in /proc/none/%Y: "), line
    assert line.endswith("; let users write there, or unset THALWEG_LOGS")
