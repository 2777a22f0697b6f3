# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg check`: where the MPI library contradicts itself."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text
from thalweg.cli.probe import LAUNCHER_HELP, MPI_HELP


def check(
    launcher: Annotated[list[str] | None, typer.Argument(metavar="[-- LAUNCHER…]", help=LAUNCHER_HELP)] = None,
    *,
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks, where no launcher is given.")] = 2,
    mpi: Annotated[str, typer.Option(help=MPI_HELP)] = "openmpi",
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    sizes: Annotated[str, typer.Option(help="Bytes of a unit, separated by commas.", show_default="8,1Ki,64Ki")] = "",
    tuning: Annotated[str, typer.Option(metavar="FILE", help="The tuning file.", show_default=False)] = "",
) -> None:
    """Find collectives of the MPI library that are slower than others that achieve as much, and what is done about it.

    The exit status is 0 also where guidelines are violated: that is the library's business.
    """
    module = importlib.import_module("thalweg.tune.check")
    wanted = [size_from_text(size) for size in sizes.split(",") if size]
    module.main(module.Request(mpi, ranks, launcher or [], lab, wanted, tuning))
