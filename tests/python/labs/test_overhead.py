# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of what Thalweg costs gives time and memory of both ways."""

import json
from pathlib import Path

from support import Command


def test_time_and_memory_are_measured_both_ways(thalweg: Command, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    result = thalweg("bench", "overhead", "--mpi", "mpich", "-n", "2", "--turns", "1", "--json", str(file))
    assert result.returncode == 0, result.stderr
    rows = json.loads(file.read_text())
    assert [(row["case"], row["metric"]) for row in rows] == [
        ("2 ranks, mpich", "job of nothing"),
        ("2 ranks, mpich", "its processors"),
        ("2 ranks, mpich", "memory a rank"),
    ]
    assert all(row["ours"] > 0 and row["peer"] > 0 for row in rows)
    assert "2 ranks, mpich, memory a rank:" in result.stdout


def test_a_job_that_fails_is_named(thalweg: Command) -> None:
    result = thalweg("bench", "overhead", "--mpi", "nompi", "-n", "2", "--turns", "1")
    assert result.returncode != 0
    assert "nompi" in result.stderr
    assert "Traceback" not in result.stderr
