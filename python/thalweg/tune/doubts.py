# SPDX-License-Identifier: BSD-3-Clause
"""What an earlier search has found stays, unless what this one has found is surely faster beside it.

Two searches see different noise, and candidates that are equally fast come out in any order. So that tuning twice does
not give two answers, a pick that differs from the file's is held against it, in turns, in one job.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from thalweg import _core
from thalweg.trials.cases import Case
from thalweg.trials.session import NATIVE, Job
from thalweg.tune.search import Effort, Measure, Outcome
from thalweg.tune.statistics import GAIN_MIN, is_faster

SOURCE = "tune"
"""Only what a search has found is held on to."""


def known_pick(tuning: Sequence[_core.Tuning], job: Job, case: Case) -> str:
    """Give what an earlier search picked for a case on such a job; empty: there was none."""
    nodes = len(set(job.nodes))
    for known in tuning:
        for pick in known.nonblocking if case.is_nonblocking else known.picks:
            same = (pick.call, pick.ranks, pick.nodes, pick.bytes) == (case.call, job.ranks, nodes, case.size)
            if same and pick.source == SOURCE and not pick.fallback:
                return pick.use
    return ""


def reconciled(outcome: Outcome, known: str, measure: Measure, effort: Effort) -> Outcome:
    """Decide between this search's pick and an earlier one's."""
    if not known or known == outcome.pick:
        return outcome
    names = list(dict.fromkeys([NATIVE, known, outcome.pick]))
    results = measure(names, effort.final_batches, 0)
    own, before, native = (results[name].completion_us for name in (outcome.pick, known, NATIVE))
    is_better = is_faster(own, before, min_gain=GAIN_MIN)
    has_lost = known != NATIVE and not is_faster(before, native) and median(before) > median(native)
    pick = outcome.pick if is_better or has_lost else known
    seconds = median(results[pick].completion_us) * 1e-6
    return replace(outcome, pick=pick, seconds=seconds, native_seconds=median(native) * 1e-6)
