# SPDX-License-Identifier: BSD-3-Clause
"""What every run starts with: few imports, programs as shells find them, and what they say."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg.programs.processes import IGNORED_BY_PYTHON, executable, output_of

SLOW = ("argparse", "glob", "inspect", "json", "numpy", "pathlib", "shutil", "subprocess", "tomllib", "typer")
"""Modules whose import takes as long as all of a run's own work."""


@pytest.mark.parametrize(
    "words", [("-n", "2", "--mpi", "mpich", "/bin/true"), ("mpirun.mpich", "-n", "2", "/bin/true")]
)
def test_runs_import_little(environment: dict[str, str], words: tuple[str, ...]) -> None:
    # In the launcher's place is what tells which modules were imported until then.
    script = f"""
import os, sys
before = set(sys.modules)
os.execve = lambda *_: sys.exit(str(sorted(set(sys.modules) - before)))
from thalweg.cli import application
application(["run", *{words}])
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**environment, "THALWEG_SUMMARY": "0"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    imported = done.stderr.splitlines()[-1]
    assert "'thalweg.launch.plan'" in imported, done.stderr
    assert not [name for name in SLOW if f"'{name}'" in imported]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make folders a, b, c with programs, files that are none, and folders that are called like programs."""
    top = tmp_path_factory.mktemp("path")
    for folder, names in {
        "a": ("one", "plain-two"),
        "b": ("two", "one", "folder-three"),
        "c": ("three", "two"),
    }.items():
        (top / folder).mkdir()
        for name in names:
            kind, _, rest = name.rpartition("-")
            if kind == "folder":
                (top / folder / rest).mkdir()
            else:
                (top / folder / rest).touch(mode=0o644 if kind else 0o755)
    return top


PARTS = st.lists(st.sampled_from(["a", "b", "c", "", "none", "{top}/a", "{top}/b", "{top}/c"]), max_size=5)
WORDS = st.sampled_from(["one", "two", "three", "four", "a/one", "b/three", "./c/two", "{top}/c/three", "a/", ""])


@given(parts=PARTS, word=WORDS)
def test_programs_are_found_as_the_standard_library_finds_them(folders: Path, parts: list[str], word: str) -> None:
    path = ":".join(parts).format(top=folders)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folders)
        found = executable(word.format(top=folders), {"PATH": path})
        assert found == shutil.which(word.format(top=folders), path=path)


def test_without_a_path_the_systems_is_searched() -> None:
    assert executable("sh", {}) == shutil.which("sh", path=os.defpath)


@pytest.fixture(params=["by a descriptor", "by looks"])
def ends(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ends be seen in both ways: kernels before 5.3 have no descriptors of processes."""
    if request.param == "by looks":

        def refuse(_child: int) -> int:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

        monkeypatch.setattr(os, "pidfd_open", refuse)


@pytest.mark.usefixtures("ends")
def test_what_programs_say_is_told_apart() -> None:
    said = output_of(["/bin/sh", "-c", 'echo "$NAME"; echo "not so" >&2; exit 3'], {"NAME": "so"})
    assert said == ("so\n", "not so\n")
    assert output_of(["/bin/sh", "-c", r"printf '\377'"], {}).text == "\ufffd"


def test_programs_ignore_no_more_signals_than_from_a_shell() -> None:
    ignored = int(output_of(["/bin/grep", "SigIgn", "/proc/self/status"], {}).text.split()[1], 16)
    assert not ignored & sum(1 << (number - 1) for number in IGNORED_BY_PYTHON)


@pytest.mark.usefixtures("ends")
def test_programs_that_do_not_start_or_end_are_errors() -> None:
    with pytest.raises(FileNotFoundError):
        output_of(["/nowhere/program"], {})
    with pytest.raises(TimeoutError, match="did not end within"):
        output_of(["/bin/sleep", "3600"], {}, seconds=0.01)
