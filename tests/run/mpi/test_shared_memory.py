# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of a node share memory where the system lets them, and do without where it does not."""

import json
import subprocess
from pathlib import Path

import pytest
from jobs import build, run, using
from mpis import named

DEBIAN = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
SELECTION = "allreduce=direct;alltoall=direct;bcast=flat;barrier=dissemination"
SUITES = ("allreduce", "alltoall", "bcast", "barrier", "outstanding", "comm_many", "going_on_in_collectives")


def _report(path: Path) -> str:
    return str(json.loads(path.read_text())["shared_memory"])


@pytest.mark.parametrize("ranks", [2, 5])
@DEBIAN
def test_shared(name: str, ranks: int, tmp_path: Path) -> None:
    """The report says that memory is shared."""
    mpi = named(name)
    program = [str(build(mpi, "conformance")), "--scale", "0.3", "--known", mpi.known_names, *SUITES]
    report = tmp_path / "report.json"
    result = run(mpi, ranks, program, using(SELECTION), environment={"THALWEG_REPORT": str(report)})
    assert result.status == 0, result.explain()
    assert _report(report) == "ranks of a node send each other messages through shared memory"


@DEBIAN
def test_switched_off(name: str, tmp_path: Path) -> None:
    """The report says that it was switched off, and by what."""
    mpi = named(name)
    program = [str(build(mpi, "conformance")), "--scale", "0.2", "--known", mpi.known_names, "allreduce"]
    report = tmp_path / "report.json"
    environment = {"THALWEG_REPORT": str(report), "THALWEG_SHARED_MEMORY": "0"}
    result = run(mpi, 2, program, using(SELECTION), environment=environment)
    assert result.status == 0, result.explain()
    assert _report(report) == "no shared memory: THALWEG_SHARED_MEMORY=0"


@DEBIAN
def test_too_long(name: str) -> None:
    """A message that is too long fails its call alone."""
    mpi = named(name)
    result = run(mpi, 2, [str(build(mpi, "too_long"))], using(SELECTION))
    assert result.status == 0, result.explain()


def _may_unshare() -> bool:
    return subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", "true"], check=False).returncode == 0


@pytest.mark.skipif(not _may_unshare(), reason="needs the right to make process namespaces (root)")
def test_another_process_namespace(tmp_path: Path) -> None:
    """A rank that cannot see the others' descriptors makes the whole node use the library; the report names it.

    Open MPI allows it; MPICH cannot share memory across such ranks itself, and over TCP it hangs at the end natively.
    """
    mpi = named("openmpi4")
    report = tmp_path / "report.json"
    words = [str(build(mpi, "conformance")), "--scale", "0.3", "--known", mpi.known_names, *SUITES]
    script = tmp_path / "contained"
    contain = 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then exec unshare --pid --fork --mount-proc "$@"; fi'
    script.write_text(f'#!/bin/sh\n{contain}\nexec "$@"\n')
    script.chmod(0o755)
    result = run(mpi, 3, [str(script), *words], using(SELECTION), environment={"THALWEG_REPORT": str(report)})
    assert result.status == 0, result.explain()
    assert _report(report).startswith("no shared memory: rank 1: /proc/")
