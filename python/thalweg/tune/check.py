# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg machine check` prints."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import Progress

from thalweg import _core
from thalweg.answers.answer import answered
from thalweg.terminal import print_table
from thalweg.trials.cases import OPERATIONS
from thalweg.trials.session import NATIVE, Job, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune import store
from thalweg.tune.explain import tuning_path_of
from thalweg.tune.guidelines import SIZES, Native, Violation, checks, remedies, violation
from thalweg.units import count_text, size_text, time_text


def check_library(
    launcher: Sequence[str], *, ranks: int, mpi: str, lab: str, sizes: Sequence[int], tuning: str, json_file: str
) -> None:
    """Check the MPI library's collectives at these sizes, or the usual ones, and print what is slower than it need be.

    Raises ThalwegError where the job cannot be started, or the tuning file cannot be read.
    """
    tuning_file = tuning_path_of(tuning)
    words = start_words(launcher, ranks, trial_program(mpi, os.environ))
    found: list[Violation] = []
    with Session(words, lab=lab) as session, Progress(console=Console(stderr=True), transient=True) as progress:
        job = session.job
        work = list(checks(job.ranks, sizes or SIZES))
        native = Native(session)
        for term, instead, description in progress.track(work, description="checking"):
            if one := violation(term, instead, description, native):
                found.append(one)
    remedied = _remedied(found, job, tuning_file)
    if not answered("machine check", _as_data(remedied, len(work), job), json_file):
        _print(remedied, len(work), job)


class _Remedied(NamedTuple):
    """A violation, and what Thalweg does about it."""

    found: Violation
    pick: _core.Pick | None


def _remedied(found: list[Violation], job: Job, tuning_path: str) -> list[_Remedied]:
    """Put the violations into their order, the worst first, with what the tuning file knows for them."""
    own = store.of_job(store.load(tuning_path), job.fingerprint)
    known = remedies(own, job.ranks, len(set(job.nodes)))
    ordered = sorted(found, key=lambda one: one.instead_seconds / one.seconds)
    return [_Remedied(one, known.get((OPERATIONS[one.call], one.size))) for one in ordered]


def _as_data(remedied: list[_Remedied], count: int, job: Job) -> dict[str, Any]:
    return {
        "mpi": _core.Fingerprint(list(job.fingerprint)).mpi,
        "ranks": job.ranks,
        "nodes": len(set(job.nodes)),
        "guidelines": count,
        "violations": [
            {
                "call": found.call,
                "bytes": found.size,
                "seconds": found.seconds,
                "instead": found.instead,
                "instead_seconds": found.instead_seconds,
                "use": pick.use if pick else NATIVE,
                "use_seconds": pick.seconds if pick else None,
            }
            for found, pick in remedied
        ],
    }


def _print(remedied: list[_Remedied], count: int, job: Job) -> None:
    fingerprint = _core.Fingerprint(list(job.fingerprint))
    rows = [
        (
            one.call,
            size_text(one.size) if one.size else "",
            time_text(one.seconds),
            one.instead,
            time_text(one.instead_seconds),
            f"{one.seconds / one.instead_seconds:.2f}",
            f"{pick.use}, {time_text(pick.seconds)}" if pick else NATIVE,
        )
        for one, pick in remedied
    ]
    if rows:
        print_table(["call", "unit", "takes", "instead", "takes", "times", "Thalweg"], rows, texts=(0, 3, 6))
    ranks = count_text(job.ranks, "rank")
    print(f"{len(remedied)} of {count} guidelines are violated by {fingerprint.mpi} with {ranks}")
