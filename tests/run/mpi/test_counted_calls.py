# SPDX-License-Identifier: BSD-3-Clause
"""No call is lost where most are only counted: random calls of several threads, by what the program counts itself."""

import json
import random
from pathlib import Path

import pytest
from jobs import Mode, build, run
from mpis import named

RANKS = 2
CALLS = 3000


def counts_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Give calls and bytes of each function, from the log that a job has left."""
    (log,) = folder.rglob("*.json")
    counts: dict[str, tuple[int, int]] = {}
    for site in json.loads(log.read_text())["calls"]:
        calls, size = counts.get(site["function"], (0, 0))
        counts[site["function"]] = calls + site["calls"], size + site["bytes"]
    return counts


@pytest.mark.parametrize("settings", [{}, {"THALWEG_RECORD": "1"}], ids=["counted", "recorded"])
@pytest.mark.parametrize("kind", ["messages", "collectives"])
@pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
def test_calls_and_bytes_are_exact(name: str, kind: str, settings: dict[str, str], tmp_path: Path) -> None:
    mpi = named(name)
    mode = Mode(
        "counted",
        preload=True,
        settings={"THALWEG_LEARN": "off", "THALWEG_LOGS": str(tmp_path / "logs"), "THALWEG_PATTERNS": str(tmp_path)}
        | settings,
    )
    program = [str(build(mpi, "counted_calls")), str(random.randrange(10**6)), str(CALLS), kind]
    result = run(mpi, RANKS, program, mode)
    assert result.status == 0, result.explain()
    counts = counts_of(tmp_path / "logs")
    for line in result.out.splitlines():
        function, calls, size = line.split()
        if int(calls) > 0:
            assert counts[function] == (int(calls), int(size)), (function, result.command)
