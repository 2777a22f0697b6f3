# SPDX-License-Identifier: BSD-3-Clause
"""Calls of teams in the report, and what teams learn while they run."""

import json
from pathlib import Path
from typing import Any

import pytest
from jobs import BUILD, Mode, run
from mpis import named

FLAVORS = {"openmpi4": "openmpi", "mpich4": "mpich"}
EAGER = {"THALWEG_LEARN": "on", "THALWEG_LEARN_BUDGET": "100"}
"""Nothing need be waited for before candidates are tried."""


def report_of(mpi: str, ranks: int, program: str, folder: Path, **settings: str) -> dict[str, Any]:
    """Run a job under Thalweg; gives its report."""
    report = folder / "report.json"
    command = [str(BUILD / f"tests/api/team/team-{program}-{FLAVORS[mpi]}")]
    mode = Mode("report", preload=True, settings={"THALWEG_REPORT": str(report), **settings})
    result = run(named(mpi), ranks, command, mode)
    assert result.status == 0, result.explain()
    assert "all right" in result.out, result.explain()
    return json.loads(report.read_text())


def rows_of(report: dict[str, Any], function: str) -> list[dict[str, Any]]:
    """Pick the program's own rows of a function."""
    return [call for call in report["calls"] if call["function"] == function and not call["own"]]


def place_of(call: str) -> str:
    """Name the line of the program that makes a call."""
    lines = (Path(__file__).parent / "learning.cpp").read_text().splitlines()
    (number,) = (number for number, line in enumerate(lines, 1) if call in line)
    return f"learning.cpp:{number} "


@pytest.mark.parametrize("mpi", FLAVORS)
def test_report_has_calls_of_teams(mpi: str, tmp_path: Path) -> None:
    """With place, mode, strategy, and how long ranks waited in them."""
    report = report_of(mpi, 3, "learning", tmp_path, THALWEG_LEARN="off")
    (gathers,) = rows_of(report, "team_allgather@strict")
    assert gathers["calls"] == 3 * 400
    assert gathers["bytes"] == 3 * 400 * 4
    assert place_of("team.allgather(") in gathers["source"], "the program's line, and not the header's"
    assert gathers["sampled_ns"] > 0
    assert [ending["calls"] for ending in gathers["ran_on"]] == [3 * 400]
    assert sum(row["calls"] for row in rows_of(report, "team_broadcast@loose")) == 3 * 8
    assert sum(row["calls"] for row in rows_of(report, "team_barrier")) == 3 * 400


def test_teams_try_candidates_for_exact_calls_alone(tmp_path: Path) -> None:
    """Results are checked by the program; the report says what ran."""
    report = report_of("openmpi4", 3, "learning", tmp_path, THALWEG_TUNING=str(tmp_path / "tuning.toml"), **EAGER)
    ran = [len({ending["strategy"] for ending in row["ran_on"]}) for row in rows_of(report, "team_allreduce")]
    assert max(ran) > 1, "sums of whole numbers"
    assert min(ran) == 1, "sums of floating-point numbers"
    (gathers,) = rows_of(report, "team_allgather@strict")
    assert len({ending["strategy"] for ending in gathers["ran_on"]}) > 1
    (broadcasts,) = rows_of(report, "team_broadcast@loose")
    assert len({ending["strategy"] for ending in broadcasts["ran_on"]}) == 1, "nobody waits in them for all"


@pytest.mark.parametrize("mpi", FLAVORS)
def test_teams_between_hosts_learn(mpi: str, tmp_path: Path) -> None:
    """Ranks that share no memory, whose messages are MPI's."""
    report = report_of(mpi, 3, "learning", tmp_path, THALWEG_SHARED_MEMORY="0", **EAGER)
    (gathers,) = rows_of(report, "team_allgather@strict")
    assert len({ending["strategy"] for ending in gathers["ran_on"]}) > 1
