"""A job is started once more for one reason alone."""

from attempts import run_job


def _job(*ends: str) -> tuple[str, int]:
    left = list(ends)
    end = run_job(lambda: left.pop(0), str)
    return end, len(ends) - len(left)


def test_a_job_runs_once_more_where_its_end_was_taken_for_an_improper_one() -> None:
    improper = "mpirun has exited due to process rank 1 [...] exiting improperly."
    assert _job("right", "never") == ("right", 1)
    assert _job("wrong answer", "never") == ("wrong answer", 1)
    assert _job(improper, "right", "never") == ("right", 2)
    assert _job(improper, improper, "never") == (improper, 2)
