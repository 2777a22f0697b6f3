"""The guided search: candidates in the model's order, a few at a time beside the best so far, until patience ends.

Nishtala 2009, section 8: the model only ranks; what is picked was measured. The library's own implementation takes part
in every round, and something else is picked only where it is surely faster.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from thalweg.trials.session import NATIVE, Samples
from thalweg.tune.statistics import LEAST_GAIN, is_faster

Measure = Callable[[Sequence[str], int, float], Mapping[str, Samples]]
"""Measures candidates in turns: names, batches, and how many times the fastest may be exceeded at the first look."""


@dataclass(frozen=True)
class Effort:
    """How hard to search."""

    round_size: int = 4
    """New candidates a round."""
    patience: int = 2
    """Rounds without gain after which the search ends."""
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
    otherwise: str = ""
    """The pick among native and strategies, where the library's own algorithm is the pick."""


def search(
    order: Sequence[str], measure: Measure, effort: Effort, *, is_over: Callable[[], bool] = lambda: False
) -> Outcome:
    """Search among the candidates, best first by the model; `is_over` ends the search when the budget is spent."""
    found = Outcome(NATIVE, math.nan, math.nan, 0, space=len(order))
    idle = 0
    for names in _rounds(order, effort.round_size):
        best = min(found.medians, key=found.medians.__getitem__, default=NATIVE)
        results = measure([NATIVE, *([best] if best != NATIVE else []), *names], effort.batches, effort.limit)
        before = found.medians.get(best, math.inf)
        _add(found, results, names)
        now = min(found.medians.values())
        idle = 0 if now < before * (1 - effort.gain) else idle + 1
        if (not effort.is_exhaustive and idle >= effort.patience) or is_over():
            break
    _decide(found, measure, effort)
    return found


def _rounds(order: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return [order[begin : begin + size] for begin in range(0, len(order), size)] or [[]]


def _add(found: Outcome, results: Mapping[str, Samples], fresh: Iterable[str]) -> None:
    """Take a round's medians of what is new."""
    found.batches += sum(len(samples.completion_us) for samples in results.values())
    for name in fresh:
        found.medians[name] = median(results[name].completion_us) * 1e-6
        found.tried.append(name)
    found.medians.setdefault(NATIVE, median(results[NATIVE].completion_us) * 1e-6)


def _decide(found: Outcome, measure: Measure, effort: Effort) -> None:
    """Measure the best once more, side by side with native, and pick."""
    ranked = sorted((name for name in found.medians if name != NATIVE), key=found.medians.__getitem__)
    finalists = ranked[: effort.finalists]
    results = measure([NATIVE, *finalists], effort.final_batches, 0)
    found.batches += sum(len(samples.completion_us) for samples in results.values())
    found.trials = effort.final_batches
    native = results[NATIVE].completion_us
    found.native_seconds = median(native) * 1e-6
    best = min(finalists, key=lambda name: median(results[name].completion_us), default=NATIVE)
    if best != NATIVE and is_faster(results[best].completion_us, native, least_gain=LEAST_GAIN):
        found.pick = best
    found.seconds = median(results[found.pick].completion_us) * 1e-6
