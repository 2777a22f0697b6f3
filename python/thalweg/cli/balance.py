# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg balance`: who sends how many tasks to whom."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text


def _schemes() -> list[str]:
    return ["auto", *(scheme.name for scheme in importlib.import_module("thalweg._core").schemes())]


def balance(
    loads: Annotated[
        str, typer.Argument(metavar="LOADS", help="A file with the tasks of each rank, or a run's report, .json.")
    ],
    *,
    ranks: Annotated[
        int | None, typer.Option("--ranks", "-n", help="Number of ranks; those not in the file have no tasks.")
    ] = None,
    order: Annotated[
        str, typer.Option(help="In which order ranks serve each other: ranks or hilbert.", show_default="as is known")
    ] = "",
    machine: Annotated[
        str, typer.Option(metavar="GRID", help="The network: torus:XxY…, or mesh:XxY….", show_default=False)
    ] = "",
    nodes: Annotated[
        str, typer.Option(metavar="FILE", help="The coordinates of each node.", show_default="all of the machine")
    ] = "",
    speeds: Annotated[
        str, typer.Option(metavar="FILE", help="What each rank does in the same time.", show_default="all alike")
    ] = "",
    scheme: Annotated[
        str, typer.Option(help="A scheme, or auto: what the model finds best.", autocompletion=_schemes)
    ] = "auto",
    spread: Annotated[str, typer.Option(help="Where a remainder goes: even, or capped, which moves less.")] = "even",
    incumbent: Annotated[
        str, typer.Option(help="The scheme in use: left only for one that is surely better.")
    ] = "none",
    costs: Annotated[
        str, typer.Option(metavar="FILE", help="The machine file, for predictions.", show_default="the last probe's")
    ] = "",
    task_bytes: Annotated[str, typer.Option("--task-bytes", help="Bytes of a task, where it moves.")] = "1KiB",
    task_time: Annotated[str, typer.Option("--task-time", help="How long a task takes a rank: 80us, 1.5ms.")] = "1ms",
    steps: Annotated[float, typer.Option(help="Steps until loads are balanced again.", min=0)] = 1,
    everything: Annotated[bool, typer.Option("--all", help="Print all messages.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say who sends how many tasks to whom so that loads become even: by which scheme, and why by that one.

    The file has whole numbers in the order of the ranks; RANK:NUMBER goes on from that rank. A file of nodes has a
    line of coordinates for each node; its first line may be the extents of a torus and the number of nodes. Of a report
    of `thalweg run`, a rank's tasks are the time that it spent outside of MPI, over that of a task.
    """
    module = importlib.import_module("thalweg.balancing.command")
    request = module.Request(
        loads=loads,
        ranks=ranks,
        order=order,
        machine=machine,
        nodes=nodes,
        speeds=speeds,
        scheme=scheme,
        spread=spread,
        incumbent=incumbent,
        costs=costs,
        task_bytes=size_from_text(task_bytes),
        task_time=task_time,
        steps=steps,
    )
    module.run(request, as_json=as_json, **({"shown": 1 << 62} if everything else {}))
