"""The benchmark of streams: what it reads, and a small run of it."""

import json
from pathlib import Path

import pytest

from support import Command
from thalweg.bench.streams import METRICS, times_of


def test_what_the_program_prints_is_read() -> None:
    text = "idle 0 stream 2.5 2\nidle 0 barrier 5 4\nidle 1 stream 3 2.5\nidle 1 barrier 6 5\n"
    assert times_of(text) == {"idle": {"stream": [(2.5, 2), (3, 2.5)], "barrier": [(5, 4), (6, 5)]}}
    assert times_of("") == {}


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_all_ways_come_to_the_same(thalweg: Command, tmp_path: Path, mpi: str) -> None:
    """The program compares sums by itself, and ends the job where they differ."""
    file = tmp_path / "rows.json"
    words = ["--mpi", mpi, "-n", "2", "--rounds", "1", "--items", "20000"]
    result = thalweg("bench", "streams", *words, "--json", str(file))
    assert result.returncode == 0, result.stderr
    rows = json.loads(file.read_text())
    assert {row["metric"] for row in rows} == set(METRICS)
    assert {row["peer_name"] for row in rows} == {"aggregator", "bulk", "barrier"}
    assert {row["case"].split(",")[0] for row in rows} >= {"histogram/8/small", "gather/16", "everybody/1", "idle"}
