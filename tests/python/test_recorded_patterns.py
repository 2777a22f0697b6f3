# SPDX-License-Identifier: BSD-3-Clause
"""Patterns that runs have recorded, in Python."""

from pathlib import Path

import numpy as np
import pytest

from support import Command, Programs
from thalweg.errors import ThalwegError
from thalweg.placement.files import read_pattern, write_pattern

TEXT = """thalweg-pattern 1
ranks 3
seconds 1.5
command ./app -n 100
# a note
site 0 call MPI_Send halo.c:4 (exchange)
site 1 like:bruck MPI_Allgather solve.c:7 (step)
phase 1 1
0 1 100 4 0
0 1 50 2 1
phase 10 2
1 2 80 20 0
2 2 7 7 0
"""
SUM = np.array([[0, 150, 0], [0, 0, 80], [0, 0, 0]])


def recorded(folder: Path, text: str = TEXT) -> str:
    """Keep a text as a run would."""
    path = folder / "app.pattern"
    path.write_text(text)
    return str(path)


def test_phases_are_of_one_time(tmp_path: Path) -> None:
    pattern = read_pattern(recorded(tmp_path))
    assert pattern.tasks == 3
    assert [(phase.name, phase.repeats) for phase in pattern.phases] == [("1", 1), ("2", 10)]
    assert list(pattern.phases[1].bytes) == [8, 0.7]
    assert np.array_equal(pattern.matrix().toarray(), SUM)


@pytest.mark.parametrize("ending", ["mtx", "csv"])
def test_what_is_written_reads_back(tmp_path: Path, ending: str) -> None:
    path = str(tmp_path / f"out.{ending}")
    write_pattern(read_pattern(recorded(tmp_path)), path)
    assert np.array_equal(read_pattern(path).matrix().toarray(), SUM)


def test_metis_has_both_ways_as_one(tmp_path: Path) -> None:
    path = str(tmp_path / "out.graph")
    write_pattern(read_pattern(recorded(tmp_path)), path)
    # An edge has the bytes of both ways, half of which are read back for each.
    assert np.array_equal(read_pattern(path).matrix().toarray(), (SUM + SUM.T) / 2)


@pytest.mark.parametrize("text", ["", "thalweg-pattern 2\n", TEXT + "0 9 1 1 0\n", TEXT + "0 x 1 1 0\n"])
def test_other_texts_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ThalwegError):
        read_pattern(recorded(tmp_path, text))


@pytest.mark.parametrize(("option", "what"), [("--trace", "trace"), ("--record", "pattern")])
def test_what_cannot_be_kept_is_called_by_its_name(
    thalweg: Command, programs: Programs, option: str, what: str
) -> None:
    """The job is well all the same."""
    done = thalweg("run", option, "--no-summary", "--patterns", "/proc/nowhere", "-n", "2", "--", programs.mpich())
    assert done.returncode == 0, done.stderr
    [said] = [line for line in done.stderr.splitlines() if "cannot be written" in line]
    assert said.startswith(f"thalweg: the {what} /proc/nowhere/")
    assert f".{what} cannot be written: " in said
    assert "--patterns FOLDER" in said
