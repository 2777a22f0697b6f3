# SPDX-License-Identifier: BSD-3-Clause
"""The tuner's budget is the command's: whatever cases take, all is over by then."""

import math

from hypothesis import given
from hypothesis import strategies as st

from thalweg.tune.clock import LEVELS, Clock, Pace


class Time:
    """A clock that goes as it is told."""

    def __init__(self) -> None:
        """Begin."""
        self.now_s = 100.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now_s


@given(
    costs=st.lists(st.floats(0.01, 30), min_size=1, max_size=60),
    budget=st.floats(1, 600),
    before=st.floats(0, 100),
)
def test_cases_end_with_their_part_of_the_budget(costs: list[float], budget: float, before: float) -> None:
    """At most the case that was begun last goes beyond it. None is left out where all fit, each like the longest.

    What comes next is not known: after a long case, a short one may be left out though it would have fitted.
    """
    time = Time()
    clock = Clock(budget, time)
    pace = Pace(clock, 0.6)
    time.now_s += before  # probing, for instance
    done = 0
    for index, cost in enumerate(costs):
        step = pace.begin(len(costs) - index)
        if step is None:
            break
        assert index == 0 or clock.spent_s < 0.6 * budget
        time.now_s += cost / 4 ** LEVELS.index(step.effort)
        pace.end()
        done += 1
    if before + len(costs) * max(costs) < 0.6 * budget:
        assert done == len(costs)
    assert done > 0
    assert clock.spent_s <= max(before + costs[0], 0.6 * budget + max(costs)) + 1e-6


def test_less_is_tried_where_time_is_short() -> None:
    """The effort falls to what fits, and rises again."""
    time = Time()
    pace = Pace(Clock(100, time), 1)
    efforts = []
    for index, cost in enumerate([30.0, 30.0] + 23 * [1.0]):
        step = pace.begin(25 - index)
        assert step is not None
        efforts.append(LEVELS.index(step.effort))
        time.now_s += cost / 3 ** efforts[-1]
        pace.end()
    assert efforts[0] == 0
    assert efforts[1] > 0, "thirty seconds a case are too many"
    assert efforts[-1] == 0, "there is time enough for cases of a second"


def test_a_budget_without_bound_has_no_end() -> None:
    """As for an exhaustive search."""
    clock = Clock(math.inf)
    assert not clock.is_over(0.5)
    assert math.isinf(clock.left_s())
