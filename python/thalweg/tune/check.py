# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg machine check` prints."""

import os
from collections.abc import Sequence

from rich.console import Console
from rich.progress import Progress

from thalweg import _core
from thalweg.terminal import print_table
from thalweg.trials.cases import OPERATIONS
from thalweg.trials.session import Job, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune import store
from thalweg.tune.explain import tuning_path_of
from thalweg.tune.guidelines import SIZES, Native, Violation, checks, remedies, violation
from thalweg.units import count_text, size_text, time_text


def check_library(
    launcher: Sequence[str], *, ranks: int, mpi: str, lab: str, sizes: Sequence[int], tuning: str
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
    _print(found, len(work), job, tuning_file)


def _print(found: list[Violation], count: int, job: Job, tuning_path: str) -> None:
    fingerprint = _core.Fingerprint(list(job.fingerprint))
    own = store.of_job(store.load(tuning_path), job.fingerprint)
    known = remedies(own, job.ranks, len(set(job.nodes)))
    rows = []
    for one in sorted(found, key=lambda one: one.instead_seconds / one.seconds):
        pick = known.get((OPERATIONS[one.call], one.size))
        row = (
            one.call,
            size_text(one.size) if one.size else "",
            time_text(one.seconds),
            one.instead,
            time_text(one.instead_seconds),
            f"{one.seconds / one.instead_seconds:.2f}",
            f"{pick.use}, {time_text(pick.seconds)}" if pick else "native",
        )
        rows.append(row)
    if rows:
        print_table(["call", "unit", "takes", "instead", "takes", "times", "Thalweg"], rows, texts=(0, 3, 6))
    print(f"{len(found)} of {count} guidelines are violated by {fingerprint.mpi} with {count_text(job.ranks, 'rank')}")
