"""What jobs of streams share with those of the interposer."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "mpi"))

from locks import locked
from mpis import ROOT


@pytest.fixture(scope="session")
def _mpi4py() -> None:
    """Install mpi4py for the jobs' Python; quick when it is there."""
    with locked(ROOT / ".mpi"):
        subprocess.run([ROOT / "scripts" / "mpis" / "install.sh", "mpi4py"], check=True)
