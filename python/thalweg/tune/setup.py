# SPDX-License-Identifier: BSD-3-Clause
"""The first look at a machine: within seconds, which strategies are surely faster there than the MPI library.

It is a search with the least effort, on one node, among operations and sizes that most programs have. What it finds is
where programs begin: they go on from there by learning, and `thalweg tune` replaces it.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from thalweg import _core
from thalweg.machine import files
from thalweg.trials.cases import Case, cases
from thalweg.trials.session import NATIVE, Job, Mode, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune import store
from thalweg.tune.clock import Clock
from thalweg.tune.library_trials import starter
from thalweg.tune.run import Found, lost_again, native_ratio, save, tune_case
from thalweg.tune.search import Effort

OPERATIONS = ("barrier", "broadcast", "allreduce", "allgather", "alltoall", "reduce", "gather", "scatter")
SIZES = (8, 1 << 10, 8 << 10, 64 << 10, 512 << 10)
"""Bytes of a unit: of those that `thalweg tune` takes, so that it replaces all of them."""
JOB_BYTES_MAX = 8 << 20
"""Of all ranks' units together: larger ones take too long."""
SOURCE = "setup"
"""Who found a pick, in the tuning file."""
SURE = 1.15
"""Times as fast as native that a pick has to be: it holds for programs that nobody has looked at."""
EFFORT = Effort(round_size=3, patience=1, leaders=0, batches=3, final_batches=9, finalists=2)
SEARCH_END = 0.7
"""Of the budget; then what was found is measured in a second job."""


class Look(NamedTuple):
    """Where to look, and for how long."""

    mpi: str
    ranks: int
    tuning_file: str
    clock: Clock


def cases_for(ranks: int) -> list[Case]:
    """Give the cases for so many ranks, those first that stand for most."""
    return [case for case in cases(OPERATIONS, SIZES) if case.size * ranks <= JOB_BYTES_MAX]


def unknown_of(wanted: Sequence[Case], tuning: Sequence[_core.Tuning], job: Job) -> list[Case]:
    """Leave out cases that the file knows of such a job: whatever found them looked longer, or as long."""
    nodes = len(set(job.nodes))
    known = {
        (pick.call, pick.bytes)
        for one in store.of_job(tuning, job.fingerprint)
        for pick in one.picks
        if (pick.ranks, pick.nodes) == (job.ranks, nodes)
    }
    return [case for case in wanted if (case.call, case.size) not in known]


def look(wanted: Look, announce: Callable[[Found], None] = lambda _: None) -> list[Found]:
    """Search what is not known and there is time for, and keep it; native where nothing is surely faster.

    Errors are ThalwegError's: of the MPI, its launcher, and the tuning file.
    """
    words = start_words([], wanted.ranks, trial_program(wanted.mpi, os.environ))
    start = starter(words, "", Mode.ENGINE)
    clock = wanted.clock
    found: list[Found] = []
    with start({}) as session:
        machine = _machine_of(session.job)
        for case in unknown_of(cases_for(wanted.ranks), store.readable(wanted.tuning_file), session.job):
            left_s = clock.left_s(SEARCH_END)
            if left_s <= 0:
                break
            end_s = time.monotonic() + left_s
            found.append(_if_sure(tune_case(session, case, machine, EFFORT, end_s, on_devices=False)))
        job = session.job
    for index, one in lost_again(start, found, EFFORT, clock.is_over).items():
        found[index] = one
    save(wanted.tuning_file, job, found, SOURCE)
    for one in found:
        announce(one)
    return found


def _machine_of(job: Job) -> _core.Machine:
    """Read what a probe has kept of the machine; else candidates come in the order of a standard one."""
    kept = files.file_of(job.fingerprint, os.environ)
    if kept.exists():
        return files.load(str(kept))
    machine = _core.default_machine()
    machine.cores = _core.Fingerprint(list(job.fingerprint)).cores
    return machine


def _if_sure(one: Found) -> Found:
    outcome = one.outcome
    if outcome.pick == NATIVE or native_ratio(outcome) >= SURE:
        return one
    return one._replace(outcome=replace(outcome, pick=NATIVE, seconds=outcome.native_seconds))
