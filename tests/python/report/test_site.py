# SPDX-License-Identifier: BSD-3-Clause
"""Logs of many jobs are summed up by user, program and call site; damaged ones do no harm."""

import copy
import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer_forms import checked
from support import Command
from thalweg.errors import ThalwegError
from thalweg.report.site import document_of, lines_of, read_site, since_from_text

CALL = {
    "function": "MPI_Alltoall", "source": "fft.c:7 (transpose)", "ranks": 4, "calls": 10, "bytes": 80,
    "time_ns": 5e12, "waiting_ns": 1e12, "untuned_ns": 4e12,
}  # fmt: skip
JOB: dict[str, Any] = {
    "format": "thalweg-job", "version": 1, "start_time": "2026-11-20T10:00:00Z", "user": "ada",
    "job": {"manager": "slurm", "id": "7"}, "command": ["/opt/fft", "-n", "9"], "mpi": "MPICH 4.0.2", "ranks": 4,
    "ranks_seen": 4, "nodes": 1, "host": "n1", "ended_by": "MPI_Finalize", "wall_ns": 3e12, "rank_ns": 12e12,
    "mpi_ns": 6e12, "waiting_ns": 1e12, "untuned_ns": 4e12, "late_ranks": [[3, 1e12]], "calls": [CALL],
}  # fmt: skip


def logs(folder: Path, *jobs: dict[str, Any]) -> str:
    for number, job in enumerate(jobs):
        path = folder / str(number % 2) / f"{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(job))
    return str(folder)


def test_jobs_are_summed_up(tmp_path: Path) -> None:
    script = JOB | {"user": "bob", "command": ["/usr/bin/python3", "train.py"], "mpi_ns": 1e12, "calls": []}
    center = read_site(logs(tmp_path, JOB, JOB, script | {"ended_by": "SIGTERM"}))
    assert center.whole.jobs == 3
    assert center.unended == 1
    assert {name: (loss.jobs, loss.mpi_ns) for name, loss in center.users.items()} == {
        "ada": (2, 12e12),
        "bob": (1, 1e12),
    }
    assert list(center.programs) == ["fft", "train.py"]
    assert center.calls["fft", "fft.c:7 (transpose)", "Alltoall"].untuned_ns == 8e12
    lines = lines_of(center, 10)
    assert lines[0].startswith("3 jobs, 10.0 h of ranks: 36 % in MPI, 8 % waiting")
    assert "next: a tuned file would help fft the most" in lines[-1]
    assert [entry["user"] for entry in document_of(center)["users"]] == ["ada", "bob"]


def test_times_are_read(tmp_path: Path) -> None:
    now = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)
    folder = logs(tmp_path, JOB, JOB | {"start_time": "2026-11-01T00:00:00Z"})
    for text, jobs in (("14h", 1), ("3w", 2), ("2026-11-02T00:00:00Z", 1), ("2026-10-30", 2)):
        assert read_site(folder, since_from_text(text, now)).whole.jobs == jobs
    with pytest.raises(ThalwegError, match="has no logs of jobs since"):
        read_site(folder, since_from_text("1h", now))
    with pytest.raises(ThalwegError, match="is no time"):
        since_from_text("yesterday", now)


def test_an_empty_folder_is_refused(thalweg: Command, tmp_path: Path) -> None:
    done = thalweg("site", str(tmp_path))
    assert done.returncode == 2
    assert "THALWEG_LOGS" in done.stderr


def test_json_is_what_the_table_has(thalweg: Command, tmp_path: Path) -> None:
    done = thalweg("site", logs(tmp_path, JOB), "--json")
    assert checked("site", done.stdout)["calls"][0]["function"] == "Alltoall"


WRONG: st.SearchStrategy[Any] = st.sampled_from([None, [], {}, "", "x", True, [None], [{}]])


@given(key=st.sampled_from(sorted(JOB)), wrong=WRONG)
def test_a_damaged_log_is_left_out_as_a_whole(key: str, wrong: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    damaged = copy.deepcopy(JOB) | {key: wrong}
    center = read_site(logs(tmp_path_factory.mktemp("logs"), JOB, damaged))
    if center.whole.jobs == 1:
        assert center.whole.mpi_ns == JOB["mpi_ns"]
        assert list(center.users) == ["ada"]
        assert sum(loss.jobs for loss in center.calls.values()) == 1
    assert lines_of(center, 3)
