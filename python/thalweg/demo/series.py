"""Measure many cases within a time."""

import time
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from thalweg.demo.pairs import Budget, Case, measure
from thalweg.demo.program import Program
from thalweg.demo.site import Site

_SHARES_OF_A_CASE = 4


def measure_all(work: Sequence[tuple[Program, int]], site: Site, total_s: float, limit_s: float) -> list[Case]:
    """Measure each program with each number of ranks, with a progress bar on stderr.

    A case gets an equal share of the time that is left, so what short cases leave over goes to later ones. One pair may
    take a few shares, but no more, lest one slow case take all the time of a busy machine; a case that is cut off or
    finds no time is marked as not run.
    """
    cases: list[Case] = []
    begin_s = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(work))
        for program, ranks in work:
            progress.update(task, description=f"{program.title}, {program.flavor.title}, {ranks} ranks")
            left_s = total_s - (time.monotonic() - begin_s)
            share_s = left_s / (len(work) - len(cases))
            end_s = time.monotonic() + min(left_s, _SHARES_OF_A_CASE * share_s)
            budget = Budget(share_s, limit_s, end_s=end_s)
            cases.append(measure(program, ranks, site, budget))
            progress.advance(task)
    return cases
