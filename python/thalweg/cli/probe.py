"""`thalweg probe`: measure this machine."""

import importlib
from typing import Annotated

import typer

LAUNCHER_HELP = "A launcher's command, as mpirun -np 8 --hostfile hosts."
MPI_HELP = "The MPI: openmpi, mpich, or a prefix, library or launcher."


def probe(
    launcher: Annotated[list[str] | None, typer.Argument(metavar="[-- LAUNCHER…]", help=LAUNCHER_HELP)] = None,
    *,
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks, where no launcher is given.")] = 2,
    mpi: Annotated[str, typer.Option(help=MPI_HELP)] = "openmpi",
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    network: Annotated[
        str,
        typer.Option(metavar="SHAPE", help="The network's shape, if known: fat-tree:HOSTSxSPINES, torus:XxY…, ring."),
    ] = "",
    output: Annotated[str, typer.Option(metavar="FILE", help="The machine file to write.", show_default=False)] = "",
    plot: Annotated[str, typer.Option(metavar="FILE", help="Draw times over sizes (png, svg, pdf).")] = "",
) -> None:
    """Measure what messages, copies and sums cost on this machine, and write it to a machine file."""
    module = importlib.import_module("thalweg.machine.command")
    module.main(module.Request(mpi, ranks, launcher or [], lab, network, output, plot))
