# SPDX-License-Identifier: BSD-3-Clause
"""Time collectives on the hosts' network devices beside all that hosts run, in one job for each MPI; then messages.

All take turns, batch by batch, so each batch of one has a batch of the other beside it: the median of the pairs'
ratios counts. The best strategy on hosts is the one with the least median, found in a round of its own before.
"""

import os
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from thalweg.errors import NIC, ThalwegError
from thalweg.lab.hosts import Lab, saved
from thalweg.rows import Row, paired_row, write_rows
from thalweg.strategies import all_strategies
from thalweg.trials.session import NATIVE, Samples, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.units import time_text
from thalweg_labs.bench import nic_messages, nic_strangers

CASES = (
    ("barrier", 0),
    ("allreduce", 8),
    ("allreduce", 64),
    ("reduce", 8),
    *(("broadcast", size) for size in (8, 512, 4096, 32768, 90112)),
    *((name, size) for name in ("allgather", "gather", "scatter") for size in (8, 32, 128, 256)),
    ("ibarrier", 0),
    ("iallreduce", 8),
    ("ibroadcast", 8),
    ("late_broadcast", 8),
    ("late_broadcast", 32768),
)
"""Operations with sizes; reductions are sums of doubles. Of nonblocking ones the time counts that is exposed, and of
a late broadcast what its last rank waits, which comes a millisecond late."""

OFFLOADED = "nic"


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    ranks: int
    lab: str
    radixes: Sequence[int]
    batches: int
    parts: Sequence[str]
    """Collectives, strangers, messages."""
    jobs: int
    """Of messages, and of each way of strangers."""


def rows_of(case: str, mpi: str, best: str, samples: dict[str, Samples]) -> list[Row]:
    """Put each offloaded candidate beside the best one of hosts, and beside the library's."""
    rows = []
    for name, ours in samples.items():
        if not name.startswith(OFFLOADED):
            continue
        for peer, title in ((best, f"best on hosts: {best}"), (NATIVE, f"{mpi} {NATIVE}")):
            for metric, own, others in (
                (metric_of(case), timed(ours), timed(samples[peer])),
                ("cpu time", ours.cpu_us, samples[peer].cpu_us),
            ):
                pairs = list(zip(own, others, strict=True))
                rows.append(paired_row(case.format(name), metric, "us", pairs, title))
    return rows


def timed(samples: Samples) -> Sequence[float]:
    """Give what is timed of a call: of a nonblocking one, the wait."""
    return samples.waited_us or samples.completion_us


def metric_of(case: str) -> str:
    """Name what is timed: of a nonblocking or late call, what holds up its rank after a millisecond of other things."""
    return "exposed time" if ": i" in case or ": late_" in case else "completion time"


def measure(session: Session, mpi: str, operation: str, size: int, request: Request) -> list[Row]:
    """Find the best strategy on hosts, let it take turns with the offloaded ones, and print the rows."""
    hosts = [entry.name for entry in all_strategies(_blocking(operation)) if entry.name != OFFLOADED]
    first = session.measure(operation, size, [NATIVE, *hosts], batches=request.batches, tests=0)
    best = min(hosts, key=lambda name: median(timed(first[name])))
    tops = tops_of(saved(request.lab))
    offloaded = [f"{OFFLOADED}:radix={radix},where={where}" for radix in request.radixes for where in tops]
    samples = session.measure(operation, size, [NATIVE, best, *offloaded], batches=request.batches, tests=0)
    rows = rows_of(f"{mpi}: {operation} {{}}, {size} B, {request.ranks} ranks", mpi, best, samples)
    for row in rows:
        print(_line(row), flush=True)
    return rows


def tops_of(lab: Lab | None) -> Sequence[str]:
    """Name the places where devices of the lab may be joined."""
    return ("switch", "card") if lab and lab.leaves else ("card",)


def run(request: Request, json_file: str) -> None:
    """Measure, print, and write the rows."""
    lab = saved(request.lab)
    if lab is None or not lab.nic:
        message = f"no lab with agents is up that is called {request.lab}"
        raise ThalwegError(NIC, message, f"make one: thalweg lab up --nic --name {request.lab}")
    rows: list[Row] = []
    for mpi in request.mpis:
        if "collectives" in request.parts:
            words = start_words([], request.ranks, trial_program(mpi, os.environ))
            with Session(words, lab=request.lab) as session:
                for operation, size in CASES:
                    rows += measure(session, mpi, operation, size, request)
        if "strangers" in request.parts:
            rows += nic_strangers.measure(mpi, request.ranks, request.lab, request.jobs, tops_of(lab))
        if "messages" in request.parts:
            rows += nic_messages.measure(mpi, request.ranks, request.lab, request.jobs)
    if json_file:
        write_rows(rows, json_file)


def _blocking(operation: str) -> str:
    """Name the operation of which this is a nonblocking or late call."""
    return operation.removeprefix("late_").removeprefix("i")


def _line(row: Row) -> str:
    ours, peer = (time_text(figure * 1e-6) for figure in (row["ours"], row["peer"]))
    return f"{row['case']}: {row['metric']} {ours}, {row['peer_name']} {peer}: {row['ratio']:.2f}"
