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


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --exhaustive: tests that take minutes and repeat what others show with other strategies."""
    parser.addoption("--exhaustive", action="store_true", help="run the tests marked exhaustive too")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", "exhaustive: only with --exhaustive")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the marked tests out unless they are asked for."""
    if not config.getoption("--exhaustive"):
        left_out = [item for item in items if item.get_closest_marker("exhaustive")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
