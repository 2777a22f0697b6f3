# SPDX-License-Identifier: BSD-3-Clause
"""A lab that one file of tests has to itself."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from attempts import run_job


class OwnLab:
    """Hosts under a name that no other process uses."""

    def __init__(self, purpose: str) -> None:
        """Name the lab; nothing is made yet."""
        self.name = f"{purpose}{os.getpid()}"

    def __call__(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run thalweg for this lab."""
        consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return run_job(
            lambda: subprocess.run(
                [sys.executable, "-m", "thalweg", *words],
                capture_output=True,
                text=True,
                check=False,
                env=os.environ | consent | {"THALWEG_LAB": self.name},
            ),
            lambda result: result.stderr,
        )

    @contextmanager
    def up(self, *words: str) -> Iterator[None]:
        """Make the hosts, and take them down at the end."""
        result = self("lab", "up", *words)
        assert result.returncode == 0, result.stderr
        try:
            yield
        finally:
            assert self("lab", "down").returncode == 0
