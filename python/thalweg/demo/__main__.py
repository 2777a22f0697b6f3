"""`python -m thalweg.demo`: install what is missing, run all, print a table; status 1 if answers differ."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from thalweg.demo.catalogue import PROGRAMS
from thalweg.demo.packages import install
from thalweg.demo.rows import rows_of, write_rows
from thalweg.demo.series import measure_all
from thalweg.demo.site import make_site
from thalweg.demo.table import table_of
from thalweg.errors import FAILED, ThalwegError


def demo(  # noqa: PLR0913, PLR0917 - a parameter is an option of the command line
    ranks: Annotated[list[int] | None, typer.Option(help="Numbers of ranks; 4 and 8 unless given.")] = None,
    mpi: Annotated[list[str] | None, typer.Option(help="Only this MPI library, openmpi or mpich.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only programs of these names.")] = None,
    seconds: Annotated[float, typer.Option(help="How long all runs together may take, about.")] = 240,
    limit: Annotated[float, typer.Option(help="Seconds after which a single run is given up.")] = 90,
    json: Annotated[Path | None, typer.Option(help="Write the figures to this file.")] = None,
    build: Annotated[Path | None, typer.Option(help="The folder that holds the built examples.")] = None,
    no_install: Annotated[bool, typer.Option("--no-install", help="Install nothing.")] = False,  # noqa: FBT002
) -> None:
    """Run real programs natively and under Thalweg and compare their answers, wall times and CPU times."""
    programs = [
        program
        for program in PROGRAMS
        if (not mpi or program.flavour.name in mpi) and (not only or program.name in only)
    ]
    scratch = Path(tempfile.mkdtemp(prefix="thalweg-demo-"))
    try:
        site = make_site(build, scratch)
        if not no_install:
            install(programs, site)
        work = [(program, count) for program in programs for count in ranks or [4, 8]]
        cases = measure_all(work, site, seconds, limit)
    finally:
        shutil.rmtree(scratch)
    Console(width=None if sys.stdout.isatty() else 140).print(table_of(cases))
    for case in cases:
        if case.failure:
            typer.echo(f"{case.name}: {case.failure}", err=True)
    if json is not None:
        write_rows(rows_of(cases), json)
    if not cases or not all(case.answers_agree for case in cases):
        raise typer.Exit(FAILED.number)


if __name__ == "__main__":
    try:
        typer.run(demo)
    except ThalwegError as error:
        typer.echo(f"thalweg: {error}", err=True)
        sys.exit(error.status.number)
