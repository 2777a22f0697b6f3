# SPDX-License-Identifier: BSD-3-Clause
"""By which figure a strategy is better than another: the calls' time, the processors', or what a computation loses."""

import enum
from collections.abc import Callable, Sequence
from statistics import median

from thalweg.errors import USAGE, ThalwegError
from thalweg.trials.cases import Case
from thalweg.trials.session import Samples

Figure = Callable[[Samples], Sequence[float]]
"""Gives what candidates are compared by: microseconds, a batch each."""


class Objective(enum.Enum):
    """The figure that a search makes small, by its name in the command and in tuning files."""

    TIME = "time"
    """Until the slowest rank has the call's end."""
    CPU = "cpu"
    """Processor time of all ranks."""
    OVERLAP = "overlap"
    """That a computation beside the call is held up: exposed and lost time of the rank with the most of both."""

    @property
    def figure(self) -> Figure:
        """Give what makes it of samples."""
        return _FIGURES[self]


def completion(samples: Samples) -> Sequence[float]:
    """Give the times until the slowest rank had the end."""
    return samples.completion_us


def processor(samples: Samples) -> Sequence[float]:
    """Give the processor times of all ranks."""
    return samples.cpu_us


def held_up(samples: Samples) -> Sequence[float]:
    """Give the times by which a rank that computes was held up."""
    return samples.held_up_us


_FIGURES = {Objective.TIME: completion, Objective.CPU: processor, Objective.OVERLAP: held_up}


def objective_of(case: Case, asked: Objective | None) -> Objective:
    """Choose for a case: as asked, else overlap where there is any, and time elsewhere."""
    if asked is Objective.OVERLAP and not case.is_nonblocking:
        raise ThalwegError(
            USAGE,
            f"{case.own_name} leaves nothing to overlap: its rank waits in the call",
            f"tune i{case.own_name}, or say --objective time or cpu",
        )
    return asked or (Objective.OVERLAP if case.is_nonblocking else Objective.TIME)


def objective_from_text(text: str) -> Objective | None:
    """Read an objective; empty: none asked for. Raises ThalwegError for another word."""
    if not text:
        return None
    try:
        return Objective(text)
    except ValueError as error:
        known = ", ".join(one.value for one in Objective)
        raise ThalwegError(USAGE, f"'{text}' is no objective", f"choose among {known}") from error


def is_not_worse(figure: Figure) -> Callable[[Samples, Samples], bool]:
    """Give what compares a pick's median with native's."""
    return lambda pick, native: median(figure(pick)) <= median(figure(native))


def is_worth_its_work(ranks: int) -> Callable[[Samples, Samples], bool]:
    """Give what tells whether a nonblocking pick holds where a rank is late.

    It holds ranks up for less time, as many as there are, and may cost processor time elsewhere, but not more than
    that.
    """

    def is_worth(pick: Samples, native: Samples) -> bool:
        saved_us = ranks * (median(native.held_up_us) - median(pick.held_up_us))
        return saved_us >= 0 and median(pick.cpu_us) - median(native.cpu_us) <= saved_us

    return is_worth
