"""Jobs that are started once more, for the one end of a job that says nothing about it, and how many there were."""

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_started_again = 0


def run_job(start: Callable[[], Result], errors_of: Callable[[Result], str]) -> Result:
    """Run a job, and once more where mpirun took its end for one without MPI_Finalize.

    At its end a rank waits two seconds for the word of Open MPI's launcher, and then goes without. So on a machine that
    is starved a right end looks like that. A job that really ends so does it again.
    """
    global _started_again  # noqa: PLW0603 - one count for all that start jobs
    result = start()
    if "exiting improperly" not in errors_of(result):
        return result
    _started_again += 1
    return start()


def take_started_again() -> int:
    """How many jobs were started once more since this was last asked."""
    global _started_again
    count, _started_again = _started_again, 0
    return count
