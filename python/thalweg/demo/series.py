"""Measure many cases within a time."""

import time
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from thalweg.demo.pairs import Budget, Case, measure
from thalweg.demo.program import Program
from thalweg.demo.site import Site


def measure_all(work: Sequence[tuple[Program, int]], site: Site, total_s: float, limit_s: float) -> list[Case]:
    """Measure each program with each number of ranks, with a progress bar on stderr.

    A case gets an equal share of the time that is left, so what short cases leave over goes to later ones. No run
    goes on beyond the time that is left for all; cases that it cuts off or that find none are marked as not run.
    """
    cases: list[Case] = []
    begin_s = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(work))
        for program, ranks in work:
            progress.update(task, description=f"{program.title}, {program.flavour.title}, {ranks} ranks")
            left_s = total_s - (time.monotonic() - begin_s)
            budget = Budget(left_s / (len(work) - len(cases)), limit_s, end_s=begin_s + total_s)
            cases.append(measure(program, ranks, site, budget))
            progress.advance(task)
    return cases
