# SPDX-License-Identifier: BSD-3-Clause
"""What nonblocking collectives take from a computation beside them: the library's, through Thalweg, and our best.

A round of all strategies finds the best, then all take turns, batch by batch. A computation whose speed alone is known
runs between start and wait, with some tests of the request within it, or none.
"""

import os
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from thalweg import _core
from thalweg.rows import Row, paired_row, write_rows
from thalweg.strategies import device_strategies, operation_of
from thalweg.trials.cases import Case, candidates
from thalweg.trials.order import THREAD, order_of, strategy_of
from thalweg.trials.session import NATIVE, PASSED_ON, Job, Samples, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.units import count_text, time_text

OPERATIONS = ("ibroadcast", "iallreduce", "iallgather", "ialltoall", "ialltoallv")
SIZES = (8, 8 << 10, 1 << 20)
TESTS = (4, 0)
_FIRST_BATCHES = 3
_LIMIT = 3.0


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    ranks: Sequence[int]
    lab: str
    cases: Sequence[Case]
    tests: Sequence[int]
    """How often a request is tested within the computation: each number is a row."""
    batches: int
    has_thread: bool
    """Whether each rank's progress thread advances everything."""


def figures_of(samples: Samples) -> dict[str, Sequence[float]]:
    """Give the figures of a row, where less is better, by their names."""
    pairs = list(zip(samples.exposed_us, samples.completion_us, strict=True))
    return {
        "exposed time": samples.exposed_us,
        "lost computation": samples.lost_us,
        "completion time": samples.completion_us,
        "exposed part": [exposed / whole if whole > 0 else 0.0 for exposed, whole in pairs],
    }


def rows_of(case: str, mpi: str, samples: dict[str, Samples]) -> list[Row]:
    """Put each way through Thalweg beside the library's own."""
    native = figures_of(samples[NATIVE])
    rows = []
    for name, ours in samples.items():
        if name == NATIVE:
            continue
        for metric, values in figures_of(ours).items():
            pairs = list(zip(values, native[metric], strict=True))
            unit = "" if metric == "exposed part" else "us"
            rows.append(paired_row(f"{case}, {name}", metric, unit, pairs, mpi))
    return rows


def line(case: str, samples: dict[str, Samples]) -> str:
    """Write the figures of each way of running a case."""
    ways = []
    for name, one in samples.items():
        exposed, lost, whole = (median(row) * 1e-6 for row in (one.exposed_us, one.lost_us, one.completion_us))
        hidden = max(0.0, 1 - exposed / whole) if whole > 0 else 0.0
        ways.append(
            f"{name}: exposed {time_text(exposed)}, lost {time_text(lost)}, complete after {time_text(whole)}, "
            f"{hidden:.0%} hidden"
        )
    return f"{case}: " + "; ".join(ways)


def candidates_of(case: Case, job: Job) -> list[str]:
    """List the strategies of a case that hosts run, with the model's first parameters; some with the thread too."""
    devices = device_strategies(operation_of(case.call))
    names = order_of(case, candidates(case, job, _core.default_machine()))
    firsts = {(strategy_of(name), name.endswith(THREAD)): name for name in reversed(names)}
    return [name for (strategy, _), name in firsts.items() if strategy not in devices]


def best_of(session: Session, case: Case, tests: int) -> str:
    """Find the strategy that holds up its rank for the least time."""
    names = candidates_of(case, session.job)
    found = session.measure(case.operation, case.size, names, batches=_FIRST_BATCHES, limit=_LIMIT, tests=tests)
    return min(names, key=lambda name: median(found[name].held_up_us))


def measure(session: Session, mpi: str, case: Case, tests: int, request: Request) -> list[Row]:
    """Time a case, print it, and give its rows."""
    ways = [NATIVE, PASSED_ON, best_of(session, case, tests)]
    samples = session.measure(case.operation, case.size, ways, batches=request.batches, tests=tests)
    ranks = count_text(session.job.ranks, "rank")
    thread = ", progress thread" if request.has_thread else ""
    title = f"{mpi}: {case.name}, {ranks}, {count_text(tests, 'test')}{thread}"
    print(line(title, samples), flush=True)
    return rows_of(title, mpi, samples)


def run(request: Request, json_file: str) -> None:
    """Measure in a job for each MPI and number of ranks, print, and write the rows."""
    variables = {"THALWEG_PROGRESS_THREAD": "1"} if request.has_thread else {}
    rows: list[Row] = []
    for mpi in request.mpis:
        for ranks in request.ranks:
            words = start_words([], ranks, trial_program(mpi, os.environ))
            with Session(words, lab=request.lab, variables=variables) as session:
                for case in request.cases:
                    for tests in request.tests:
                        rows += measure(session, mpi, case, tests, request)
    if json_file:
        write_rows(rows, json_file)
