"""`thalweg simulate`: what a strategy or a program takes on a machine that is not here."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text
from thalweg.cli.show import complete_strategy, parameters_from
from thalweg.strategies import operations


def simulate(
    operation: Annotated[
        str, typer.Argument(help="The collective.", autocompletion=operations, show_default=False)
    ] = "",
    strategy: Annotated[
        str, typer.Argument(help="The strategy.", autocompletion=complete_strategy, show_default=False)
    ] = "",
    *,
    ranks: Annotated[int | None, typer.Option("--ranks", "-n", help="Number of ranks.", show_default=False)] = None,
    unit_bytes: Annotated[str, typer.Option("--bytes", help="Bytes of a unit of the buffers.")] = "1KiB",
    goal: Annotated[
        str, typer.Option(metavar="FILE", help="Simulate this program in GOAL, text or binary.", show_default=False)
    ] = "",
    machine: Annotated[
        str, typer.Option(metavar="FILE", help="The machine file that says what messages cost.", show_default=False)
    ] = "",
    loggops: Annotated[
        str, typer.Option(metavar="L,o,g,G,O,S", help="What they cost without one, in nanoseconds and bytes.")
    ] = "2500,1500,1000,6,0,65535",
    ranks_per_node: Annotated[int, typer.Option(help="Ranks on each node; 0: all on one.", min=0)] = 1,
    root: Annotated[int, typer.Option(help="The root, for operations that have one.")] = 0,
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter; may be repeated.")
    ] = None,
    level: Annotated[str, typer.Option(help="What is simulated: loggp.")] = "loggp",
    ties: Annotated[
        str, typer.Option(help="What begins first of operations that become free together: order, or loggopsim.")
    ] = "order",
    plot: Annotated[
        str, typer.Option(metavar="FILE", help="Draw the ranks' timeline and the critical path.", show_default=False)
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Simulate a strategy or a program in GOAL: how long it takes, and why.

    Level loggp has LogGOPSim's rules, to the nanosecond: processors and network interfaces of up to millions of ranks,
    and a network between them that only delays. A program that cannot go on is an error, with a list of what waits.
    """
    module = importlib.import_module("thalweg.simulation.command")
    request = module.Request(
        operation=operation,
        strategy=strategy,
        goal=goal,
        ranks=ranks,
        unit_bytes=size_from_text(unit_bytes),
        root=root,
        parameters=parameters_from("simulate", param),
        ranks_per_node=ranks_per_node,
        machine=machine,
        loggops=loggops,
        level=level,
        ties=ties,
        plot=plot,
    )
    module.run(request, as_json=as_json)
