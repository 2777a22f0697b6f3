# SPDX-License-Identifier: BSD-3-Clause
"""The budget of `thalweg tune`: the whole command's wall time, in parts, from its first moment on."""

import time
from collections.abc import Callable
from typing import NamedTuple

from thalweg.tune.search import Effort

PROBE_END = 0.3
"""Of the budget, by which a probe that has to come first must have ended."""
STRATEGIES_END = 0.6
"""Of the budget, by which the strategies have been tried."""
SECOND_JOB_END = 0.7
LIBRARY_END = 0.9
"""What is left then is for deciding, and for ending jobs."""

LEVELS = (
    Effort(),
    Effort(patience=1, leaders=1, batches=5, final_batches=11, finalists=2),
    Effort(round_size=3, patience=1, leaders=0, batches=3, final_batches=7, finalists=1),
)
"""From the usual effort to the least with which something can be picked for sure."""
_LESS = 3
"""How many times as long a case takes as with the next effort."""


class Clock:
    """What is left of a budget of so many seconds."""

    def __init__(self, budget_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        """The budget begins now; one without bound is infinite."""
        self._now_s = now_s
        self._begin_s = now_s()
        self.budget_s = budget_s

    @property
    def spent_s(self) -> float:
        """Tell what has gone."""
        return self._now_s() - self._begin_s

    def left_s(self, part: float = 1) -> float:
        """Tell what is left until this part of the budget has gone."""
        return part * self.budget_s - self.spent_s

    def is_over(self, part: float = 1) -> bool:
        """Tell whether this part has gone."""
        return self.left_s(part) <= 0


class Step(NamedTuple):
    """How the next case is searched."""

    effort: Effort
    end_s: float
    """Seconds from now after which no new candidates are tried."""


class Pace:
    """Shares what is left among the cases that are left: each has its part, and an effort that fits into it.

    What a case will take is told by the ones before it, the last ones most. Where not even the least effort would fit,
    the cases that are left are left out; the first one never is.
    """

    def __init__(self, clock: Clock, part: float) -> None:
        """Give the clock, and the part of its budget by which the cases are to be done."""
        self._clock = clock
        self._part = part
        self._usual_s = 0.0
        self._is_first = True
        self._level = 0
        self._began_s = 0.0

    def begin(self, cases_left: int) -> Step | None:
        """Choose the effort for the next case of so many; none where time is over."""
        left_s = self._clock.left_s(self._part)
        if self._is_first:
            left_s = max(left_s, 0.0)
        elif left_s <= 0:
            return None
        share_s = left_s / cases_left
        last = len(LEVELS) - 1
        self._level = next((level for level in range(last) if self._expected_s(level) <= share_s), last)
        if left_s == 0:
            self._level = last
        if self._level == last and self._expected_s(last) > left_s:
            return None
        self._is_first = False
        self._began_s = self._clock.spent_s
        return Step(LEVELS[self._level], share_s)

    def end(self) -> None:
        """The case that was begun has been decided."""
        usual_s = (self._clock.spent_s - self._began_s) * _LESS**self._level
        self._usual_s = usual_s if self._usual_s == 0 else (self._usual_s + usual_s) / 2

    def _expected_s(self, level: int) -> float:
        """Tell what a case takes with the effort of that level."""
        return self._usual_s / float(_LESS**level)
