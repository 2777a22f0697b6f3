# SPDX-License-Identifier: BSD-3-Clause
"""Measure many cases within a time."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from thalweg_labs.demo.pairs import Budget, Case, measure
from thalweg_labs.demo.program import Program
from thalweg_labs.demo.site import Site


class _Progress(Protocol):
    def begin(self, what: str) -> None: ...
    def end(self, case: Case) -> None: ...


def measure_all(
    work: Sequence[tuple[Program, int]], site: Site, total_s: float, limit_s: float, pairs: int | None = None
) -> list[Case]:
    """Measure each program with each number of ranks, and show on stderr how far it is.

    A case gets an equal share of the time that is left, so what short cases leave over goes to later ones. Each is run
    once both ways however little is left: on a busy machine repetitions fall away, and all takes longer. A single run
    may also take as much longer as there are processes for each processor; one that is cut off all the same is marked
    as not run. `pairs` is how many pairs each is run, whatever time they take.
    """
    cases: list[Case] = []
    begin_s = time.monotonic()
    with _progress(len(work)) as progress:
        for program, ranks in work:
            progress.begin(f"{program.title}, {program.flavor.title}, {ranks} ranks")
            left_s = total_s - (time.monotonic() - begin_s)
            budget = Budget(max(0.0, left_s) / (len(work) - len(cases)), limit_s * _crowding())
            if pairs is not None:
                budget = replace(budget, min_pairs=pairs, max_pairs=pairs)
            cases.append(measure(program, ranks, site, budget))
            progress.end(cases[-1])
    return cases


def _crowding() -> float:
    """How many processes there are for each processor, at least one."""
    return max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0)))


@contextmanager
def _progress(count: int) -> Iterator[_Progress]:
    if not sys.stderr.isatty():
        yield _Lines(count)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(progress, count)


class _Bar:
    def __init__(self, progress: Progress, count: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=count)

    def begin(self, what: str) -> None:
        self._progress.update(self._task, description=what)

    def end(self, _case: Case) -> None:
        self._progress.advance(self._task)


class _Lines:
    """A line a case, where there is no terminal."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._number = 0
        self._begin_s = time.monotonic()

    def begin(self, what: str) -> None:
        self._number += 1
        print(f"[{self._number}/{self._count}] {what} …", file=sys.stderr, flush=True)

    def end(self, case: Case) -> None:
        found = "not run" if case.not_run else "failed" if case.failure else f"{case.pairs} pairs"
        elapsed_s = time.monotonic() - self._begin_s
        print(f"[{self._number}/{self._count}] {found}; {elapsed_s:.0f} s so far", file=sys.stderr, flush=True)
