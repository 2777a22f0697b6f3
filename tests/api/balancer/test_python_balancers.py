# SPDX-License-Identifier: BSD-3-Clause
"""thalweg.Balancer in jobs of real ranks: mpi4py and numpy, nothing preloaded and nothing linked."""

from pathlib import Path

import pytest
from jobs import run
from mpis import ROOT, named
from python_jobs import PYTHON, environment

PROGRAM = Path(__file__).parent / "python" / "moves.py"


@pytest.mark.usefixtures("_mpi4py")
@pytest.mark.parametrize("ranks", [1, 3, pytest.param(5, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("mpi", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])
def test_arrays_move(mpi: str, ranks: int) -> None:
    given = environment(named(mpi)) | {"PYTHONPATH": str(ROOT / "python"), "PYTHONWARNINGS": "error"}
    result = run(named(mpi), ranks, [str(PYTHON), str(PROGRAM)], environment=given, seconds=120)
    assert result.status == 0, result.explain()
    assert result.out.count("all right") == ranks, result.explain()
