"""`thalweg tune`: search case by case in one job, and keep what was found in the tuning file."""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any, NamedTuple

from thalweg import _core
from thalweg.lab.hosts import network_of_lab
from thalweg.machine import files
from thalweg.machine.probe import probe
from thalweg.rules.library import library_of
from thalweg.settings.user_algorithms import chosen_by_user
from thalweg.trials.cases import Case, candidates
from thalweg.trials.compiler import trial_program
from thalweg.trials.session import NATIVE, Job, Mode, Samples, Session, start_words
from thalweg.tune import store
from thalweg.tune.library import Comparison, compare_with_picks
from thalweg.tune.library_trials import Start, starter
from thalweg.tune.search import Effort, Outcome, search
from thalweg.tune.statistics import GAIN_MIN

CLOSE = 1.5
"""Times as fast as native, below which a pick has to win in a second job too."""
LIBRARYS_PART = 0.3
"""Of the budget, for the library's own algorithms."""


class Request(NamedTuple):
    """What to tune, and how."""

    mpi: str
    ranks: int
    launcher: Sequence[str]
    """A launcher's command; empty: the MPI's own with `ranks` ranks."""
    lab: str
    cases: Sequence[Case]
    budget_s: float
    """For the whole; each case gets its part of what is left."""
    effort: Effort
    machine_file: str
    tuning_file: str
    with_library: bool
    """Whether the library's own algorithms are candidates too."""


class Found(NamedTuple):
    """One case's outcome, with what the model had said."""

    case: Case
    outcome: Outcome
    predicted: Mapping[str, float]
    """Seconds by candidate, fastest first."""


def machine_of(session: Session, path: str, lab: str) -> _core.Machine:
    """Read the machine file that is named, else the one of this job; without one the machine is probed first."""
    if path:
        return files.load(path)
    kept = files.file_of(session.job.fingerprint, os.environ)
    if kept.exists():
        return files.load(str(kept))
    machine, _ = probe(session, lambda: None, network=network_of_lab(lab))
    files.save(machine, kept)
    return machine


def tune(request: Request, show: Callable[[Found, float], None]) -> list[Found]:
    """Search all cases; `show` hears of each one, with the part of the work that is done.

    What was found is saved after each case, so that an end by hand or by a batch system loses one case at most. The
    library's own algorithms come last, as each round of them is a job for all cases; `show` hears of what they won.
    """
    program = trial_program(request.mpi, os.environ)
    library = library_of(program, os.environ) if request.with_library and not chosen_by_user(os.environ) else None
    words = start_words(request.launcher, request.ranks, program)
    start = starter(words, request.lab, Mode.ENGINE)
    found: list[Found] = []
    with start({}) as session:
        machine = machine_of(session, request.machine_file, request.lab)
        last_s = time.monotonic() + request.budget_s
        end_s = last_s - (LIBRARYS_PART * request.budget_s if library else 0)
        for index, case in enumerate(request.cases):
            now_s = time.monotonic()
            part_s = max(0.0, end_s - now_s) / (len(request.cases) - index)
            found.append(tune_case(session, case, machine, request.effort, now_s + part_s))
            save(request.tuning_file, session.job, [found[-1]])
            show(found[-1], (index + 1) / len(request.cases))
        for index, one in lost_again(start, found, request.effort).items():
            found[index] = one
            save(request.tuning_file, session.job, [one])
            show(one, 1)
        if library is not None:
            comparison = Comparison(library, session, start)
            found = compared_with_picks(
                comparison, found, lambda: request.effort.is_exhaustive or time.monotonic() < last_s
            )
            for one in found:
                if one.outcome.fallback:
                    save(request.tuning_file, session.job, [one])
                    show(one, 1)
    return found


def lost_again(start: Start, found: Sequence[Found], effort: Effort) -> dict[int, Found]:
    """Measure what won by little once more, in another job; give what did not win there, with native as its pick.

    Jobs differ by where the system puts their memory and their ranks, for as long as they live: what is won in one
    by less than CLOSE may be lost in the next.
    """
    close = [
        index for index, one in enumerate(found) if one.outcome.pick != NATIVE and native_ratio(one.outcome) < CLOSE
    ]
    lost = {}
    if close:
        with start({}) as session:
            for index in close:
                case, outcome, predicted = found[index]
                names = [NATIVE, outcome.pick]
                samples = session.measure(case.operation, case.size, names, batches=effort.final_batches, limit=0)
                native_us, pick_us = (median(samples[name].completion_us) for name in names)
                if pick_us > native_us * (1 - GAIN_MIN):
                    native = replace(outcome, pick=NATIVE, seconds=outcome.native_seconds)
                    lost[index] = Found(case, native, predicted)
    return lost


def compared_with_picks(comparison: Comparison, found: Sequence[Found], go_on: Callable[[], bool]) -> list[Found]:
    """Let the library's own algorithms compete with what was found."""
    outcomes = compare_with_picks(comparison, {one.case: one.outcome for one in found}, go_on)
    return [one._replace(outcome=outcomes.get(one.case, one.outcome)) for one in found]


def tune_case(session: Session, case: Case, machine: _core.Machine, effort: Effort, end_s: float) -> Found:
    """Search one case."""
    space = candidates(case, session.job, machine)

    def measure(names: Sequence[str], batches: int, limit: float) -> Mapping[str, Samples]:
        return session.measure(case.operation, case.size, names, batches=batches, limit=limit)

    def is_over() -> bool:
        return not effort.is_exhaustive and time.monotonic() > end_s

    outcome = search([candidate.text for candidate in space], measure, effort, is_over=is_over)
    return Found(case, outcome, {candidate.text: candidate.seconds for candidate in space})


def save(path: str, job: Job, found: Sequence[Found]) -> None:
    """Merge into the tuning file."""
    tuning = _core.Tuning()
    tuning.machine = _core.Fingerprint(list(job.fingerprint))
    picks = []
    for one in found:
        pick = _core.Pick()
        pick.call = one.case.call
        pick.ranks = job.ranks
        pick.nodes = len(set(job.nodes))
        pick.bytes = one.case.size
        pick.use = one.outcome.pick
        pick.seconds = one.outcome.seconds
        pick.native_seconds = one.outcome.native_seconds
        pick.trials = one.outcome.trials
        pick.source = "tune"
        pick.fallback = one.outcome.fallback
        picks.append(pick)
    tuning.picks = picks
    store.save(path, tuning)


def document(found: Sequence[Found]) -> list[dict[str, Any]]:
    """Tell everything that was measured, for --json."""
    return [
        {
            "operation": one.case.operation,
            "bytes": one.case.size,
            "pick": one.outcome.pick,
            "seconds": one.outcome.seconds,
            "native_seconds": one.outcome.native_seconds,
            "space": one.outcome.space,
            "tried": one.outcome.tried,
            "batches": one.outcome.batches,
            "measured": one.outcome.medians,
            "predicted": dict(one.predicted),
        }
        for one in found
    ]


def write_document(found: Sequence[Found], path: str) -> None:
    """Write it as JSON."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document(found), file, indent=1)


def native_ratio(outcome: Outcome) -> float:
    """Tell how many times faster than native the pick is."""
    return 1.0 if outcome.pick == NATIVE else outcome.native_seconds / outcome.seconds
