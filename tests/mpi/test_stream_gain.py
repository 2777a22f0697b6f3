"""The report of a real run names the call sites where a stream would pay."""

import json
import subprocess
from pathlib import Path

import pytest
from jobs import Mode, build, run
from mpis import named

from thalweg.demo.site import thalweg_command


@pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
def test_short_sends_are_named(name: str, tmp_path: Path) -> None:
    """Sends of a few bytes have what they would take as items; the other calls have not."""
    mpi, report = named(name), tmp_path / "report.json"
    result = run(
        mpi, 2, [str(build(mpi, "short_sends"))], Mode("report", preload=True, settings={"THALWEG_REPORT": str(report)})
    )
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    calls = json.loads(report.read_text())["calls"]
    gains = {call["function"]: call["stream"] for call in calls if "stream" in call}
    assert set(gains) == {"MPI_Isend"}
    gain = gains["MPI_Isend"]
    assert gain["message_ns"] > gain["item_ns"] > 0
    command = [*thalweg_command(), "explain", str(report)]
    explained = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert explained.count("as items of a stream: ") == 1
