# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg place`: which rank goes where, and which allocation to ask for."""

import os
from typing import Annotated

import typer

from thalweg.cli.options import JsonFile
from thalweg.cli.outputs import output_file, svg_file
from thalweg.cli.printing import rate_from_text

_FORMATS = ("list", "ompi-rankfile", "mpich-hosts", "mpich-rank-order", "slurm-hostfile")


def formats() -> list[str]:
    """Name what a placement can be written as."""
    return list(_FORMATS)


_PATTERN = "Bytes between ranks: .pattern, .json, .mtx, .graph or .metis, .csv, or QAPLIB's .dat."
_Proposals = Annotated[int, typer.Option(help="How many swaps to look at instead: the same answer each time.", min=0)]
_Hosts = Annotated[
    str,
    typer.Option(
        metavar="HOSTS",
        help="Names of the nodes' hosts, in their order: n[1-4], or a host file of PBS, LSF, Slurm or an MPI.",
    ),
]
_Output = Annotated[str, output_file("--output", "-o", help="Write the placement there; -: standard output.")]
_Form = Annotated[
    str,
    typer.Option(
        "--format",
        help=f"One of {', '.join(_FORMATS)}; without -o to standard output.",
        autocompletion=formats,
        show_default="list",
    ),
]
_Draw = Annotated[bool, typer.Option("--draw", help="Draw bytes between slots, and loads of links, with letters.")]
_ShareSlots = Annotated[
    bool, typer.Option("--share-slots", help="Where ranks outnumber slots: several on each, evenly.")
]
_Weights = Annotated[
    str, typer.Option(metavar="FILE", help="The same by weights: a line for each rank.", show_default="all alike")
]
_BaseLoad = Annotated[
    str,
    typer.Option("--base-load", metavar="FILE", help="Bytes of other jobs on links: a link and a number a line."),
]
_Machine = Annotated[
    str,
    typer.Option(
        metavar="MACHINE",
        help="The network: torus:16x16x16, or slurm for what Slurm describes.",
        show_default="the nodes' own, or the job's",
    ),
]
_Nodes = Annotated[
    str,
    typer.Option(
        metavar="NODES",
        help="The nodes of the job: names as n[003-017], or a file of coordinates, numbers or names.",
        show_default="the job's, or all of the machine",
    ),
]
_Objective = Annotated[
    str, typer.Option(help="hop-bytes, link, contention or time; or a mixture: hop-bytes:1,contention:2.")
]
_Html = Annotated[str, output_file(help="Write it as a page.", show_default=False)]
_Imbalance = Annotated[float, typer.Option(help="How much of the mean the heaviest slot may be above it.", min=0)]


def map_ranks(
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help=_PATTERN)],
    *,
    machine: _Machine = "",
    nodes: _Nodes = "",
    ranks_per_node: Annotated[int, typer.Option(help="Ranks that a node has room for.", min=1)] = 1,
    objective: _Objective = "hop-bytes",
    seconds: Annotated[float, typer.Option(help="How long to search.", min=0)] = 1.0,
    proposals: _Proposals = 0,
    seed: Annotated[int, typer.Option(help="Of the search.", min=0)] = 1,
    output: _Output = "",
    form: _Form = "",
    hosts: _Hosts = "",
    base_load: _BaseLoad = "",
    compare: Annotated[bool, typer.Option("--compare", help="Compare with published heuristics.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say what loads the hottest link.")] = False,
    draw: _Draw = False,
    plot: Annotated[str, svg_file(help="Draw it, as SVG.")] = "",
    html: _Html = "",
    share_slots: _ShareSlots = False,
    weights: _Weights = "",
    imbalance: _Imbalance = 0.03,
    json_file: JsonFile = "",
) -> None:
    """Say which rank goes where.

    Ranks that talk much are near each other on the machine then. The answer is never worse than the ranks as they are
    numbered. It comes with a bound that no placement beats, where one is known.
    """
    from thalweg.placement.command import place_ranks  # noqa: PLC0415
    from thalweg.placement.mapping import Budget  # noqa: PLC0415

    place_ranks(
        pattern,
        machine=machine,
        nodes=nodes,
        ranks_per_node=ranks_per_node,
        objective=objective,
        budget=Budget(seconds, proposals, threads=1 if proposals else len(os.sched_getaffinity(0))),
        seed=seed,
        output=output,
        form=form,
        hosts=hosts,
        base_load=base_load,
        compares=compare,
        explains=explain,
        draws=draw,
        plot=plot,
        html=html,
        shares_slots=share_slots,
        weights=weights,
        imbalance=imbalance,
        json_file=json_file,
    )


def advise(
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help=_PATTERN)],
    *,
    machine: Annotated[str, typer.Option(metavar="MACHINE", help="The network, such as torus:16x16x16.")],
    ranks_per_node: Annotated[
        str, typer.Option("--ranks-per-node", metavar="N,…", help="How many ranks a node takes: numbers to try.")
    ] = "1",
    spare: Annotated[int, typer.Option(help="Nodes more than needed that may be asked for.", min=0)] = 0,
    seconds: Annotated[float, typer.Option(help="How long to search on each allocation.", min=0)] = 0.1,
    link_bandwidth: Annotated[str, typer.Option(metavar="RATE", help="Of a link, as 12.5GB/s.")] = "10GB/s",
    seed: Annotated[int, typer.Option(help="Of the search.", min=0)] = 1,
    html: _Html = "",
    json_file: JsonFile = "",
) -> None:
    """Say which allocation to ask for.

    Communication is predicted by shape, number of nodes, ranks a node, and spares.
    """
    from thalweg.placement.command import numbers_in, print_advice  # noqa: PLC0415

    print_advice(
        pattern,
        machine,
        numbers_in(ranks_per_node),
        spare=spare,
        seconds=seconds,
        link_bandwidth=rate_from_text(link_bandwidth),
        seed=seed,
        html=html,
        json_file=json_file,
    )
