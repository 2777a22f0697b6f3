# SPDX-License-Identifier: BSD-3-Clause
"""What an earlier search has found stays, unless what this one has found is surely faster beside it.

Two searches see different noise, and candidates that are equally fast come out in any order. So that tuning twice does
not give two answers, a pick that differs from the file's is held against it, in turns, in one job.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from thalweg import _core
from thalweg.trials.cases import Case, part_of
from thalweg.trials.session import NATIVE, Job
from thalweg.tune.objective import Figure, Objective
from thalweg.tune.search import Effort, Measure, Outcome
from thalweg.tune.statistics import GAIN_MIN, is_faster
from thalweg.tune.store import SOURCE


def known_pick(tuning: Sequence[_core.Tuning], job: Job, case: Case, objective: Objective) -> str:
    """Give what an earlier search picked by an objective for a case on such a job; empty: there was none."""
    job = part_of(job, case)
    wanted = (case.call, job.ranks, len(set(job.nodes)), case.size, case.degree, case.mode)
    for known in tuning:
        of_kind = known.nonblocking if case.is_nonblocking else known.of_teams if case.is_of_team else known.picks
        for pick in of_kind:
            same = (pick.call, pick.ranks, pick.nodes, pick.bytes, pick.degree, pick.mode) == wanted
            by = pick.objective or (Objective.OVERLAP if case.is_nonblocking else Objective.TIME).value
            if same and by == objective.value and pick.source == SOURCE and not pick.fallback:
                return pick.use
    return ""


def reconciled(  # noqa: PLR0913 - two picks, and how they are held against each other
    outcome: Outcome, known: str, measure: Measure, effort: Effort, figure: Figure, *, may_differ: bool = True
) -> Outcome:
    """Decide between this search's pick and an earlier one's, which stays in any case where they may not differ."""
    if not known or known == outcome.pick:
        return outcome
    results = dict(measure(list(dict.fromkeys([NATIVE, known, outcome.pick])), effort.final_batches, 0))
    own, before, native = (figure(results[name]) for name in (outcome.pick, known, NATIVE))
    is_better = is_faster(own, before, min_gain=GAIN_MIN)
    has_lost = known != NATIVE and not is_faster(before, native) and median(before) > median(native)
    pick = outcome.pick if may_differ and (is_better or has_lost) else known
    medians = {name: median(figure(samples)) * 1e-6 for name, samples in results.items()}
    return replace(outcome, pick=pick, seconds=medians[pick], native_seconds=medians[NATIVE], final=results)
