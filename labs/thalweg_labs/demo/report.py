# SPDX-License-Identifier: BSD-3-Clause
"""Measure, show and write: what the demo and the benchmark of small programs have in common."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import typer
from rich.console import Console

from thalweg.errors import FAILED
from thalweg.rows import write_rows
from thalweg_labs.demo.pairs import Case
from thalweg_labs.demo.rows import rows_of
from thalweg_labs.demo.site import Site, make_site
from thalweg_labs.demo.table import table_of

_WIDTH_OF_FILES = 140


def in_scratch(build: Path | None, measure: Callable[[Site], list[Case]]) -> list[Case]:
    """Measure at a site whose scratch folder is removed afterwards."""
    scratch = Path(tempfile.mkdtemp(prefix="thalweg-"))
    try:
        return measure(make_site(build, scratch))
    finally:
        shutil.rmtree(scratch)


def report(cases: Sequence[Case], json: Path | None) -> None:
    """Print the table, failures behind it, write rows; leave with status 1 unless all answers agree.

    Cases whose native run was cut off are named and do not count.
    """
    Console(width=None if sys.stdout.isatty() else _WIDTH_OF_FILES).print(table_of(cases))
    for case in cases:
        if case.failure:
            typer.echo(f"{case.name}: {case.failure}", err=True)
    if json is not None:
        write_rows(rows_of(cases), str(json))
    run = [case for case in cases if not case.not_run]
    if len(run) < len(cases):
        typer.echo(f"{len(cases) - len(run)} cases were cut off: give a single run more time, --limit", err=True)
    if not run or not all(case.answers_agree for case in run):
        raise typer.Exit(FAILED.number)
