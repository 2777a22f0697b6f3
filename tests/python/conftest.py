# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures: programs built for the tests, a clean environment, and the command as a user starts it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from attempts import run_job
from locks import processors

from support import Command, Programs, plain_environment


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder in which the command keeps the programs that it compiles: they are the same for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def environment(tmp_path: Path, compiled: Path) -> dict[str, str]:
    """Give an environment whose home holds no configuration."""
    home = tmp_path / "home"
    home.mkdir()
    folders = {
        "HOME": home,
        "XDG_CONFIG_HOME": home / "config",
        "XDG_CACHE_HOME": compiled,
        "XDG_DATA_HOME": home / ".local" / "share",
    }
    return plain_environment() | {name: str(folder) for name, folder in folders.items()}


@pytest.fixture
def thalweg(environment: dict[str, str], tmp_path: Path) -> Command:
    """Start the command, in an empty folder unless told otherwise, and keep what it prints."""

    def start(
        *words: str, cwd: Path = tmp_path, variables: Mapping[str, str] | None = None, stdin: str | None = None
    ) -> "subprocess.CompletedProcess[str]":
        with processors():
            return run_job(
                lambda: subprocess.run(
                    [sys.executable, "-m", "thalweg", *words],
                    env=environment | dict(variables or {}),
                    cwd=cwd,
                    input=stdin,
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=240,
                ),
                lambda result: result.stderr,
            )

    return start
