# SPDX-License-Identifier: BSD-3-Clause
"""Collectives inside of a node: Thalweg with its tuning file against every MPI library that is given, each its best.

Each MPI runs natively, and the one that was named first under Thalweg too, all jobs side by side; case by case they
take turns, and those that wait sleep. A machine (a virtual one above all, whose cores move) may have phases of seconds
in which everything takes twice as long, so what is measured in one turn is held together: a peer's ratio is the median
of the turns', and a case's peer is the MPI with the least ratio. What the machine itself takes to exchange one cache
line between two processes, which nothing can be faster than, is measured beside our shortest calls.
"""

import contextlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.progress import track

from thalweg.rows import Row, geometric_mean, paired_row, write_rows
from thalweg.trials.cases import Case
from thalweg.trials.compiler import compiled_program
from thalweg.trials.session import Mode, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.units import time_text
from thalweg_labs.bench.tuned import Figures, measure_case, tuning_file
from thalweg_labs.busy import busy_processes

_LINE = Path(__file__).parent / "program" / "cache_line.c"
AGAINST_LINE = "completion time against a cache line there and back"
_ALL_WAIT_FOR_ALL = {"barrier", "allreduce", "allgather", "alltoall"}
_SHORT_BYTES = 8
_PAIR = 2


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    """The first is what Thalweg runs on."""
    ranks: int
    cases: Sequence[Case]
    tuning: str
    turns: int
    batches: int
    busy: int
    """Foreign processes that compute meanwhile."""


def cache_line_us(mpi: str) -> float:
    """Measure how long two processes take to write a cache line each and see the other's; microseconds."""
    program = compiled_program("cache_line", [_LINE], mpi, os.environ)
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60)
    return float(done.stdout) * 1e6


def measure(request: Request) -> list[Row]:
    """Run all jobs in turns, print each case, and give the rows."""
    figures, lines = _measure_in_turns(request)
    rows = []
    for case in request.cases:
        what = f"{case.name}, {request.ranks} ranks" + (f" beside {request.busy} busy" if request.busy else "")
        best, *others = case_rows(what, request.mpis, [job[case] for job in figures])
        rows += [best, *others]
        peer, own = time_text(best["peer"] * 1e-6), time_text(best["ours"] * 1e-6)
        text = f"{what}: {own}; best peer {Path(best['peer_name']).name} {peer}: {best['ratio']:.2f}"
        if case in lines:
            row = _row(what, AGAINST_LINE, figures[0][case].completion_us, lines[case], "two processes")
            rows.append(row)
            text += f"; a cache line there and back {time_text(row['peer'] * 1e-6)}: {row['ratio']:.2f}"
        print(text, flush=True)
    return rows


def _measure_in_turns(request: Request) -> tuple[list[dict[Case, Figures]], dict[Case, list[float]]]:
    """Give the figures of all jobs, ours first, and the line's of the shortest cases."""
    own = request.mpis[0]
    tuning = tuning_file(request.tuning)
    starts = [(own, Mode.TUNED), *((mpi, Mode.NATIVE) for mpi in request.mpis)]
    words = [start_words([], request.ranks, trial_program(mpi, os.environ)) for mpi, _ in starts]
    figures = [{case: Figures([], []) for case in request.cases} for _ in starts]
    lines: dict[Case, list[float]] = {case: [] for case in request.cases if _is_held_against_line(case, request.ranks)}
    for turn in track(range(request.turns), "jobs", transient=True):
        with contextlib.ExitStack() as opened:
            jobs = [
                opened.enter_context(Session(start, mode=mode, tuning=tuning))
                for start, (_, mode) in zip(words, starts, strict=True)
            ]
            opened.enter_context(busy_processes(request.busy))
            for number, case in enumerate(request.cases):
                for index in range(len(jobs)):
                    which = (index + turn + number) % len(jobs)
                    measure_case(jobs[which], case, request.batches, figures[which][case])
                    if which == 0 and case in lines:
                        lines[case].append(cache_line_us(own))
    return figures, lines


def _is_held_against_line(case: Case, ranks: int) -> bool:
    """Tell whether two ranks exchange a line each and wait for it."""
    return ranks == _PAIR and case.operation in _ALL_WAIT_FOR_ALL and case.size <= _SHORT_BYTES


def case_rows(what: str, mpis: Sequence[str], jobs: Sequence[Figures]) -> list[Row]:
    """Make the rows of time and CPU time against the best peer, then of times against each peer; our job is first."""
    ours, *peers = jobs
    against = [
        _row(what, f"completion time against {mpi}", ours.completion_us, peer.completion_us, mpi)
        for mpi, peer in zip(mpis, peers, strict=True)
    ]
    best = min(range(len(mpis)), key=lambda peer: against[peer]["ratio"])
    time: Row = {**against[best], "metric": "completion time"}
    return [time, _row(what, "cpu time", ours.cpu_us, peers[best].cpu_us, mpis[best]), *against]


def _row(what: str, metric: str, ours: Sequence[float], peer: Sequence[float], peer_name: str) -> Row:
    return paired_row(what, metric, "us", list(zip(ours, peer, strict=True)), peer_name)


def run(request: Request, json_file: str) -> None:
    """Measure, print the means, and write all rows."""
    rows = measure(request)
    for metric in sorted({row["metric"] for row in rows}):
        ratios = [row["ratio"] for row in rows if row["metric"] == metric]
        print(f"{metric}: geometric mean of peer / Thalweg {geometric_mean(ratios):.2f}, least {min(ratios):.2f}")
    if json_file:
        write_rows(rows, json_file)
