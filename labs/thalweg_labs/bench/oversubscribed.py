# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg bench oversubscribed`: small programs with more ranks than cores, natively and under Thalweg."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from thalweg_labs.demo.programs.own import BENCHMARKS, EXAMPLES
from thalweg_labs.demo.report import in_scratch, report
from thalweg_labs.demo.series import measure_all

_LIMIT_S = 90


def oversubscribed(
    *,
    ranks: Annotated[list[int] | None, typer.Option(help="Numbers of ranks; 8 unless given.")] = None,
    mpi: Annotated[list[str] | None, typer.Option(help="Only this MPI library, openmpi or mpich.")] = None,
    seconds: Annotated[float, typer.Option(help="How long all runs together may take, about.")] = 120,
    json: Annotated[Path | None, typer.Option(help="Write the rows to this file.")] = None,
    build: Annotated[Path | None, typer.Option(help="The folder that holds the built programs.")] = None,
) -> None:
    """Run small programs with more ranks than cores, in pairs; compare answers, wall and CPU times."""
    programs = [program for program in (*BENCHMARKS, *EXAMPLES) if not mpi or program.flavor.name in mpi]
    work = [(program, count) for program in programs for count in ranks or [8]]
    report(in_scratch(build, lambda site: measure_all(work, site, seconds, _LIMIT_S)), json)


def main(words: Sequence[str] | None = None) -> None:
    """Run with a command line, the process's own unless one is given."""
    application = typer.Typer(add_completion=False)
    application.command()(oversubscribed)
    application(args=None if words is None else list(words))


if __name__ == "__main__":
    main()
