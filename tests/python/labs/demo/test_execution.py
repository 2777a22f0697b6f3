# SPDX-License-Identifier: BSD-3-Clause
"""Runs are timed with all their processes, and failures say what happened."""

from pathlib import Path

import pytest

from thalweg.launch.timed_run import RunFailedError, run

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
BURN = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"


def test_output_and_the_cpu_time_of_descendants(tmp_path: Path) -> None:
    done = run(["sh", "-c", f"echo yes; sh -c '{BURN}'"], ENVIRONMENT, tmp_path, 60)
    assert done.output == "yes\n"
    assert done.cpu_s > 0


def test_a_bad_status_comes_with_the_end_of_the_output(tmp_path: Path) -> None:
    with pytest.raises(RunFailedError, match=r"(?s)ended with status 3.*out.*err"):
        run(["sh", "-c", "echo out; echo err >&2; exit 3"], ENVIRONMENT, tmp_path, 60)


def test_a_run_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    with pytest.raises(RunFailedError, match="ran longer than 1 s"):
        run(["sh", "-c", "sleep 600; true"], ENVIRONMENT, tmp_path, 1)


def test_a_missing_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunFailedError, match="no-such-command cannot be started: No such file"):
        run(["no-such-command"], ENVIRONMENT, tmp_path, 1)
