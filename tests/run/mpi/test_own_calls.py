# SPDX-License-Identifier: BSD-3-Clause
"""What Thalweg's own libraries call of MPI is no call of the program's: the report has those apart."""

import json
from pathlib import Path

import pytest
from jobs import BUILD, Mode, run
from mpis import named

PROGRAMS = {
    "team": ("tests/api/team/team-waiting", []),
    "stream": ("tests/api/stream/jobs/stream-report", []),
    "objects": ("examples/molecules", ["--steps", "12", "--period", "4", "--verify", "no"]),
}


@pytest.mark.parametrize("memory", ["1", "0"], ids=["memory", "messages"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_report_has_calls_of_the_program_apart(name: str, memory: str, tmp_path: Path) -> None:
    """Waits in teams, streams and objects poll the library many thousand times."""
    program, words = PROGRAMS[name]
    report = tmp_path / "report.json"
    settings = {"THALWEG_REPORT": str(report), "THALWEG_SHARED_MEMORY": memory}
    command = [str(BUILD / f"{program}-openmpi"), *words]
    result = run(named("openmpi4"), 3, command, Mode("report", preload=True, settings=settings))
    assert result.status == 0, result.explain()
    document = json.loads(report.read_text())
    own = [call for call in document["calls"] if call["own"]]
    assert all("libthalweg-" in call["module"] for call in own), own
    assert sum(rank.get("own_ns", 0) for rank in document["ranks"]) == pytest.approx(
        sum(call["time_ns"] for call in own)
    )
    of_program = [call for call in document["calls"] if not call["own"]]
    assert of_program, "the program makes calls of its own"
    for call in of_program:
        assert "libthalweg" not in call["module"], call
        assert call["function"] not in {"MPI_Iprobe", "MPI_Testsome", "MPI_Testall", "MPI_Comm_set_errhandler"}, call
        assert call["cpu_ns"] <= call["time_ns"] * 1.001, call
