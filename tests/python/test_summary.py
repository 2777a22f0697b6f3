# SPDX-License-Identifier: BSD-3-Clause
"""The summary of real jobs: its last line is a command that works, and it fits the terminal."""

import contextlib
import os
import pty
import re
import sys
from pathlib import Path

import pytest
from locks import processors

from support import Command, Programs

SOURCE = r"""
#include <mpi.h>
int main(int count, char** words) {
  static double sent[4096], got[4096];
  MPI_Init(&count, &words);
  for (int i = 0; i < 2000; ++i)
    MPI_Allreduce(sent, got, 4096, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture
def program(programs: Programs) -> str:
    return programs.build("sums", SOURCE, "mpicc.mpich", "-g")


def test_the_last_line_is_the_next_command(thalweg: Command, program: str, tmp_path: Path) -> None:
    """It is the same command with a report, and of a report what tunes its calls."""
    first = thalweg("run", "--learn", "off", "-n", "2", "--", program, "an argument")
    assert first.returncode == 0, first.stderr
    assert (
        first.stderr.splitlines()[-1]
        == f"next: thalweg run --html run.html --learn off -n 2 -- {program} 'an argument'"
    )
    second = thalweg("run", "--learn", "off", "--report", "run.json", "-n", "2", "--", program)
    following = re.escape("next: thalweg tune --for run.json  # about 1 min, may save up to ")
    assert re.fullmatch(f"{following}[0-9]+ % of the run", second.stderr.splitlines()[-1])
    away = tmp_path / "away"
    away.mkdir()
    other = thalweg("run", "--learn", "off", "--report", str(away / "x.json"), "-n", "2", "--", program, cwd=away)
    assert "tune --for x.json  # about" in other.stderr
    assert "passed on to the library" not in second.stderr


def test_it_fits_the_terminal_with_bars(environment: dict[str, str], program: str) -> None:
    words = [sys.executable, "-m", "thalweg", "run", "-n", "2", "--", program]
    with processors():
        child, terminal = pty.fork()
        if child == 0:
            kind = {"COLUMNS": "60", "TERM": "xterm", "LC_ALL": "C.UTF-8"}
            os.execve(sys.executable, words, environment | kind)
        shown = b""
        with contextlib.suppress(OSError):  # which ends it
            while part := os.read(terminal, 1 << 16):
                shown += part
        os.close(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    rows = shown.decode().split("\r\n")
    assert re.match(r"thalweg: .* in MPI", rows[0])
    # What is to be pasted stays whole, and so does what is one word, as paths.
    assert [row for row in rows if len(row) > 60 and len(row.split()) > 1 and not row.startswith("next: ")] == []
    assert any("█" in row for row in rows)
