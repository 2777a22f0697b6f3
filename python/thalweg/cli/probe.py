# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg probe`: measure this machine."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text

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
        typer.Option(
            metavar="NETWORK", help="The network, if known: torus:4x4x4*16, graph:FILE, ….", show_default=False
        ),
    ] = "",
    nodes: Annotated[
        str, typer.Option(metavar="FILE", help="Where hosts are in it: a list of names and places.", show_default=False)
    ] = "",
    find_network: Annotated[
        bool, typer.Option("--find-network", help="Find the network by measurement: one rank on each of 4 to 32 hosts.")
    ] = False,
    find_resources: Annotated[
        bool, typer.Option("--find-resources", help="Find what cores share: one rank bound to each of 4 or more cores.")
    ] = False,
    resource_bytes: Annotated[str, typer.Option(help="With messages of this size for it, 16KiB or more.")] = "256KiB",
    noise: Annotated[
        float, typer.Option(metavar="SECONDS", help="Look so long at what takes each rank's core away.", min=0)
    ] = 0,
    output: Annotated[str, typer.Option(metavar="FILE", help="The machine file to write.", show_default=False)] = "",
    plot: Annotated[str, output_file(help="Draw times over sizes (png, svg, pdf).")] = "",
) -> None:
    """Measure what messages, copies and sums cost on this machine, and write it to a machine file."""
    module = importlib.import_module("thalweg.machine.command")
    searches = (find_network, find_resources, size_from_text(resource_bytes))
    module.main(module.Request(mpi, ranks, launcher or [], lab, network, nodes, *searches, noise, output, plot))
