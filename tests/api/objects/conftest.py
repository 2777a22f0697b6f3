# SPDX-License-Identifier: BSD-3-Clause
"""What jobs of objects share with those of the interposer."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "run" / "mpi"))

from python_jobs import install_mpi4py


@pytest.fixture(scope="session")
def _mpi4py() -> None:
    """Install mpi4py for the jobs' Python."""
    install_mpi4py()
