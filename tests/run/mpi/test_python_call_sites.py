# SPDX-License-Identifier: BSD-3-Clause
"""Calls of mpi4py are reported by the lines of Python that made them."""

import json
import subprocess
from pathlib import Path

import pytest
from jobs import Mode, run
from mpis import launcher_environment, named
from python_jobs import PYTHON, environment, install_mpi4py

from thalweg_labs.demo.site import thalweg_command

PROGRAM = Path(__file__).parent / "python" / "call_sites.py"
LINES = PROGRAM.read_text().splitlines()


def place(text: str, function: str) -> str:
    """Name the line with the text, as the report does."""
    (number,) = (number for number, line in enumerate(LINES, 1) if text in line)
    return f"call_sites.py:{number} ({function})"


def calls_of(report: Path) -> dict[tuple[str, str], int]:
    """Count by function and place; mpi4py calls functions with large counts where the library has them."""
    document = json.loads(report.read_text())
    return {(call["function"].removesuffix("_c"), call["source"]): call["calls"] for call in document["calls"]}


@pytest.mark.parametrize("choice", ["native", "allreduce=direct;allgather=direct"])
@pytest.mark.parametrize("mpi", ["openmpi4", "mpich4"])
def test_lines_of_python(mpi: str, choice: str, tmp_path: Path) -> None:
    """Two calls of one function are apart, and so is code that was made at run time."""
    install_mpi4py()
    report, pattern = tmp_path / "report.json", tmp_path / "patterns"
    settings = {"THALWEG_REPORT": str(report), "THALWEG_RECORD": "1", "THALWEG_PATTERNS": str(pattern)}
    settings |= {} if choice == "native" else {"THALWEG_USE": choice}
    mode = Mode("python", preload=True, settings=settings)
    result = run(named(mpi), 2, [str(PYTHON), str(PROGRAM)], mode, environment=environment(named(mpi)))
    assert result.status == 0, result.explain()
    assert result.out.count("all right") == 2, result.explain()
    calls = calls_of(report)
    assert calls["MPI_Allreduce", place("Allreduce(out, into)", "step")] == 200
    assert calls["MPI_Allreduce", place("Allreduce(into, out)", "step")] == 200
    assert calls["MPI_Allgather", place("yield comm.allgather", "values")] >= 60
    assert calls["MPI_Alltoall", place("comm.Alltoall", "Größe.messen")] == 2
    assert calls["MPI_Barrier", f"call_sites.py:{LINES.index('comm.Barrier()') + 1} (module)"] == 2
    assert ("MPI_Barrier", "at run.py:3 (module)") in calls
    assert any(source == place("map(lambda root", "lambda") for function, source in calls if "Bcast" in function)
    assert ("MPI_Barrier", place("threading.Thread(", "lambda")) in calls
    assert not [source for _, source in calls if ".so" in source], calls
    (recorded,) = pattern.glob("*.pattern")
    assert place("comm.Alltoall", "Größe.messen") in recorded.read_text()


@pytest.mark.parametrize("mpi", ["openmpi4", "mpich4"])
def test_reports_of_jobs_that_do_not_end(mpi: str, tmp_path: Path) -> None:
    """What was until then is in a memory that outlives the ranks, lines of Python too."""
    install_mpi4py()
    report = tmp_path / "report.json"
    command = [*thalweg_command(), "run", "--report", str(report), "--mpi", named(mpi).family, "-n", "2"]
    job = subprocess.run(
        [*command, "--", str(PYTHON), str(PROGRAM), "crash"],
        capture_output=True,
        text=True,
        timeout=200,
        env=launcher_environment(named(mpi)) | environment(named(mpi)),
        check=False,
    )
    assert job.returncode != 0
    calls = calls_of(report)
    assert calls["MPI_Alltoall", place("comm.Alltoall", "Größe.messen")] == 2, job.stderr
