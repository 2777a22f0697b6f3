# SPDX-License-Identifier: BSD-3-Clause
"""The library's own algorithms as candidates, beside native and the strategies.

Libraries read which algorithm to use when they start, so each round of them is a job, in turns with one of the default.
What beats the default there is put into a file of rules; a job with that file then takes turns with the job that tries
strategies, and an algorithm that is surely faster than the strategies' pick is picked as `library:ALGORITHM`.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import NamedTuple

from thalweg._core import is_same_distance
from thalweg.rules.library import Library
from thalweg.rules.picks import LIBRARY
from thalweg.text_files import write_text
from thalweg.trials.cases import Case
from thalweg.trials.session import NATIVE, Session
from thalweg.tune import library_trials
from thalweg.tune.library_trials import FINAL_BATCHES, FINAL_ROUNDS, Start, Times
from thalweg.tune.search import Outcome
from thalweg.tune.statistics import is_faster, is_hopeless

HOPELESS = 30
"""How many times as long as the pick native takes where the library's algorithms are not tried: the most that one of
them was seen to gain over its default is a factor of 13. Such natives spin where ranks outnumber cores, and trials of
them take minutes."""


class Comparison(NamedTuple):
    """Who takes part: the job that tries strategies, and what starts jobs of the library's algorithms."""

    library: Library
    session: Session
    start: Start


def compare_with_picks(
    comparison: Comparison, outcomes: dict[Case, Outcome], go_on: Callable[[], bool]
) -> dict[Case, Outcome]:
    """Let the library's algorithms compete with the picks; gives the outcomes of the cases in which they took part.

    `go_on` is asked behind each job of the search, and before each comparison of what was found: the pick stays where
    there is no time for one.
    """
    ranks = comparison.session.job.ranks
    choices = comparison.library.choices(dict.fromkeys(case.operation for case in outcomes), ranks)
    cases = [
        case
        for case, outcome in outcomes.items()
        if case.operation in choices and outcome.native_seconds < HOPELESS * outcome.seconds
    ]
    if not cases:
        return {}
    times = library_trials.measure(comparison.library.family, cases, choices, comparison.start, go_on)
    fresh = {case: _with_trials(outcomes[case], times, case, len(choices[case.operation])) for case in cases}
    winners = [case for case in cases if library_trials.best(times[case])]
    if winners:
        fresh |= _decided(comparison, fresh, times, winners, go_on)
    return fresh


def _with_trials(outcome: Outcome, times: Times, case: Case, space: int) -> Outcome:
    """Add to the outcome what was tried."""
    tried = {LIBRARY + one.word: trial for one, trial in times[case].items()}
    return replace(
        outcome,
        tried=[*outcome.tried, *tried],
        space=outcome.space + space,
        medians=outcome.medians | {name: median(trial.own) * 1e-6 for name, trial in tried.items()},
        batches=outcome.batches + sum(len(trial.own) + len(trial.default) for trial in tried.values()),
    )


def _decided(
    comparison: Comparison,
    outcomes: dict[Case, Outcome],
    times: Times,
    winners: Sequence[Case],
    go_on: Callable[[], bool],
) -> dict[Case, Outcome]:
    """Measure the strategies' picks and the library with its rules in turns, and pick."""
    decided: dict[Case, Outcome] = {}
    rules = library_trials.rules_of(times)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules"
        write_text(comparison.library.rules_text(rules, comparison.session.job.ranks), file)
        with comparison.start(comparison.library.file_variables(str(file))) as ruled:
            for case in winners:
                if not go_on():
                    break
                decided[case] = compare_case(comparison.session, ruled, case, outcomes[case], times)
    return decided


def compare_case(session: Session, ruled: Session, case: Case, outcome: Outcome, times: Times) -> Outcome:
    """Let the library with its rules and the job of the strategies take turns at one case, and pick."""
    names = list(dict.fromkeys((NATIVE, outcome.pick)))
    ours: dict[str, list[float]] = {name: [] for name in names}
    theirs: list[float] = []
    for turn in range(FINAL_ROUNDS):
        if theirs and is_hopeless(theirs, ours[outcome.pick], turn):
            return outcome
        measured = session.measure(case.operation, case.size, names, batches=FINAL_BATCHES)
        beside = ruled.measure(case.operation, case.size, [NATIVE], batches=FINAL_BATCHES)[NATIVE]
        if not is_same_distance(measured[NATIVE].distance_ns, beside.distance_ns):
            continue  # the cores changed places from the one job's turn to the other's
        for name in names:
            ours[name] += measured[name].completion_us
        theirs += beside.completion_us
    if not theirs:
        return outcome
    algorithm = library_trials.best(times[case])
    assert algorithm is not None
    if not is_faster(theirs, ours[outcome.pick]) or not is_faster(theirs, ours[NATIVE]):
        return outcome
    return replace(
        outcome,
        pick=LIBRARY + algorithm.word,
        fallback=outcome.pick,
        seconds=median(theirs) * 1e-6,
        native_seconds=median(ours[NATIVE]) * 1e-6,
        trials=FINAL_ROUNDS * FINAL_BATCHES,
        batches=outcome.batches + FINAL_ROUNDS * FINAL_BATCHES * (len(names) + 1),
    )
