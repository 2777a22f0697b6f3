# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that are started once more, for ends that say nothing about them, and how many there were of how many."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_counts = Counter[str]()
_SAYS_NOTHING = (
    "exiting improperly",
    "orte_session_dir failed",
)


def run_job(start: Callable[[], Result], errors_of: Callable[[Result], str]) -> Result:
    """Run a job, and once more where mpirun took its end for one without MPI_Finalize, or did not start it.

    At its end a rank waits two seconds for the word of Open MPI's launcher, and then goes without. So on a machine that
    is starved a right end looks like that. Jobs that start at the same time make the user's folder of sessions, and one
    of them may find it there just when it has found it missing. A job that really ends so does it again.
    """
    _counts["jobs"] += 1
    result = start()
    if not any(said in errors_of(result) for said in _SAYS_NOTHING):
        return result
    _counts["again"] += 1
    return start()


def take_counts() -> tuple[int, int]:
    """How many jobs there were since this was last asked, and how many of them were started once more."""
    counts = _counts["jobs"], _counts["again"]
    _counts.clear()
    return counts
