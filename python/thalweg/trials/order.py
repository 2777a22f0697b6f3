# SPDX-License-Identifier: BSD-3-Clause
"""The texts of a case's candidates, in the order in which they are tried."""

from collections.abc import Sequence

from thalweg import _core
from thalweg.strategies import all_strategies, device_strategies, operation_of
from thalweg.trials.cases import Case

THREAD = "+thread"
"""Behind a candidate: the rank's progress thread advances it while the program computes."""
LEADERS = 3
"""Strategies that are tried with the thread too."""


def strategy_of(candidate: str) -> str:
    """Name the strategy of a candidate's text."""
    return without_thread(candidate).partition(":")[0]


def without_thread(candidate: str) -> str:
    """Give the candidate that the program's own calls advance."""
    return candidate.removesuffix(THREAD)


def order_of(case: Case, space: Sequence[_core.Candidate]) -> list[str]:
    """List texts: as the model orders them, or as the index does where nothing can be predicted.

    Teams run none on devices. Where a program computes beside the call, the first strategies are tried with the
    progress thread too.
    """
    names = [one.text for one in space] or [one.name for one in all_strategies(operation_of(case.call))]
    if case.is_of_team:
        devices = device_strategies(operation_of(case.call))
        names = [name for name in names if strategy_of(name) not in devices]
    return with_thread(names, case) if case.is_nonblocking else names


def with_thread(names: Sequence[str], case: Case) -> list[str]:
    """Put a variant with the thread behind the first candidate of each leading strategy; devices need none."""
    devices = device_strategies(operation_of(case.call))
    firsts = {strategy_of(name): name for name in reversed(names) if strategy_of(name) not in devices}
    leading = sorted(firsts.values(), key=list(names).index)[:LEADERS]
    found = []
    for name in names:
        found.append(name)
        if name in leading and _reads(f"{case.call}={name}{THREAD}"):
            found.append(name + THREAD)
    return found


def _reads(selection: str) -> bool:
    """Tell whether selections have the suffix: strategies that cannot be advanced so refuse it."""
    try:
        _core.check_selection(selection)
    except _core.Error:
        return False
    return True
