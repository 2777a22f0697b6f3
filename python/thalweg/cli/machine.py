# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg machine show`: what a network is."""

from typing import Annotated

import typer

from thalweg.cli.options import JsonFile
from thalweg.cli.outputs import output_file


def show(
    source: Annotated[
        str,
        typer.Argument(metavar="NETWORK", help="A name, as torus:4x4x4*16, or a file of a network."),
    ],
    *,
    tables: Annotated[
        str,
        typer.Option(metavar="FILE", help="InfiniBand's forwarding tables: ibroute, dump_lfts.sh.", show_default=False),
    ] = "",
    nodes: Annotated[str, typer.Option(metavar="FILE", help="A list of hosts to check.", show_default=False)] = "",
    output: Annotated[str, output_file("--output", "-o", help="The graph's file to write.", show_default=False)] = "",
    plot: Annotated[str, output_file("--plot", help="A picture of it to write: .svg, .png.", show_default=False)] = "",
    json_file: JsonFile = "",
) -> None:
    """Show how large a network is, and how far its nodes are apart.

    Reads names of networks, graphs, Slurm's topology.conf and scontrol show topology, ibnetdiscover with forwarding
    tables, and hwloc's XML. A graph that is written serves as network: graph:FILE. A picture has the nodes by their
    distance, and the links too if they are few.
    """
    from thalweg.machine.show import show_machine  # noqa: PLC0415

    show_machine(source, tables=tables, nodes=nodes, output=output, plot=plot, json_file=json_file)
