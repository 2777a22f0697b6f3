"""A job is started once more for one reason alone, and pytest says of which tests at its end."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import attempts
from attempts import run_job, take_started_again

IMPROPER = "mpirun has exited due to process rank 1 [...] exiting improperly."


def _job(*ends: str) -> tuple[str, int]:
    left = list(ends)
    end = run_job(lambda: left.pop(0), str)
    return end, len(ends) - len(left)


def test_a_job_runs_once_more_where_its_end_was_taken_for_an_improper_one() -> None:
    take_started_again()
    assert _job("right", "never") == ("right", 1)
    assert _job("wrong answer", "never") == ("wrong answer", 1)
    assert take_started_again() == 0
    assert _job(IMPROPER, "right", "never") == ("right", 2)
    assert _job(IMPROPER, IMPROPER, "never") == (IMPROPER, 2)
    assert take_started_again() == 2


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
        assert re.search(r"jobs started once more.*: 1\n  1 of \S*test_improper\n", found), found
