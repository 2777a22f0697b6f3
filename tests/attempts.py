"""Jobs that are started once more, for the one end of a job that says nothing about it."""

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def run_job(start: Callable[[], Result], errors_of: Callable[[Result], str]) -> Result:
    """Run a job, and once more where mpirun took its end for one without MPI_Finalize.

    At its end a rank waits two seconds for the word of Open MPI's launcher, and then goes without. So on a machine that
    is starved a right end looks like that. A job that really ends so does it again.
    """
    result = start()
    return start() if "exiting improperly" in errors_of(result) else result
