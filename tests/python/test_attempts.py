# SPDX-License-Identifier: BSD-3-Clause
"""A job is started once more for one reason alone, and pytest says of which tests at its end."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import attempts
import pytest
from attempts import run_job, take_counts

IMPROPER = "mpirun has exited due to process rank 1 [...] exiting improperly."


def _job(*ends: str) -> tuple[str, int]:
    left = list(ends)
    end = run_job(lambda: left.pop(0), str)
    return end, len(ends) - len(left)


def test_a_job_runs_once_more_where_its_end_was_taken_for_an_improper_one() -> None:
    take_counts()
    assert _job("right", "never") == ("right", 1)
    assert _job("wrong answer", "never") == ("wrong answer", 1)
    assert take_counts() == (2, 0)
    assert _job(IMPROPER, "right", "never") == ("right", 2)
    assert _job(IMPROPER, IMPROPER, "never") == (IMPROPER, 2)
    assert take_counts() == (2, 2)


def test_what_ran_twice_is_said_at_the_end(tmp_path: Path) -> None:
    tests = Path(attempts.__file__).parent
    for file in ("conftest.py", "attempts.py"):
        shutil.copy(tests / file, tmp_path)
    (tmp_path / "test_jobs.py").write_text(
        "from attempts import run_job\n\n\n"
        f"def test_improper() -> None:\n    run_job(lambda: {IMPROPER!r}, str)\n\n\n"
        "def test_right() -> None:\n    run_job(lambda: 'right', str)\n"
    )
    for workers in ("0", "2"):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", workers, str(tmp_path)]
        found = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
        assert re.search(r"jobs started once more.*: 1 of 2\n  1 of \S*test_improper\n", found), found


@pytest.mark.parametrize(("again", "status"), [(0, 0), (2, 0), (3, 1)])
def test_more_than_one_in_a_hundred_is_an_error(tmp_path: Path, again: int, status: int) -> None:
    (tmp_path / "Testing" / "Temporary").mkdir(parents=True)
    once_more = "-- job: started once more\n"
    log = "-- job: started\n" * 150 + once_more * (again // 2)
    (tmp_path / "Testing" / "Temporary" / "LastTest.log").write_text(log)
    values = {"jobs": 60, "jobs started once more": again - again // 2, "other": "text"}
    properties = "".join(f'<property name="{name}" value="{value}"/>' for name, value in values.items())
    (tmp_path / "pytest.xml").write_text(
        f"<testsuites><testcase><properties>{properties}</properties></testcase></testsuites>"
    )
    script = Path(attempts.__file__).parents[1] / "scripts" / "retries"
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == (f"jobs started once more: {again} of 210\n", status)
    assert ("left out MPI_Finalize" in done.stderr) == bool(status)


def test_one_of_few_is_none(tmp_path: Path) -> None:
    script = Path(attempts.__file__).parents[1] / "scripts" / "retries"
    (tmp_path / "pytest.xml").write_text(
        '<a><property name="jobs" value="3"/><property name="jobs started once more" value="1"/></a>'
    )
    assert subprocess.run([sys.executable, script, tmp_path], capture_output=True, check=False).returncode == 0
