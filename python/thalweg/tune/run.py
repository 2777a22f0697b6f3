# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune`: search case by case in one job, and keep what was found in the tuning file."""

import json
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any, NamedTuple, Protocol

from thalweg import _core
from thalweg.lab.hosts import hosts_of_lab, network_of_lab
from thalweg.machine import files
from thalweg.machine.probe import probe
from thalweg.machine.probe_devices import run_on_devices
from thalweg.rules.library import library_of
from thalweg.settings.user_algorithms import chosen_by_user
from thalweg.strategies import device_strategies, operation_of
from thalweg.text_files import write_text
from thalweg.trials.cases import ROOTED, Case, candidates, node_places, part_of, remark_on_routes
from thalweg.trials.order import order_of
from thalweg.trials.session import NATIVE, Job, Mode, Samples, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune import store
from thalweg.tune.clock import LEVELS, LIBRARY_END, PROBE_END, SECOND_JOB_END, STRATEGIES_END, Clock, Pace, Step
from thalweg.tune.doubts import known_pick, reconciled
from thalweg.tune.library import Comparison, compare_with_picks
from thalweg.tune.library_trials import Start, starter
from thalweg.tune.objective import Objective, is_not_worse, is_worth_its_work, objective_of
from thalweg.tune.quiet import Watch
from thalweg.tune.search import EXHAUSTIVE, Check, Effort, Outcome, search
from thalweg.tune.statistics import GAIN_MIN

CLOSE = 1.5
"""Times as fast as native, below which a pick has to win in a second job too."""


class Request(NamedTuple):
    """What to tune, and how."""

    mpi: str
    ranks: int
    launcher: Sequence[str]
    """A launcher's command; empty: the MPI's own with `ranks` ranks."""
    lab: str
    cases: Sequence[Case]
    clock: Clock
    """For the whole; each case gets its part of what is left."""
    is_exhaustive: bool
    """Whether every candidate is tried, whatever it takes."""
    machine_file: str
    tuning_file: str
    with_library: bool
    """Whether the library's own algorithms are candidates too."""
    objective: Objective | None = None
    """The figure that counts; None: the usual one of each case."""


class Watcher(Protocol):
    """Who is told how the search goes on."""

    def announce(self, what: str) -> None:
        """Hear what is being done now."""

    def found(self, one: "Found", part: float) -> None:
        """Hear what was found for a case, and which part of the cases is done."""


class Found(NamedTuple):
    """One case's outcome, with what the model had said."""

    case: Case
    outcome: Outcome
    predicted: Mapping[str, float]
    """Seconds by candidate, fastest first."""
    objective: Objective = Objective.TIME
    """By which figure it was chosen."""
    is_known: bool = False
    """The pick is an earlier search's too."""
    is_doubted: bool = False
    """Others computed on the ranks' cores meanwhile: a pick has to win in a second job, by whatever it has won."""

    def overlap_of(self, name: str) -> _core.Overlap | None:
        """Give how native or the pick fits together with a computation, by the final's medians; None: not measured."""
        samples = self.outcome.final.get(name)
        if samples is None or not samples.exposed_us:
            return None
        figures = (samples.exposed_us, samples.lost_us, samples.completion_us)
        return _core.Overlap(*(median(figure) * 1e-6 for figure in figures))


class _OutOfTime(Exception):  # noqa: N818 - it is no error
    """A probe takes longer than there is time for."""


def machine_of(
    session: Session,
    path: str,
    lab: str,
    *,
    announce: Callable[[str], None] = lambda _: None,
    is_over: Callable[[], bool] = lambda: False,
) -> _core.Machine:
    """Read the machine file that is named, else the one of this job; without one the machine is probed first.

    A probe that takes until `is_over` is left off, and the candidates come in the order of a standard machine.
    """
    if path:
        return files.load(path)
    kept = files.file_of(session.job.fingerprint, os.environ)
    if kept.exists():
        return files.load(str(kept))
    announce("probing the machine first, once")

    def show() -> None:
        if is_over():
            raise _OutOfTime

    try:
        machine, _ = probe(session, show)
        machine.network, machine.nodes = network_of_lab(lab), hosts_of_lab(lab)
    except _OutOfTime:
        print("thalweg: the probe did not fit into the budget; 'thalweg machine probe' makes it once", file=sys.stderr)
        machine = _core.default_machine()
        machine.cores = _core.Fingerprint(list(session.job.fingerprint)).cores
        return machine
    files.save(machine, kept)
    return machine


def tune(request: Request, watcher: Watcher) -> list[Found]:
    """Search all cases, as far as the budget goes.

    What was found is saved after each case, so that an end by hand or by a batch system loses one case at most. The
    library's own algorithms come last, as each round of them is a job for all cases; `watcher` hears of what they won.
    """
    watcher.announce("starting a job")
    clock = request.clock
    program = trial_program(request.mpi, os.environ)
    library = library_of(program, os.environ) if request.with_library and not chosen_by_user(os.environ) else None
    words = start_words(request.launcher, request.ranks, program)
    start = starter(words, request.lab, Mode.ENGINE)
    with start({}) as session:
        machine = machine_of(
            session,
            request.machine_file,
            request.lab,
            announce=watcher.announce,
            is_over=lambda: clock.is_over(PROBE_END),
        )
        if remark := remark_on_routes(len(session.job.hosts), node_places(session.job, machine)):
            print(f"thalweg: {remark}", file=sys.stderr)

        def keep(one: Found, part: float = 1) -> None:
            save(request.tuning_file, session.job, [one])
            watcher.found(one, part)

        found = _searched(request, session, machine, watcher.announce, keep)
        watcher.announce("second job: what is not sure yet")
        effort = EXHAUSTIVE if request.is_exhaustive else LEVELS[1]
        for index, one in lost_again(start, found, effort, lambda: clock.is_over(SECOND_JOB_END)).items():
            found[index] = one
            keep(one)
        if library is not None and not clock.is_over(SECOND_JOB_END):
            watcher.announce("the library's own algorithms")
            comparison = Comparison(library, session, start)
            found = compared_with_picks(comparison, found, lambda: not clock.is_over(LIBRARY_END))
            for one in found:
                if one.outcome.fallback:
                    keep(one)
    return found


def _searched(
    request: Request,
    session: Session,
    machine: _core.Machine,
    announce: Callable[[str], None],
    keep: Callable[[Found, float], None],
) -> list[Found]:
    """Search case by case among the strategies."""
    found: list[Found] = []
    on_devices = run_on_devices(session)
    pace = Pace(request.clock, STRATEGIES_END)
    before = store.of_job(store.readable(request.tuning_file), session.job.fingerprint)
    watch = Watch(session, _core.Fingerprint(list(session.job.fingerprint)).cores, request.clock.budget_s)
    for index, case in enumerate(request.cases):
        step = Step(EXHAUSTIVE, math.inf) if request.is_exhaustive else pace.begin(len(request.cases) - index)
        if step is None:
            break
        announce(case.name)
        was_quiet = watch.wait()
        end_s = time.monotonic() + step.end_s
        objective = objective_of(case, request.objective)
        one = tune_case(session, case, machine, step.effort, end_s, on_devices=on_devices, objective=objective)
        is_quiet = was_quiet and watch.is_quiet()
        held = _held_on_to(one, before, session, step.effort, may_differ=is_quiet)
        found.append(held._replace(is_doubted=not is_quiet))
        pace.end()
        keep(found[-1], (index + 1) / len(request.cases))
    if watch.disturbed:
        cases = f"{watch.disturbed} of {len(found)} cases"
        print(f"thalweg: others computed here during {cases}: tune again on an idle machine", file=sys.stderr)
    if moved := sum(one.outcome.distance_changes > 0 for one in found):
        cases = f"{moved} of {len(found)} cases"
        print(f"thalweg: the ranks' cores changed their distance during {cases}: {_BY_LIKE}", file=sys.stderr)
    return found


_BY_LIKE = "what was measured at one distance was compared alone"


def _held_on_to(
    one: Found, before: Sequence[_core.Tuning], session: Session, effort: Effort, *, may_differ: bool
) -> Found:
    """Hold a pick against an earlier search's; on a disturbed machine (`may_differ` is false) the earlier one stays."""
    case, objective = one.case, one.objective
    known = known_pick(before, session.job, case, objective)

    def measure(names: Sequence[str], batches: int, limit: float) -> Mapping[str, Samples]:
        return session.measure(case.operation, case.size, names, batches=batches, limit=limit)

    outcome = reconciled(one.outcome, known, measure, effort, objective.figure, may_differ=may_differ)
    return one._replace(outcome=outcome, is_known=outcome.pick == known)


def lost_again(
    start: Start, found: Sequence[Found], effort: Effort, is_over: Callable[[], bool] = lambda: False
) -> dict[int, Found]:
    """Measure what may not be sure once more, in another job; give what did not win there, with native as its pick.

    What there is no time for has not won.

    Jobs differ by where the system puts their memory and their ranks, for as long as they live: what is won in one
    by less than CLOSE may be lost in the next. Nonblocking calls win by more or less as the system puts the threads
    that advance them, so none of them is sure after one job.
    """

    def is_sure(one: Found) -> bool:
        return native_ratio(one.outcome) >= CLOSE and not one.is_doubted and not one.case.is_nonblocking

    close = [
        index for index, one in enumerate(found) if one.outcome.pick != NATIVE and not one.is_known and not is_sure(one)
    ]
    lost = {}
    if close:
        with start({}) as session:
            for index in close:
                case, outcome, objective = found[index].case, found[index].outcome, found[index].objective
                names = [NATIVE, outcome.pick]
                native_us, pick_us = 0.0, math.inf
                if not is_over():
                    samples = session.measure(case.operation, case.size, names, batches=effort.final_batches, limit=0)
                    native_us, pick_us = (median(objective.figure(samples[name])) for name in names)
                if pick_us > native_us * (1 - GAIN_MIN):
                    native = replace(outcome, pick=NATIVE, seconds=outcome.native_seconds)
                    lost[index] = found[index]._replace(outcome=native)
    return lost


def compared_with_picks(comparison: Comparison, found: Sequence[Found], go_on: Callable[[], bool]) -> list[Found]:
    """Let the library's own algorithms compete with what was found for blocking calls by time, which they are for."""
    blocking = {
        one.case: one.outcome
        for one in found
        if not (one.case.is_nonblocking or one.case.is_of_team) and one.objective is Objective.TIME
    }
    outcomes = compare_with_picks(comparison, blocking, go_on)
    return [one._replace(outcome=outcomes.get(one.case, one.outcome)) for one in found]


def tune_case(  # noqa: PLR0913 - a search has that many sides
    session: Session,
    case: Case,
    machine: _core.Machine,
    effort: Effort,
    end_s: float,
    *,
    on_devices: bool,
    objective: Objective = Objective.TIME,
) -> Found:
    """Search one case. `on_devices`: network devices run the job's collectives (run_on_devices)."""
    space = candidates(case, session.job, machine)

    def measure(names: Sequence[str], batches: int, limit: float) -> Mapping[str, Samples]:
        return session.measure(case.operation, case.size, names, batches=batches, limit=limit)

    def is_over() -> bool:
        return not effort.is_exhaustive and time.monotonic() > end_s

    def measure_alone(names: Sequence[str], batches: int, limit: float) -> Mapping[str, Samples]:
        late = "late_" if case.is_nonblocking else ""
        operation = late + case.operation + last_root(case, session.job)
        return session.measure(operation, case.size, names, batches=batches, limit=limit, alone=not late)

    order = order_of(case, space)
    if on_devices and not case.is_of_team:
        order = devices_first(order, operation_of(case.call))
    is_held_up = objective is Objective.OVERLAP
    holds = is_worth_its_work(session.job.ranks) if is_held_up else is_not_worse(objective.figure)
    outcome = search(
        order,
        measure,
        effort,
        is_over=is_over,
        alone=Check(measure_alone, holds),
        figure=objective.figure,
    )
    return Found(case, outcome, {candidate.text: candidate.seconds for candidate in space}, objective)


def last_root(case: Case, job: Job) -> str:
    """Name the last rank as root, as trials write it: a pick for the root 0 has to hold there too; empty: no root."""
    ranks = part_of(job, case).ranks
    return f"^{ranks - 1}" if case.call in ROOTED and not case.is_nonblocking and ranks > 1 else ""


def devices_first(order: Sequence[str], call: str) -> list[str]:
    """Put a candidate that network devices run ahead of all, the one with usual parameters if it is there.

    What devices cost is not known before a probe, and by few trees after it; the machine's other figures are hosts'.
    """
    offloading = device_strategies(call)
    first = min((name for name in order if name.partition(":")[0] in offloading), key=_has_parameters, default=None)
    return list(order) if first is None else [first, *(name for name in order if name != first)]


def _has_parameters(name: str) -> bool:
    return ":" in name


def save(path: str, job: Job, found: Sequence[Found], source: str = "tune") -> None:
    """Merge into the tuning file; `source` is who found it."""
    tuning = _core.Tuning()
    tuning.machine = _core.Fingerprint(list(job.fingerprint))
    picks: list[_core.Pick] = []
    nonblocking: list[_core.Pick] = []
    of_teams: list[_core.Pick] = []
    for one in found:
        pick = _core.Pick()
        pick.call = one.case.call
        own = part_of(job, one.case)
        pick.ranks = own.ranks
        pick.nodes = len(set(own.nodes))
        pick.bytes = one.case.size
        pick.degree = one.case.degree
        pick.use = one.outcome.pick
        pick.seconds = one.outcome.seconds
        pick.native_seconds = one.outcome.native_seconds
        pick.trials = one.outcome.trials
        pick.source = source
        pick.fallback = one.outcome.fallback
        pick.objective = one.objective.value
        if (mine := one.overlap_of(one.outcome.pick)) and (native := one.overlap_of(NATIVE)):
            pick.overlaps = _core.Overlaps(mine, native)
        pick.mode = one.case.mode
        (nonblocking if one.case.is_nonblocking else of_teams if one.case.is_of_team else picks).append(pick)
    tuning.picks, tuning.nonblocking, tuning.of_teams = picks, nonblocking, of_teams
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
            "objective": one.objective.value,
            "overlap": {
                name: {"exposed": known.exposed, "lost": known.lost, "completion": known.completion}
                for name in one.outcome.final
                if (known := one.overlap_of(name))
            },
            "distance_ns": one.outcome.distance_ns,
            "distance_changes": one.outcome.distance_changes,
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
    write_text(json.dumps(document(found), indent=1), path)


def native_ratio(outcome: Outcome) -> float:
    """Tell how many times faster than native the pick is."""
    return 1.0 if outcome.pick == NATIVE else outcome.native_seconds / outcome.seconds
