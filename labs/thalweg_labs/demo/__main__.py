# SPDX-License-Identifier: BSD-3-Clause
"""`python -m thalweg_labs.demo`: install what is missing, run all, print a table; status 1 if answers differ."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from thalweg.errors import ThalwegError
from thalweg_labs.busy import busy_processes
from thalweg_labs.demo.catalog import chosen
from thalweg_labs.demo.packages import install
from thalweg_labs.demo.pairs import Case
from thalweg_labs.demo.report import in_scratch, report
from thalweg_labs.demo.series import measure_all
from thalweg_labs.demo.site import Site


def demo(  # noqa: PLR0913 - a parameter is an option of the command line
    *,
    ranks: Annotated[list[int] | None, typer.Option(help="Numbers of ranks; 4 and 8 unless given.")] = None,
    mpi: Annotated[list[str] | None, typer.Option(help="Only this MPI library, openmpi or mpich.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only programs of these names.")] = None,
    seconds: Annotated[float, typer.Option(help="How long all may take, about. Each runs once at least.")] = 250,
    pairs: Annotated[
        int | None, typer.Option(help="Runs of each program both ways, whatever time they take.", min=1)
    ] = None,
    beside: Annotated[int, typer.Option(help="Processes of nobody's job that compute meanwhile.", min=0)] = 0,
    limit: Annotated[
        float, typer.Option(help="Seconds after which a single run is given up, on an idle machine.")
    ] = 90,
    json: Annotated[Path | None, typer.Option(help="Write the rows to this file.")] = None,
    build: Annotated[Path | None, typer.Option(help="The folder that holds the built examples.")] = None,
    no_install: Annotated[bool, typer.Option("--no-install", help="Install nothing.")] = False,
) -> None:
    """Run real programs natively and under Thalweg and compare their answers, wall times and CPU times."""
    programs = chosen(mpi or (), only or ())
    work = [(program, count) for program in programs for count in ranks or [4, 8]]

    def install_and_measure(site: Site) -> list[Case]:
        if not no_install:
            install(programs, site)
        with busy_processes(beside):
            return measure_all(work, site, seconds, limit, pairs)

    report(in_scratch(build.resolve() if build else None, install_and_measure), json)


if __name__ == "__main__":
    try:
        typer.run(demo)
    except ThalwegError as error:
        typer.echo(f"thalweg: {error}", err=True)
        sys.exit(error.status.number)
