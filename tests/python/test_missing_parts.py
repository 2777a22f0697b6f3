# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a report that lie on other hosts: how they are sent, and how they are named where nothing brings them."""

import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thalweg.launch.missing import Missing, bring, can_bring, keep_memory, missing_in, missing_text

HOLE = 1 << 16
PIECES = st.lists(st.sampled_from([b"\0" * HOLE, b"\0" * 10, b"x", b"\0x\0" * HOLE]), max_size=6).map(b"".join)

# Each task is a host here, and a line has the task's number in front, as with srun --label.
SRUN = """#!/bin/sh
while [ "$1" != sh ]; do
  case $1 in --ntasks=*) tasks=${1#--ntasks=} ;; esac
  shift
done
task=0
while [ $task -lt $tasks ]; do (cd "$HOSTS/$task" && "$@") | sed "s/^/$task: /"; task=$((task + 1)); done
"""


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """Give an allocation whose srun starts tasks here, each in the folder of its host."""
    folder = Path(tempfile.mkdtemp())
    (folder / "srun").write_text(SRUN)
    (folder / "srun").chmod(stat.S_IRWXU)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "SLURM_JOB_ID": "1", "SLURM_NTASKS": "9"}


@settings(max_examples=10)
@given(st.lists(st.tuples(PIECES, PIECES), min_size=1, max_size=3))
def test_parts_come_as_they_were_and_leave_their_hosts(
    environment: dict[str, str], hosts: list[tuple[bytes, bytes]]
) -> None:
    """Whatever they hold, and where a host has other files too, these stay."""
    with tempfile.TemporaryDirectory() as here:
        missing, sent = [], {}
        for task, contents in enumerate(hosts):
            for number, content in enumerate(contents):
                part = Path(here, "hosts", str(task), f"own {number}", f"h{task}-{number}.journal")
                part.parent.mkdir(parents=True)
                part.write_bytes(content)
                missing.append(Missing(f"h{task}.example", "0", os.path.relpath(part, Path(here, "hosts", str(task)))))
                sent[part.name] = content
            (part.parent / "other").write_text("stays")
        folder = Path(here, "parts")
        bring(missing, str(folder), environment | {"HOSTS": f"{here}/hosts"}, 60)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == sent
        left = [path for path in Path(here, "hosts").rglob("*") if path.is_file()]
        assert {path.name for path in left} == {"other"}


@given(PIECES)
def test_memory_is_kept_as_it_is(content: bytes) -> None:
    memory = os.memfd_create("memory")
    os.write(memory, content)
    with tempfile.TemporaryDirectory() as folder:
        keep_memory(memory, f"{folder}/parts")
        (part,) = Path(folder, "parts").iterdir()
        assert part.name.endswith(".journal")
        assert part.read_bytes() == content
    os.close(memory)


def test_without_slurm_nothing_is_brought(environment: dict[str, str]) -> None:
    assert can_bring(environment)
    assert not can_bring({"PATH": environment["PATH"]})
    assert not can_bring({"SLURM_JOB_ID": "1", "PATH": "/nowhere"})


def test_who_is_missing_is_named(tmp_path: Path) -> None:
    report = tmp_path / "run.json"
    assert missing_in(str(report)) == []
    report.write_text('{"missing": [{"host": "n2", "ranks": "2-3", "count": 2, "part": "/p/n2-1.journal"}]}')
    found = missing_in(str(report))
    assert missing_text(found) == "ranks 2-3 of n2, counted in /p/n2-1.journal there"
    assert missing_text([*found, Missing("n3", "4", "")]).endswith("; rank 4 of n3")
