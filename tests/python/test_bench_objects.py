"""The benchmark of objects: a small run of it."""

import json
from pathlib import Path

import pytest

from support import Command


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_calls_are_timed_beside_the_same_by_hand(thalweg: Command, tmp_path: Path, mpi: str) -> None:
    file = tmp_path / "rows.json"
    words = ["--mpi", mpi, "-n", "2", "--rounds", "1", "--calls", "2000", "--side", "0", "--json", str(file)]
    result = thalweg("bench", "objects", *words)
    assert result.returncode == 0, result.stderr
    rows = json.loads(file.read_text())
    assert {(row["case"].split(",")[0], row["peer_name"]) for row in rows} == {
        ("local call", "functions"), ("remote call", "messages"), ("ring call", "messages")
    }  # fmt: skip
    assert all(row["ours"] > 0 for row in rows)
