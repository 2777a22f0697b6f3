# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg export` does: measure, write the rules, show that they take effect, and drop what does not help."""

import os
from collections.abc import Mapping
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from thalweg.errors import USAGE, ThalwegError
from thalweg.rows import Row, geometric_mean, make_row, write_rows
from thalweg.rules.formats import Rules
from thalweg.rules.library import Library, library_of
from thalweg.text_files import write_text
from thalweg.trials.cases import Case
from thalweg.trials.compiler import trial_program
from thalweg.trials.session import start_words
from thalweg.tune import library_trials
from thalweg.tune.statistics import is_faster

Compared = Mapping[Case, tuple[list[float], list[float]]]
"""Microseconds, of the default and of the rules."""


class Request(NamedTuple):
    """What to export."""

    family: str
    mpi: str
    ranks: int
    launcher: list[str]
    lab: str
    cases: list[Case]
    output: str


def main(request: Request, json_file: str) -> None:
    """Measure, write and show."""
    program = trial_program(request.mpi, os.environ)
    library = library_of(program, os.environ)
    if library is None or library.family != request.family:
        found = f"the library of --mpi {request.mpi}, {library.path if library else 'of the standard ABI'}"
        raise ThalwegError(USAGE, f"{found}, is of another family than the rules", "name its prefix: --mpi PREFIX")
    start = library_trials.starter(start_words(request.launcher, request.ranks, program), request.lab)
    with start({}) as session:
        ranks = session.job.ranks
    times = _measured(request, library, ranks, start)
    rules = library_trials.rules_of(times)
    changed = {(operation, rule.size) for operation, found in rules.items() for rule in found if rule.algorithm}
    ruled = [case for case in times if (case.operation, case.size) in changed]
    if not ruled:
        print("the library's own decisions are not surely beaten by its other algorithms: no rules were written")
        return
    _write(request, library, rules, ranks)
    compared = library_trials.compare(ruled, start, library.file_variables(request.output))
    dropped = [case for case, (default, fresh) in compared.items() if not is_faster(fresh, default)]
    _write(request, library, library_trials.rules_of(times, dropped), ranks)
    rows = _shown(times, compared, dropped, ranks)
    print(f"{len(rows)} rules, geometric mean of default / rules {geometric_mean([row['ratio'] for row in rows]):.2f}")
    print(f"use them without Thalweg: {library.way_to_use(request.output)}")
    if json_file:
        write_rows(rows, json_file)


def _measured(request: Request, library: Library, ranks: int, start: library_trials.Start) -> library_trials.Times:
    choices = library.choices(dict.fromkeys(case.operation for case in request.cases), ranks)
    cases = [case for case in request.cases if case.operation in choices]
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring the library's algorithms", total=len(library_trials.rounds(choices)))

        def go_on() -> bool:
            progress.advance(task)
            return True

        return library_trials.measure(library.family, cases, choices, start, go_on)


def _shown(times: library_trials.Times, compared: Compared, dropped: list[Case], ranks: int) -> list[Row]:
    """Print what came of each rule, and give the rows of those that are kept."""
    rows: list[Row] = []
    for case, (default, rules) in compared.items():
        algorithm = library_trials.best(times[case])
        what = "not kept" if case in dropped else "kept"
        row = make_row(
            f"{case.name}, {ranks} ranks", "completion time", "us", median(rules), median(default), "default"
        )
        print(f"{row['case']}: {algorithm.text if algorithm else ''}: {row['ratio']:.2f} times faster, {what}")
        if case not in dropped:
            rows.append(row)
    return rows


def _write(request: Request, library: Library, rules: Rules, ranks: int) -> None:
    write_text(library.rules_text(rules, ranks), request.output)
