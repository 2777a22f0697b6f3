# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg machine probe`: measure this machine."""

from typing import Annotated

import typer

from thalweg.answers.answer import answered, people_apart
from thalweg.cli.options import JobRanks, JsonFile, Lab, Launcher, Mpi, NodeList
from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text


def probe(
    launcher: Launcher = None,
    *,
    ranks: JobRanks = 2,
    mpi: Mpi = "openmpi",
    lab: Lab = "",
    network: Annotated[
        str,
        typer.Option(
            metavar="NETWORK", help="The network, if known: torus:4x4x4*16, graph:FILE, ….", show_default=False
        ),
    ] = "",
    node_list: NodeList = "",
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
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The machine file to write.", show_default=False)
    ] = "",
    plot: Annotated[str, output_file(help="Draw times over sizes (png, svg, pdf).")] = "",
    html: Annotated[str, output_file(help="Write the figures as a page.", show_default=False)] = "",
    json_file: JsonFile = "",
) -> None:
    """Measure what messages, copies and sums cost.

    The figures go into a machine file, which tuning, explaining and simulations read.
    """
    from thalweg.machine.command import probe_machine  # noqa: PLC0415

    with people_apart(json_file):
        found = probe_machine(
            launcher or [],
            ranks=ranks,
            mpi=mpi,
            lab=lab,
            network=network,
            node_list=node_list,
            finds_network=find_network,
            finds_resources=find_resources,
            resource_bytes=size_from_text(resource_bytes),
            noise_seconds=noise,
            output=output,
            plot=plot,
            html=html,
        )
    answered("machine probe", found, json_file)
