# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg balance`: who sends how many tasks to whom."""

from typing import Annotated

import typer

from thalweg.cli.options import JsonFile
from thalweg.cli.printing import size_from_text
from thalweg.errors import USAGE, ThalwegError


def _schemes() -> list[str]:
    from thalweg._core import schemes  # noqa: PLC0415

    return ["auto", *(scheme.name for scheme in schemes())]


_Machine = Annotated[
    str,
    typer.Option(
        metavar="FILE|NETWORK",
        help="The machine file, for predictions, or the network: torus:XxY…, or mesh:XxY….",
        show_default="the last probe's",
    ),
]
_Order = Annotated[
    str, typer.Option(help="In which order ranks serve each other: ranks or hilbert.", show_default="as is known")
]
_Nodes = Annotated[
    str, typer.Option(metavar="FILE", help="The coordinates of each node.", show_default="all of the network")
]
_Speeds = Annotated[
    str, typer.Option(metavar="FILE", help="What each rank does in the same time.", show_default="all alike")
]
_Network = Annotated[
    str, typer.Option(metavar="NETWORK", help="The network, beside a machine file.", show_default=False)
]
_Incumbent = Annotated[str, typer.Option(help="The scheme in use: left only for one that is surely better.")]
_Scheme = Annotated[str, typer.Option(help="A scheme, or auto: what the model finds best.", autocompletion=_schemes)]


def balance(
    loads: Annotated[
        str, typer.Argument(metavar="LOADS", help="A file with the tasks of each rank, or a run's report, .json.")
    ],
    *,
    ranks: Annotated[
        int | None, typer.Option("--ranks", "-n", help="Number of ranks; those not in the file have no tasks.")
    ] = None,
    order: _Order = "",
    machine: _Machine = "",
    network: _Network = "",
    nodes: _Nodes = "",
    speeds: _Speeds = "",
    scheme: _Scheme = "auto",
    spread: Annotated[str, typer.Option(help="Where a remainder goes: even, or capped, which moves less.")] = "even",
    incumbent: _Incumbent = "none",
    task_bytes: Annotated[str, typer.Option("--task-bytes", help="Bytes of a task, where it moves.")] = "1KiB",
    task_time: Annotated[str, typer.Option("--task-time", help="How long a task takes a rank: 80us, 1.5ms.")] = "1ms",
    steps: Annotated[float, typer.Option(help="Steps until loads are balanced again.", min=0)] = 1,
    everything: Annotated[bool, typer.Option("--all", help="Print all messages.")] = False,
    json_file: JsonFile = "",
) -> None:
    """Say who sends how many tasks to whom, so that loads even out.

    The answer names the scheme, and why it is that one. The file has whole numbers in the order of the ranks;
    RANK:NUMBER goes on from that rank. A file of nodes has a line of coordinates for each node; its first line may be
    the extents of a torus and the number of nodes. Of a report of `thalweg run`, a rank's tasks are the time that it
    spent outside of MPI, over that of a task.
    """
    from thalweg.balancing.command import print_flow  # noqa: PLC0415
    from thalweg.simulation.placed import is_network  # noqa: PLC0415

    if network and is_network(machine):
        raise ThalwegError(USAGE, f"thalweg balance: --machine {machine} and --network {network}", "leave one out")
    print_flow(
        loads,
        ranks=ranks,
        order=order,
        network=machine if is_network(machine) else network,
        nodes=nodes,
        speeds=speeds,
        scheme=scheme,
        spread=spread,
        incumbent=incumbent,
        machine_file="" if is_network(machine) else machine,
        task_bytes=size_from_text(task_bytes),
        task_time=task_time,
        steps=steps,
        is_whole=everything,
        json_file=json_file,
    )
