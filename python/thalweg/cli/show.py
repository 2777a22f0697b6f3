# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg show`: a strategy's schedule as text, as a picture, for simulators, or proven."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from thalweg.cli.numbers import COUNT_MAX
from thalweg.errors import FAILED, USAGE, ThalwegError
from thalweg.strategies import all_strategies, make_sample, operations

if TYPE_CHECKING:
    from thalweg._core import Verdict

DRAWN_RANKS_MAX = 256


def complete_strategy(context: typer.Context, incomplete: str) -> list[str]:
    """Give the strategies of the operation before that begin so."""
    operation = context.params.get("operation", "")
    return [
        entry.name for entry in all_strategies() if entry.operation == operation and entry.name.startswith(incomplete)
    ]


def show(
    operation: Annotated[str, typer.Argument(help="The collective.", autocompletion=operations)],
    strategy: Annotated[str, typer.Argument(help="The strategy.", autocompletion=complete_strategy)],
    *,
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 8,
    rank: Annotated[int | None, typer.Option("--rank", help="Show this rank alone.", show_default=False)] = None,
    root: Annotated[int, typer.Option(help="The root, for operations that have one.")] = 0,
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter; may be repeated.")
    ] = None,
    ranks_per_node: Annotated[int, typer.Option(help="Ranks on each node; 0: all on one.")] = 0,
    network: Annotated[
        str, typer.Option(help="The network's shape, for orders of ranks: ring, torus:4x2.", show_default=False)
    ] = "",
    places: Annotated[
        str, typer.Option(help="The place of each node in it, separated by commas.", show_default="in order")
    ] = "",
    unit_bytes: Annotated[
        int, typer.Option("--bytes", help="Bytes of a unit of the buffers, for pieces and --goal.")
    ] = 1024,
    dot: Annotated[bool, typer.Option("--dot", help="Draw all ranks in Graphviz's language.")] = False,
    goal: Annotated[bool, typer.Option("--goal", help="Write all ranks in GOAL, for LogGOPSim.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Prove it, and print what the verifier found.")] = False,
) -> None:
    """Show the schedule of a strategy, for one rank or for all."""
    sample = make_sample(
        operation,
        strategy,
        ranks,
        root=root,
        ranks_per_node=ranks_per_node,
        unit_bytes=unit_bytes,
        network=network,
        places=_places(places),
        parameters=parameters_from("show", param),
    )
    if rank is not None and not 0 <= rank < ranks:
        raise ThalwegError(USAGE, f"thalweg show: rank {rank} of {ranks} ranks", f"choose 0 to {ranks - 1}")
    if dot + goal + verify > 1:
        raise ThalwegError(USAGE, "thalweg show: --dot, --goal and --verify exclude one another")
    if dot and ranks > DRAWN_RANKS_MAX:
        raise ThalwegError(USAGE, f"thalweg show: {ranks} ranks are too many to draw", f"at most {DRAWN_RANKS_MAX}")
    if dot:
        typer.echo(sample.draw(), nl=False)
    elif goal:
        typer.echo(sample.goal(unit_bytes), nl=False)
    elif verify:
        _print_verdict(sample.describe(), sample.verify())
    else:
        shown = range(ranks) if rank is None else (rank,)
        typer.echo("\n".join(sample.print(number) for number in shown), nl=False)


def _places(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() for word in words):
        raise ThalwegError(USAGE, f"thalweg show: --places {text}: write whole numbers with commas between them")
    places = [int(word) for word in words]
    if places and max(places) > COUNT_MAX:
        raise ThalwegError(USAGE, f"thalweg show: --places {text}: {max(places)} is too large", "number nodes from 0")
    return places


def parameters_from(command: str, assignments: list[str] | None, option: str = "--param") -> dict[str, str]:
    """Read parameters, each NAME=VALUE."""
    found = {}
    for text in assignments or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ThalwegError(USAGE, f"thalweg {command}: {option} {text}: write NAME=VALUE")
        found[name] = value
    return found


def _print_verdict(description: str, verdict: Verdict) -> None:
    for fault in verdict.faults:
        typer.echo(fault)
    if verdict.faults:
        raise ThalwegError(FAILED, f"{description}: wrong, {len(verdict.faults)} faults")
    typer.echo(f"{description}: proven")
    typer.echo(f"  {verdict.messages} messages, {verdict.blocks_moved} blocks moved")
    typer.echo(f"  operands combined in rank order: {'yes' if verdict.in_rank_order else 'no'}")
    typer.echo(f"  the same result on all ranks, bit for bit: {'yes' if verdict.same_on_all_ranks else 'no'}")
    typer.echo(f"  supports blocks of unequal sizes: {'yes' if verdict.exact_shapes else 'no'}")
