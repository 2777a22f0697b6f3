# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg try` runs a user's program in pairs, natively as without Thalweg, and keeps a report if asked for."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from answer_forms import checked
from support import Command, Programs

STABLE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank = 0, one = 1, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("process %d\\n", (int)getpid());
    printf("sum %d\\n", sum);
  }
  MPI_Finalize();
  return count > 2 ? atoi(words[2]) : 0;
}
"""


@pytest.mark.parametrize("words", [["--pairs", "0"], ["--pairs", "x"], ["--dry-run"], ["--pears", "3"]])
def test_what_cannot_be_is_refused(words: list[str], thalweg: Command) -> None:
    assert thalweg("try", *words, "--", "/bin/true").returncode == 2


def test_help_is_shown(thalweg: Command) -> None:
    done = thalweg("try", "--help")
    assert done.returncode == 0
    assert "--pairs N" in done.stdout


@pytest.mark.parametrize("form", ["ranks", "launcher"])
def test_pairs_are_run_and_compared(form: str, thalweg: Command, programs: Programs, tmp_path: Path) -> None:
    program = programs.build("stable", STABLE, "mpicc.openmpi")
    start = ["-n", "2", "--", program] if form == "ranks" else ["mpirun.openmpi", "-np", "2", program]
    kept = tmp_path / "try.json"
    done = thalweg("try", "--pairs", "2", "--keep", str(kept), "--json", str(tmp_path / "answer.json"), *start)
    assert done.returncode == 0, done.stderr
    assert "answers equal (1 line that does not change from run to run)" in done.stdout
    assert "no sure difference with fewer than 4 pairs" in done.stdout
    assert f"next: thalweg tune --for {kept}" in done.stdout
    answer = checked("try", (tmp_path / "answer.json").read_text())
    assert (len(answer["pairs"]), answer["outputs"]["are_equal"], answer["report"]) == (2, True, str(kept))
    assert json.loads(kept.read_text())["calls"][0]["function"] == "MPI_Allreduce"
    assert sum(line.startswith("  run ") for line in done.stdout.splitlines()) == 2


def test_a_failing_program_ends_the_try(thalweg: Command, programs: Programs) -> None:
    program = programs.build("stable", STABLE, "mpicc.openmpi")
    done = thalweg("try", "-n", "2", "--", program, "x", "3")
    assert done.returncode == 4
    assert "run 1 natively failed" in done.stderr
    assert "status 3" in done.stderr


SLEEPER = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char** words) {
  MPI_Init(&count, &words);
  FILE* const mark = fopen(words[1], "a");
  fprintf(mark, "%d\\n", (int)getpid());
  fclose(mark);
  sleep(600);
  MPI_Finalize();
}
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_takes_the_job_along(
    number: signal.Signals, environment: dict[str, str], programs: Programs, tmp_path: Path
) -> None:
    program = programs.build("sleeper", SLEEPER, "mpicc.openmpi")
    mark = tmp_path / "pids"
    words = [sys.executable, "-m", "thalweg", "try", "-n", "2", "--", program, str(mark)]
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not mark.exists() or len(mark.read_text().split()) < 2:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    process.wait(timeout=60)
    assert process.returncode == 128 + number
    end = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in mark.read_text().split()):
        assert time.monotonic() < end, "the ranks go on"
        time.sleep(0.05)
