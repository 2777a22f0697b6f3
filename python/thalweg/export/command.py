# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg tune export` does: measure, write rules, show that they take effect, drop what does not help."""

import os
from collections.abc import Mapping, Sequence
from statistics import median

from rich.console import Console
from rich.progress import Progress

from thalweg.errors import USAGE, ThalwegError
from thalweg.rows import Row, geometric_mean, make_row, write_rows
from thalweg.rules.library import Library, library_of
from thalweg.text_files import write_text
from thalweg.trials.cases import Case
from thalweg.trials.session import start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune import library_trials
from thalweg.tune.statistics import is_faster

Compared = Mapping[Case, tuple[list[float], list[float]]]
"""Microseconds, of the default and of the rules."""


def export_rules(
    family: str,
    output: str,
    *,
    mpi: str,
    ranks: int,
    launcher: Sequence[str],
    lab: str,
    cases: Sequence[Case],
    figures: str,
) -> None:
    """Measure, write the rules of that family of libraries, and show that they take effect.

    Raises ThalwegError where the job cannot be started, or the MPI is of another family.
    """
    program = trial_program(mpi, os.environ)
    library = library_of(program, os.environ)
    if library is None or library.family != family:
        found = f"the library of --mpi {mpi}, {library.path if library else 'of the standard ABI'}"
        raise ThalwegError(USAGE, f"{found}, is of another family than the rules", "name its prefix: --mpi PREFIX")
    start = library_trials.starter(start_words(launcher, ranks, program), lab)
    with start({}) as session:
        ranks = session.job.ranks
    times = _measured(cases, library, ranks, start)
    rules = library_trials.rules_of(times)
    changed = {(operation, rule.size) for operation, found in rules.items() for rule in found if rule.algorithm}
    ruled = [case for case in times if (case.operation, case.size) in changed]
    if not ruled:
        print("the library's own decisions are not surely beaten by its other algorithms: no rules were written")
        return
    write_text(library.rules_text(rules, ranks), output)
    compared = library_trials.compare(ruled, start, library.file_variables(output))
    dropped = [case for case, (default, fresh) in compared.items() if not is_faster(fresh, default)]
    write_text(library.rules_text(library_trials.rules_of(times, dropped), ranks), output)
    rows = _shown(times, compared, dropped, ranks)
    print(f"{len(rows)} rules, geometric mean of default / rules {geometric_mean([row['ratio'] for row in rows]):.2f}")
    print(f"use them without Thalweg: {library.way_to_use(output)}")
    if figures:
        write_rows(rows, figures)


def _measured(asked: Sequence[Case], library: Library, ranks: int, start: library_trials.Start) -> library_trials.Times:
    choices = library.choices(dict.fromkeys(case.operation for case in asked), ranks)
    cases = [case for case in asked if case.operation in choices]
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
