# SPDX-License-Identifier: BSD-3-Clause
"""What tests of the demo share."""

from pathlib import Path

import pytest
from script_program import program_that

from thalweg_labs.demo import pairs
from thalweg_labs.demo.program import Program
from thalweg_labs.demo.site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Everything in a folder of the test."""
    return Site(*(tmp_path / name for name in ("repository", "build", "scratch", "inputs", "wheels")))


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> Program:
    """A program that is right, while `thalweg run` here only sets a variable."""
    under = ["sh", "-c", 'shift; UNDER=thalweg exec "$@"', "sh"]
    monkeypatch.setattr(pairs, "thalweg_command", lambda: under)
    return program_that("echo answer: right")
