# SPDX-License-Identifier: BSD-3-Clause
"""thalweg.reorder in jobs of real ranks: mpi4py, numpy and scipy, nothing preloaded and nothing linked."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from jobs import run
from mpis import ROOT, named
from python_jobs import PYTHON, environment

from labs import OwnLab

PROGRAM = Path(__file__).parent / "python" / "reorders.py"
HOSTS = 8

thalweg = OwnLab("reorder")


@pytest.mark.usefixtures("_mpi4py")
@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.exhaustive), 4])
@pytest.mark.parametrize("mpi", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])
def test_communicators_in_a_better_order(mpi: str, ranks: int) -> None:
    given = environment(named(mpi)) | {"PYTHONPATH": str(ROOT / "python"), "PYTHONWARNINGS": "error"}
    result = run(named(mpi), ranks, [str(PYTHON), str(PROGRAM)], environment=given, seconds=120)
    assert result.status == 0, result.explain()
    assert result.out.count("all right") == ranks, result.explain()


@pytest.fixture
def _lab() -> Iterator[None]:
    with thalweg.up("--hosts", str(HOSTS), "--rate", "1gbit", "--network", "ring", "--shuffle", "3"):
        yield


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make network namespaces")
@pytest.mark.xdist_group("lab")
@pytest.mark.usefixtures("_lab")
def test_a_ring_follows_the_ring() -> None:
    """On shuffled hosts that a list of hosts names, natively: nothing but the library knows of Thalweg."""
    program = ROOT / "build" / "tests" / "api" / "placer" / "jobs" / "place-ring-openmpi"
    result = thalweg("lab", "run", "--native", "-n", str(HOSTS), "--", str(program))
    assert result.returncode == 0, result.stderr
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("renumbered:")]
    places = [int(host.rpartition("-h")[2]) for host in line.split()[1:]]
    steps = {(after - before) % HOSTS for before, after in zip(places, [*places[1:], places[0]], strict=True)}
    assert steps in ({1}, {HOSTS - 1}), line
