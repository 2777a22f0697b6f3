# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg tune` found by little has to win in a second job too; here jobs are numbers."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self, cast

from thalweg.trials.cases import Case
from thalweg.trials.session import NATIVE, Samples, Session
from thalweg.tune.run import Found, lost_again
from thalweg.tune.search import Effort, Outcome


class SecondJob:
    """Takes as many microseconds for each candidate as it is told."""

    def __init__(self, takes_us: Mapping[str, float]) -> None:
        self.takes_us = takes_us
        self.measured: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def measure(
        self, operation: str, size: int, names: Sequence[str], *, batches: int, limit: float
    ) -> Mapping[str, Samples]:
        """Answer as a job's session does."""
        assert limit == 0, "nobody is sorted out"
        self.measured.append(f"{operation} {size}")
        return {name: Samples((self.takes_us[name],) * batches, (0.0,) * batches, 1) for name in names}


def found(size: int, pick: str, *, native_us: float, pick_us: float) -> Found:
    """What a search has found."""
    return Found(Case("allgather", size), Outcome(pick, pick_us * 1e-6, native_us * 1e-6, 9), {})


def second(job: SecondJob, first: Sequence[Found]) -> dict[int, Found]:
    """Measure again."""
    starts: list[Mapping[str, str]] = []

    def start(variables: Mapping[str, str]) -> Session:
        starts.append(variables)
        return cast("Session", job)

    result = lost_again(start, first, Effort())
    assert len(starts) == (1 if job.measured else 0), "jobs that measure nothing are not started"
    return result


def test_what_loses_in_the_second_job_is_native() -> None:
    """Its time is the one that native had beside it; others stay as they are."""
    job = SecondJob({NATIVE: 20, "direct": 25, "ring": 15, "bruck": 19.9})
    first = [
        found(8, "direct", native_us=30, pick_us=25),
        found(64, "ring", native_us=30, pick_us=25),
        found(512, "bruck", native_us=30, pick_us=25),
    ]
    lost = second(job, first)
    assert sorted(lost) == [0, 2], "a hair's breadth is no win"
    assert lost[0].outcome.pick == NATIVE
    assert lost[0].outcome.seconds == first[0].outcome.native_seconds
    assert lost[0].case == first[0].case


def test_what_there_is_no_time_for_has_not_won() -> None:
    """A pick that may be no gain is none, rather than a promise that nobody checked."""
    job = SecondJob({NATIVE: 20, "direct": 15})
    first = [found(8, "direct", native_us=20, pick_us=15)]
    lost = lost_again(lambda _: cast("Session", job), first, Effort(), lambda: True)
    assert lost[0].outcome.pick == NATIVE
    assert job.measured == []


def test_only_what_is_close_is_measured_again() -> None:
    """Native is no pick to be confirmed, and what takes half of its time needs no second job."""
    job = SecondJob({NATIVE: 20, "direct": 15})
    assert not second(job, [found(8, NATIVE, native_us=20, pick_us=20), found(64, "ring", native_us=40, pick_us=20)])
    assert job.measured == []
    assert not second(job, [found(8, "direct", native_us=20, pick_us=15), found(64, "ring", native_us=40, pick_us=20)])
    assert job.measured == ["allgather 8"]


def test_what_was_found_beside_others_or_is_nonblocking_has_to_win_twice() -> None:
    """However large the first gain was: it may be another process's, or of where the system put a thread."""
    job = SecondJob({NATIVE: 20, "direct": 40, "ring": 40, "bruck": 40})
    sure = found(8, "bruck", native_us=80, pick_us=10)
    doubted = found(64, "direct", native_us=80, pick_us=10)._replace(is_doubted=True)
    nonblocking = found(512, "ring", native_us=80, pick_us=10)._replace(case=Case("iallgather", 512))
    lost = second(job, [sure, doubted, nonblocking])
    assert sorted(lost) == [1, 2]
    assert {one.outcome.pick for one in lost.values()} == {NATIVE}
