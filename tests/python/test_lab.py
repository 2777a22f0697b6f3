"""The cluster in a box: hosts come up, jobs run across them, and nothing is left."""

import os
import subprocess
from collections.abc import Iterator

import pytest

from support import Command, Programs
from thalweg.errors import LAB, PROGRAM, USAGE
from thalweg.lab.hosts import FOLDER, NETNS, PREFIX

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make network namespaces")


def _words(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def _left_over() -> list[str]:
    spaces = [word for word in _words("ip", "netns", "list") if word.startswith(PREFIX)]
    return [*spaces, *map(str, NETNS.glob(f"{PREFIX}*")), *([str(FOLDER)] if FOLDER.exists() else [])]


@pytest.fixture
def lab(thalweg: Command) -> Iterator[Command]:
    """Three hosts."""
    assert not _left_over(), "a lab is up: thalweg lab down"
    result = thalweg("lab", "up", "--hosts", "3", "--rate", "100mbit")
    assert result.returncode == 0, result.stderr
    yield thalweg
    thalweg("lab", "down")
    assert not _left_over()


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_jobs_run_across_the_hosts(lab: Command, programs: Programs, family: str) -> None:
    source = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char** words) {
  int rank = 0, sum = 0;
  char host[64];
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  gethostname(host, sizeof host);
  printf("rank on %s, sum %d, argument %s\\n", host, sum, words[1]);
  MPI_Finalize();
  return 0;
}
"""
    program = programs.build(f"across-{family}", source, f"mpicc.{family}")
    wanted = {f"rank on {PREFIX}h{host}, sum 15, argument two words" for host in range(3)}
    for options in (["--native"], [], ["--use", "allreduce=recursive_doubling"]):
        result = lab("lab", "run", *options, "-n", "6", "--", program, "two words")
        assert result.returncode == 0, result.stderr
        lines = [line for line in result.stdout.splitlines() if line.startswith("rank on")]
        assert len(lines) == 6
        assert set(lines) == wanted
        assert ("6 ranks on 3 nodes" in result.stderr) == (options != ["--native"])


def test_links_have_their_rate(lab: Command) -> None:
    del lab
    for host in range(3):
        for space, device in ((f"{PREFIX}h{host}", "eth0"), (f"{PREFIX}switch", f"port{host}")):
            shape = _words("tc", "-n", space, "qdisc", "show", "dev", device)
            assert shape[1] == "tbf"
            assert shape[shape.index("rate") + 1] == "100Mbit"


def test_a_second_lab_is_refused(lab: Command) -> None:
    result = lab("lab", "up")
    assert result.returncode == LAB.number
    assert "thalweg lab down" in result.stderr


def test_down_clears_up_after_a_crash(lab: Command) -> None:
    sleeper = subprocess.Popen(["ip", "netns", "exec", f"{PREFIX}h1", "sleep", "100"])
    (FOLDER / "lab.json").unlink()
    subprocess.run(["ip", "netns", "delete", f"{PREFIX}h2"], check=True)
    assert lab("lab", "down").returncode == 0
    assert not _left_over()
    assert sleeper.wait(timeout=10) != 0


def test_what_cannot_be_is_refused(thalweg: Command) -> None:
    for words, status in (
        (["lab", "up", "--hosts", "1"], USAGE),
        (["lab", "up", "--rate", "fast"], USAGE),
        (["lab", "run", "-n", "2", "--", "/bin/true"], LAB),
    ):
        assert thalweg(*words).returncode == status.number
    assert not _left_over()


def test_programs_without_mpi_are_refused(lab: Command) -> None:
    assert lab("lab", "run", "-n", "2", "--", "/bin/true").returncode == PROGRAM.number
