# SPDX-License-Identifier: BSD-3-Clause
"""Exports for the MPIs of the tests: measured, written, loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpis import launcher_environment, named

from thalweg.rules.formats import intel_variables


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["intel"])
def test_intels_settings_are_measured_and_loaded(name: str, tmp_path: Path) -> None:
    mpi = named(name)
    file = tmp_path / "settings.env"
    words = [
        "tune",
        "export",
        "--format",
        "intel",
        "-o",
        str(file),
        "-n",
        "2",
        "--ops",
        "barrier,reduce_scatter",
        "--bytes",
        "64KiB",
    ]
    environment = launcher_environment(mpi) | {"XDG_CACHE_HOME": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-m", "thalweg", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        cwd=os.path.dirname(file),
    )
    assert result.returncode == 0, result.stderr
    # Whether some preset helps is the machine's business.
    if "no rules were written" not in result.stdout:
        assert set(intel_variables(file.read_text())) <= {
            "I_MPI_ADJUST_BARRIER",
            "I_MPI_ADJUST_REDUCE_SCATTER_BLOCK",
        }
        assert f"use them without Thalweg: set -a; . {file}" in result.stdout
