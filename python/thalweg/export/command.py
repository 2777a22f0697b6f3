"""What `thalweg export` does: measure, write the rules, show that they take effect, and drop what does not help."""

import os
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from thalweg.bench.rows import Row, geometric_mean, make_row, write_rows
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.export import formats, measure
from thalweg.export.algorithms import algorithms
from thalweg.export.formats import Rules
from thalweg.programs.find import find_program
from thalweg.trials.cases import Case
from thalweg.trials.compiler import trial_program
from thalweg.trials.session import start_words
from thalweg.tune.statistics import is_faster


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
    cases = [case for case in request.cases if algorithms(request.family, case.operation, 1)]
    program = trial_program(request.mpi, os.environ)
    start = measure.starter(start_words(request.launcher, request.ranks, program), request.lab)
    with start({}) as session:
        ranks = session.job.ranks
    jobs = len(measure.rounds(request.family, [case.operation for case in cases], ranks)) + 1
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring the library's algorithms", total=jobs)
        times = measure.measure(request.family, cases, ranks, start, lambda: progress.advance(task))
    changed = {
        (operation, rule.size)
        for operation, found in measure.rules_of(times).items()
        for rule in found
        if rule.algorithm
    }
    ruled = [case for case in cases if (case.operation, case.size) in changed]
    if not ruled:
        print("the library's own decisions are not surely beaten by its other algorithms: no rules were written")
        return
    _write(request, measure.rules_of(times), ranks, program)
    extra = measure.file_variables(request.family, request.output)
    compared = measure.compare(ruled, start, extra)
    dropped = [case for case, (default, rules) in compared.items() if not is_faster(rules, default)]
    _write(request, measure.rules_of(times, dropped), ranks, program)
    rows: list[Row] = []
    for case, (default, rules) in compared.items():
        algorithm = measure.best(times[case])
        what = "not kept" if case in dropped else "kept"
        row = make_row(
            f"{case.name}, {ranks} ranks", "completion time", "us", median(rules), median(default), "default"
        )
        print(f"{row['case']}: {algorithm.text if algorithm else ''}: {row['ratio']:.2f} times faster, {what}")
        if case not in dropped:
            rows.append(row)
    print(f"{len(rows)} rules, geometric mean of default / rules {geometric_mean([row['ratio'] for row in rows]):.2f}")
    print("use them without Thalweg: " + " ".join(f"{name}={value}" for name, value in extra.items()))
    if json_file:
        write_rows(rows, json_file)


def _write(request: Request, rules: Rules, ranks: int, program: str) -> None:
    if request.family == "openmpi":
        text = formats.openmpi_rules(rules, ranks)
    else:
        text = formats.mpich_selection(rules, ranks, formats.mpich_defaults(library_of(program)))
    try:
        Path(request.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ThalwegError(SETTINGS, f"{request.output} cannot be written: {error.strerror}") from error


def library_of(program: str) -> str:
    """Find the MPI library that a program loads."""
    found = find_program([program], os.environ)
    assert found is not None
    assert found.mpi is not None
    return found.mpi.library
