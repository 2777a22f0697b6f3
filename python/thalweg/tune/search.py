# SPDX-License-Identifier: BSD-3-Clause
"""The guided search: candidates in the model's order, a few at a time beside the best so far, until patience ends.

Then the leading strategies' other parameter values, as long as they bring something: the model knows a strategy's shape
better than it knows what pacing and segments do to a network's queues.

Nishtala 2009: the model only ranks; what is picked was measured. The library's own implementation takes part
in every round, and something else is picked only where it is surely faster.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from statistics import median
from typing import NamedTuple

from thalweg._core import is_same_distance
from thalweg.trials.order import THREAD, strategy_of, without_thread
from thalweg.trials.session import NATIVE, Samples
from thalweg.tune.objective import Figure, completion
from thalweg.tune.statistics import GAIN_MIN, is_faster

Measure = Callable[[Sequence[str], int, float], Mapping[str, Samples]]
"""Measures candidates in turns: names, batches, and how many times the fastest may be exceeded at the first look."""


@dataclass(frozen=True)
class Effort:
    """How hard to search."""

    round_size: int = 4
    """New candidates a round."""
    patience: int = 2
    """Rounds without gain after which the model's order is left."""
    leaders: int = 3
    """Strategies whose other parameter values are tried then."""
    batches: int = 7
    """Of each candidate in a round."""
    final_batches: int = 21
    """Of the finalists and native."""
    finalists: int = 3
    limit: float = 3.0
    """Candidates whose first call takes so many times the fastest's are done with."""
    gain: float = 0.02
    """The part by which the best must improve for a round to count as one with gain."""

    @property
    def is_exhaustive(self) -> bool:
        """Tell whether everything is tried."""
        return self.patience == 0


EXHAUSTIVE = Effort(patience=0)


@dataclass
class Outcome:
    """What was found for one case."""

    pick: str
    seconds: float
    """The pick's median."""
    native_seconds: float
    trials: int
    """Batches of the final."""
    tried: list[str] = field(default_factory=list)
    """In order, native left out."""
    space: int = 0
    """How many candidates there were."""
    medians: dict[str, float] = field(default_factory=dict)
    """Of all that was tried: seconds."""
    batches: int = 0
    """Measured in all."""
    fallback: str = ""
    """The pick among native and strategies, where the library's own algorithm is the pick."""
    final: dict[str, Samples] = field(default_factory=dict)
    """Of the finalists and native, side by side."""
    distance_ns: float = 0
    """Of ranks' cores in the first round and in the final, as Samples has it."""
    distance_changes: int = 0
    """Rounds at another distance than the first one's."""


class Check(NamedTuple):
    """What a pick has to stand besides."""

    measure: Measure
    holds: Callable[[Samples, Samples], bool]
    """Tells whether it does, from the pick's samples and native's."""


def search(  # noqa: PLR0913 - a search has that many sides
    order: Sequence[str],
    measure: Measure,
    effort: Effort,
    *,
    is_over: Callable[[], bool] = lambda: False,
    alone: Check | None = None,
    figure: Figure = completion,
) -> Outcome:
    """Search among the candidates, best first by the model; `is_over` ends the search when the budget is spent.

    They are compared by `figure`. What wins in rows of calls has to hold where each call is made alone too, if that can
    be measured.
    """
    found = Outcome(NATIVE, math.nan, math.nan, 0, space=len(order))
    idle = 0
    for names in _rounds(different_first(order, effort.round_size), effort.round_size):
        idle = 0 if _try(found, names, measure, effort, figure) else idle + 1
        if (not effort.is_exhaustive and idle >= effort.patience) or is_over():
            break
    while not is_over() and (names := _variations(found, order, effort)):
        if not _try(found, names, measure, effort, figure):
            break
    _decide(found, measure, effort, figure)
    if found.pick != NATIVE and alone is not None:
        _confirm(found, alone, effort)
    return found


def different_first(order: Sequence[str], count: int) -> list[str]:
    """Put the first of so many different strategies ahead of the others: near the top the model errs by strategy."""
    first = {strategy_of(name): name for name in reversed(order)}
    ahead = sorted(first.values(), key=order.index)[:count]
    return [*ahead, *(name for name in order if name not in ahead)]


def _rounds(order: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return [order[begin : begin + size] for begin in range(0, len(order), size)] or [[]]


def _try(found: Outcome, names: Sequence[str], measure: Measure, effort: Effort, figure: Figure) -> bool:
    """Measure a round of new candidates beside native and the best so far; tell whether the best improved."""
    best = min(found.medians, key=found.medians.__getitem__, default=NATIVE)
    results = measure([NATIVE, *([best] if best != NATIVE else []), *names], effort.batches, effort.limit)
    before = found.medians.get(best, math.inf)
    found.batches += sum(len(samples.completion_us) for samples in results.values())
    scale = 1e-6 * _at_first_distance(found, results[NATIVE], figure)
    for name in names:
        found.medians[name] = median(figure(results[name])) * scale
        found.tried.append(name)
    found.medians.setdefault(NATIVE, median(figure(results[NATIVE])) * 1e-6)
    return min(found.medians.values()) < before * (1 - effort.gain)


def _at_first_distance(found: Outcome, native: Samples, figure: Figure) -> float:
    """Tell by what to multiply a round's times: where cores are no longer as far apart, native tells how many times.

    Times of two distances are not to be compared; how a candidate does against native beside it is the better guess.
    """
    found.distance_ns = found.distance_ns or native.distance_ns
    if NATIVE not in found.medians or is_same_distance(found.distance_ns, native.distance_ns):
        return 1.0
    found.distance_changes += 1
    now = median(figure(native)) * 1e-6
    return found.medians[NATIVE] / now if now > 0 else 1.0


def _variations(found: Outcome, order: Sequence[str], effort: Effort) -> list[str]:
    """Choose a round of what was not tried of the leading strategies: each one's in the model's order, in turns."""
    ranked = sorted(found.tried, key=found.medians.__getitem__)
    leaders = list(dict.fromkeys(strategy_of(name) for name in ranked))[: effort.leaders]
    left = [[name for name in order if strategy_of(name) == leader and name not in found.medians] for leader in leaders]
    in_turns = [name for turn in zip_longest(*left) for name in turn if name is not None]
    return in_turns[: effort.round_size]


def _decide(found: Outcome, measure: Measure, effort: Effort, figure: Figure) -> None:
    """Measure the best once more, side by side with native, and pick."""
    ranked = sorted((name for name in found.medians if name != NATIVE), key=found.medians.__getitem__)
    finalists = ranked[: effort.finalists]
    # The thread is chosen against the same strategy without it.
    alike = [without_thread(name) for name in finalists if name.endswith(THREAD)]
    finalists += [name for name in alike if name in found.medians and name not in finalists]
    results = found.final = dict(measure([NATIVE, *finalists], effort.final_batches, 0))
    found.batches += sum(len(samples.completion_us) for samples in results.values())
    found.trials = effort.final_batches
    figures = {name: figure(samples) for name, samples in results.items()}
    found.native_seconds = median(figures[NATIVE]) * 1e-6
    found.distance_ns = results[NATIVE].distance_ns
    best = min(finalists, key=lambda name: median(figures[name]), default=NATIVE)
    plain = without_thread(best)
    if plain != best and plain in figures and not is_faster(figures[best], figures[plain], min_gain=GAIN_MIN):
        best = plain
    if best != NATIVE and is_faster(figures[best], figures[NATIVE], min_gain=GAIN_MIN):
        found.pick = best
    found.seconds = median(figures[found.pick]) * 1e-6


def _confirm(found: Outcome, alone: Check, effort: Effort) -> None:
    """Measure native and the pick as most programs make calls, one at a time; native returns where it is better."""
    results = alone.measure([NATIVE, found.pick], effort.batches, 0)
    found.batches += sum(len(samples.completion_us) for samples in results.values())
    if not alone.holds(results[found.pick], results[NATIVE]):
        found.pick = NATIVE
        found.seconds = found.native_seconds
