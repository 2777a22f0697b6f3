# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of objects: a small run of it."""

import json
from pathlib import Path

import pytest

from support import Command


@pytest.mark.exhaustive
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_calls_are_timed_beside_the_same_by_hand(thalweg: Command, tmp_path: Path, mpi: str) -> None:
    file = tmp_path / "rows.json"
    words = [
        "--mpi",
        mpi,
        "-n",
        "2",
        "--rounds",
        "1",
        "--calls",
        "2000",
        "--side",
        "0",
        "--bracket-sizes",
        "8",
        "--json",
        str(file),
    ]
    result = thalweg("bench", "objects", *words)
    assert result.returncode == 0, result.stderr
    rows = json.loads(file.read_text())
    calls = [row for row in rows if not row["case"].startswith("brackets")]
    assert {(row["case"].split(",")[0], row["peer_name"]) for row in calls} == {
        ("local call", "functions"), ("remote call", "messages"), ("ring call", "messages"),
        ("fence", "barrier"),
    }  # fmt: skip
    chosen = [row["peer_name"] for row in rows if row["case"].endswith("auto") and row["metric"] == "wall time"]
    assert len(chosen) == 3
    assert chosen[1:] == ["calls", "alltoallv"]
    assert all(row["ours"] > 0 for row in rows)
