# SPDX-License-Identifier: BSD-3-Clause
"""Find the best of a library's own algorithms: a job for each round of them, in turns with a job of the default's.

An algorithm is chosen by environment variables that libraries read when they start, so algorithms cannot take turns in
one job. What a rules file would change is measured again, default and file in turns, and rules that do not surely help
are dropped.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from thalweg.errors import ThalwegError
from thalweg.rules.algorithms import Algorithm, variables
from thalweg.rules.formats import Rule
from thalweg.rules.library import Choices
from thalweg.trials.cases import Case
from thalweg.trials.session import NATIVE, Mode, Session
from thalweg.tune.statistics import GAIN_MIN, is_faster

ROUNDS = 2
BATCHES = 4
FINAL_ROUNDS = 21
FINAL_BATCHES = 1
Start = Callable[[Mapping[str, str]], Session]
"""Starts a job with these variables."""


class Trial(NamedTuple):
    """What an algorithm took, and the default beside it; microseconds."""

    own: tuple[float, ...]
    default: tuple[float, ...]

    @property
    def part(self) -> float:
        """Give the algorithm's part of the default's time."""
        return median(self.own) / median(self.default)


Times = Mapping[Case, Mapping[Algorithm, Trial]]


def starter(words: Sequence[str], lab: str, mode: Mode = Mode.NATIVE) -> Start:
    """Start jobs by these words."""
    return lambda extra: Session(words, lab=lab, mode=mode, variables=extra)


def rounds(choices: Choices) -> list[dict[str, Algorithm]]:
    """Deal the operations' algorithms into jobs: the k-th job has every operation's k-th algorithm."""
    return [
        {operation: found[index] for operation, found in choices.items() if index < len(found)}
        for index in range(max(map(len, choices.values()), default=0))
    ]


def measure(
    family: str, cases: Sequence[Case], choices: Choices, start: Start, go_on: Callable[[], bool]
) -> dict[Case, dict[Algorithm, Trial]]:
    """Measure the algorithms of every case, job by job, until `go_on` says no behind a case."""
    times: dict[Case, dict[Algorithm, Trial]] = {case: {} for case in cases}
    with start({}) as default:
        for chosen in rounds(choices):
            session, accepted = _start_with(chosen, family, start)
            with session:
                for case in cases:
                    if algorithm := accepted.get(case.operation):
                        own, beside = in_turns(case, [session, default], ROUNDS, BATCHES)
                        times[case][algorithm] = Trial(tuple(own), tuple(beside))
                    if not go_on():
                        return times
    return times


def _start_with(chosen: Mapping[str, Algorithm], family: str, start: Start) -> tuple[Session, Mapping[str, Algorithm]]:
    """Start a job in which the library uses these algorithms, without those that it refuses."""

    def begin(some: Mapping[str, Algorithm]) -> Session:
        return start({key: text for name, one in some.items() for key, text in variables(family, name, one).items()})

    try:
        return begin(chosen), chosen
    except ThalwegError:
        accepted = {}
        for name, one in chosen.items():
            try:
                with begin({name: one}):
                    accepted[name] = one
            except ThalwegError:
                print(f"thalweg: the library refuses its {one.text} for {name}; left out", file=sys.stderr)
        return begin(accepted), accepted


def in_turns(case: Case, jobs: Sequence[Session], turns: int, batches: int) -> list[list[float]]:
    """Measure the library in jobs that take turns; microseconds in each."""
    found: list[list[float]] = [[] for _ in jobs]
    for _ in range(turns):
        for kept, session in zip(found, jobs, strict=True):
            samples = session.measure(case.operation, case.size, [NATIVE], batches=batches)[NATIVE]
            kept.extend(samples.completion_us)
    return found


def best(times: Mapping[Algorithm, Trial]) -> Algorithm | None:
    """Choose the algorithm that gains most over the default, and surely; none if there is none."""
    sure = [one for one, trial in times.items() if is_faster(trial.own, trial.default, min_gain=GAIN_MIN)]
    return min(sure, key=lambda one: times[one].part, default=None)


def rules_of(times: Times, dropped: Sequence[Case] = ()) -> dict[str, list[Rule]]:
    """Put the best algorithms together as rules, sizes ascending."""
    rules: dict[str, list[Rule]] = {}
    for case in sorted(times, key=lambda case: case.size):
        algorithm = None if case in dropped else best(times[case])
        rules.setdefault(case.operation, []).append(Rule(case.size, algorithm))
    return {operation: found for operation, found in rules.items() if any(rule.algorithm for rule in found)}


def compare(
    cases: Sequence[Case], start: Start, extra: Mapping[str, str]
) -> dict[Case, tuple[list[float], list[float]]]:
    """Measure default and rules in two jobs that take turns; microseconds of both."""
    result = {}
    with start({}) as default, start(extra) as ruled:
        for case in cases:
            before, after = in_turns(case, [default, ruled], FINAL_ROUNDS, FINAL_BATCHES)
            result[case] = (before, after)
    return result
