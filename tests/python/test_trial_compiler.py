# SPDX-License-Identifier: BSD-3-Clause
"""Programs are compiled where there is a compiler and room, and what is missing is said."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from thalweg.errors import INSTALLATION, ThalwegError
from thalweg.trials.compiler import compiled_program


class Usage(NamedTuple):
    free: int


@pytest.mark.parametrize(
    ("full", "problem", "remedy"),
    [
        ("cache/thalweg", "the trial program cannot be compiled: {} is full", "free some space there"),
        ("scratch", "the trial program cannot be compiled: {} is full", "free some space there"),
        ("", "the trial program does not compile: ", "is the MPI whole, with its headers and a C compiler?"),
    ],
)
def test_a_full_disk_is_no_lack_of_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: str, problem: str, remedy: str
) -> None:
    """Compilers write beside the program and in TMPDIR."""
    for folder in ("bin", "scratch"):
        (tmp_path / folder).mkdir()
    compiler = tmp_path / "bin" / "mpicc"
    compiler.write_text("#!/bin/sh\necho 'No space left on device, or whatever' >&2\nexit 1\n")
    compiler.chmod(0o755)
    shutil.copy(compiler, tmp_path / "bin" / "mpicc.openmpi")
    (tmp_path / "bin" / "libmpi.so.40").touch()
    source = tmp_path / "program.c"
    source.touch()
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(0 if place == str(tmp_path / full) else 1 << 40))
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path / "scratch")}
    with pytest.raises(ThalwegError) as error:
        compiled_program("trial", [source], str(tmp_path / "bin" / "libmpi.so.40"), environment)
    assert error.value.status is INSTALLATION
    assert error.value.message.startswith(problem.format(tmp_path / full)), error.value.message
    assert error.value.remedy.startswith(remedy)
    assert list((tmp_path / "cache" / "thalweg").iterdir()) == []
