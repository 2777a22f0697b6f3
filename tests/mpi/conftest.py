"""Fixtures of the MPI tests."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from mpis import ROOT


@pytest.fixture(scope="session", autouse=True)
def _installed_mpis() -> None:
    """Install the MPI libraries that are no Debian packages; quick when they are there."""
    subprocess.run([ROOT / "scripts" / "mpis" / "install.sh"], check=True)
