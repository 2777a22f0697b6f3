# SPDX-License-Identifier: BSD-3-Clause
"""Real jobs under `thalweg run`: the preload arrives in the ranks, statuses come back, answers stay."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support import Command, Programs

FAMILIES = ("openmpi", "mpich")
_THALWEG_RUN = [sys.executable, "-m", "thalweg", "run"]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("form", ["flag", "launcher", "inside"])
def test_ranks_are_preloaded_in_every_form(thalweg: Command, programs: Programs, family: str, form: str) -> None:
    program = programs.of(family)
    launcher = [f"mpirun.{family}", *(["--oversubscribe"] if family == "openmpi" else [])]
    words = {
        "flag": ["run", "-n", "3", "--", program, "word"],
        "launcher": ["run", *launcher, "-n", "3", program, "word"],
        "inside": ["run", *launcher, "-n", "3", sys.executable, "-m", "thalweg", "run", program, "word"],
    }[form]
    result = thalweg(*words)
    assert result.returncode == 0, result.stderr
    lines = sorted(line for line in result.stdout.splitlines() if line.startswith("rank "))
    assert [line.split(",")[0] for line in lines] == ["rank 0", "rank 1", "rank 2"]
    assert all(f"libthalweg-{family}.so" in line and "argument word" in line for line in lines)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_programs_exit_status_comes_back(thalweg: Command, programs: Programs, family: str) -> None:
    assert thalweg("run", "-n", "2", programs.of(family), "x", "7").returncode == 7


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("form", ["attended", "replaced", "inside"])
def test_ranks_ignore_no_more_signals_than_natively(
    thalweg: Command, environment: dict[str, str], family: str, form: str
) -> None:
    """Python ignores two for itself, and a shell's pipeline says that it is broken where SIGPIPE does not end it."""
    job = [f"mpirun.{family}", *(["--oversubscribe"] if family == "openmpi" else []), "-n", "1"]
    shown = ["sed", "-n", "s/^SigIgn://p", "/proc/self/status"]
    inside = [sys.executable, "-m", "thalweg", "run", "--mpi", family] if form == "inside" else []
    natively = subprocess.run([*job, *shown], env=environment, capture_output=True, text=True, check=False)
    options = ["--no-summary"] if form == "replaced" else []
    result = thalweg("run", *options, *job, *inside, *shown)
    assert natively.returncode == result.returncode == 0, result.stderr
    assert result.stdout == natively.stdout


@pytest.mark.parametrize("family", FAMILIES)
def test_several_programs_in_one_job(thalweg: Command, programs: Programs, family: str) -> None:
    program = programs.of(family)
    more = ["--oversubscribe"] if family == "openmpi" else []
    result = thalweg("run", f"mpirun.{family}", *more, "-n", "1", program, "first", ":", "-n", "2", program, "second")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("argument first") == 1
    assert result.stdout.count("argument second") == 2
    assert result.stdout.count(f"libthalweg-{family}.so") == 3


@pytest.mark.parametrize("family", FAMILIES)
def test_selections_with_parameters_arrive_in_the_ranks(thalweg: Command, programs: Programs, family: str) -> None:
    selections = ["--use", "alltoall=direct", "--use", "allreduce=native"]
    result = thalweg("run", *selections, "-n", "2", programs.of(family))
    assert result.stdout.count("use alltoall=direct;allreduce=native") == 2, result.stderr


@pytest.mark.parametrize("family", FAMILIES)
def test_disabled_means_absent(thalweg: Command, programs: Programs, family: str) -> None:
    for words, variables in ((["--disable"], {}), ([], {"THALWEG_DISABLE": "1"})):
        result = thalweg("run", *words, "-n", "2", programs.of(family), variables=variables)
        assert result.stdout.count("preload -") == 2, result.stderr
        assert "thalweg" not in result.stderr


@pytest.mark.parametrize("family", FAMILIES)
def test_the_report_is_written_where_it_was_asked_for(
    thalweg: Command, programs: Programs, family: str, tmp_path: Path
) -> None:
    result = thalweg("run", "--report", "run.json", "--no-summary", "-n", "2", programs.of(family), cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert json.loads((tmp_path / "run.json").read_text())


def test_a_script_that_starts_the_program(thalweg: Command, programs: Programs) -> None:
    script = programs.script("starts.sh", f'#!/bin/sh\nexec "{programs.mpich()}" from-script\n')
    result = thalweg("run", "mpirun.mpich", "-n", "2", script)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("libthalweg-mpich.so, use -, argument from-script") == 2


def test_programs_of_one_name_and_two_compilers_are_two(programs: Programs) -> None:
    source = "#include <stdio.h>\nint main(void) { puts(WORD); return 0; }\n"
    first, second = (programs.build("twice", source, "cc", f'-DWORD="{word}"') for word in ("one", "two"))
    assert [subprocess.check_output([path], text=True) for path in (first, second, first)] == [
        "one\n",
        "two\n",
        "one\n",
    ]


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_a_wait_for_no_request_is_refused_while_an_operation_is_followed(
    thalweg: Command, programs: Programs, environment: dict[str, str], tmp_path: Path, family: str
) -> None:
    source = """
#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
  int one = 1, sum = 0;
  MPI_Request request;
  MPI_Init(&count, &words);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  int code = MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE), kind = 0;
  MPI_Error_class(code, &kind);
  printf("refused %d, class %d\\n", code != MPI_SUCCESS, kind);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("sum %d\\n", sum);
  MPI_Finalize();
  return 0;
}
"""
    program = programs.build("waits_for_none", source, f"mpicc.{family}")
    natively = subprocess.run(
        [f"mpirun.{family}", "-n", "1", program],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert natively.startswith("refused 1")
    for more in ([], ["--timeline", str(tmp_path / "t.json")]):
        result = thalweg("run", *more, "-n", "1", "--", program)
        assert result.stdout == natively, result.stderr


def test_signals_end_the_job_as_they_do_natively(
    programs: Programs, environment: dict[str, str], tmp_path: Path
) -> None:
    source = "#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\n"
    source += 'int main(int c, char** v) { MPI_Init(&c, &v); puts("up"); fflush(stdout); sleep(60); return 0; }\n'
    sleeper = programs.build("sleeper", source, "mpicc.mpich")
    job = ["mpirun.mpich", "-n", "1", sleeper]
    # Hydra's status depends on who ends first, its helper or the rank: on a busy machine it differs from run to run.
    natively = set()
    under_thalweg = set()
    for _ in range(6):
        natively.add(_interrupted(job, environment, tmp_path))
        under_thalweg.add(_interrupted([*_THALWEG_RUN, *job], environment, tmp_path))
        if natively & under_thalweg:
            return
    pytest.fail(f"statuses natively {natively}, under Thalweg {under_thalweg}")


def _interrupted(command: list[str], environment: dict[str, str], folder: Path) -> int:
    with subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        assert job.stdout.readline() == "up\n"
        job.send_signal(signal.SIGINT)
        return job.wait(timeout=30)


NAMED_SOURCE = """
#include <mpi.h>
#include <vector>
namespace deep::space {
template <class T> [[gnu::noinline]] T meet(const std::vector<T>& items, int count) {
  for (int i = 0; i < count; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
  return items[0];
}
}
int main(int count, char** words) {
  MPI_Init(&count, &words);
  deep::space::meet(std::vector<double>(1), 5);
  MPI_Finalize();
}
"""


def test_call_sites_are_named_as_in_the_source(thalweg: Command, programs: Programs, tmp_path: Path) -> None:
    file = programs.folder / "named.cpp"
    file.write_text(NAMED_SOURCE)
    path = programs.folder / "named"
    subprocess.run(["mpicxx.mpich", "-g", "-O1", "-o", path, file], check=True, capture_output=True)
    result = thalweg("run", "--report", "run.json", "-n", "2", str(path))
    (site,) = json.loads((tmp_path / "run.json").read_text())["calls"]
    assert site["source"] == "named.cpp:7 (deep::space::meet<double>)", result.stderr
    assert "named.cpp:7 (deep::space::meet<double>)" in result.stderr


FINALIZES = r"""
#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
  int rank = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 1)
    fclose(fopen(words[1], "w"));
  return 0;
}
"""


@pytest.mark.parametrize("family", FAMILIES)
def test_no_rank_waits_for_the_report(environment: dict[str, str], tmp_path: Path, family: str) -> None:
    """Rank 0 writes it into a pipe that nobody reads before rank 1 has left MPI_Finalize."""
    (tmp_path / "finalizes.c").write_text(FINALIZES)
    subprocess.run([f"mpicc.{family}", "-o", "finalizes", "finalizes.c"], cwd=tmp_path, check=True)
    pipe, left = tmp_path / "pipe", tmp_path / "left"
    os.mkfifo(pipe)
    words = ["--report", str(pipe), "-n", "2", "--", str(tmp_path / "finalizes"), str(left)]
    with subprocess.Popen([*_THALWEG_RUN, *words], env=environment, cwd=tmp_path, stderr=subprocess.DEVNULL) as job:
        end = time.monotonic() + 60
        while not left.exists() and time.monotonic() < end:
            time.sleep(0.01)
        has_left = left.exists()
        assert json.loads(pipe.read_text())["ended_by"] == "MPI_Finalize"
        assert has_left
        assert job.wait(timeout=60) == 0
