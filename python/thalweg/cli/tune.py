# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune`: find the best strategies of this machine."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text
from thalweg.cli.probe import LAUNCHER_HELP, MPI_HELP


def tune(
    launcher: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- LAUNCHER…]", help=LAUNCHER_HELP),
    ] = None,
    *,
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks, where no launcher is given.")] = 2,
    mpi: Annotated[str, typer.Option(help=MPI_HELP)] = "openmpi",
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations, separated by commas.", show_default="all")] = "",
    sizes: Annotated[str, typer.Option(help="Bytes of a unit, separated by commas.", show_default="8 to 512KiB")] = "",
    budget: Annotated[str, typer.Option(help="Time for the search.")] = "60s",
    exhaustive: Annotated[bool, typer.Option("--exhaustive", help="Try every candidate, whatever it takes.")] = False,
    library: Annotated[
        bool, typer.Option("--library/--no-library", help="Try the MPI library's own algorithms too.")
    ] = True,
    machine: Annotated[
        str, typer.Option(metavar="FILE", help="The machine file that sorts the candidates.", show_default=False)
    ] = "",
    tuning: Annotated[str, typer.Option(metavar="FILE", help="The tuning file.", show_default=False)] = "",
    json_file: Annotated[str, output_file("--json", help="Write all figures here.")] = "",
) -> None:
    """Try strategies in the model's order beside the MPI library's own, and keep the best in the tuning file."""
    importlib.import_module("thalweg.tune.command").main(
        launcher=launcher or [],
        ranks=ranks,
        mpi=mpi,
        lab=lab,
        operations=[word for word in ops.split(",") if word],
        sizes=[size_from_text(size) for size in sizes.split(",") if size],
        budget=budget,
        exhaustive=exhaustive,
        library=library,
        machine=machine,
        tuning=tuning,
        json_file=json_file,
    )
