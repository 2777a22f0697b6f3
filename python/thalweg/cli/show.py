# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg strategies show`: a strategy's schedule as text, as a picture, for simulators, or proven."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from thalweg.answers.answer import STDOUT, answered
from thalweg.cli.numbers import COUNT_MAX
from thalweg.cli.options import JsonFile, Parameters, Ranks, RanksPerNode, Root, parameters_from
from thalweg.cli.printing import size_from_text
from thalweg.errors import FAILED, USAGE, ThalwegError
from thalweg.strategies import all_strategies, make_sample, operations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg._core import Sample, Verdict

DRAWN_RANKS_MAX = 256
_FORMATS = ("text", "dot", "goal", "proof")


def _formats() -> list[str]:
    return list(_FORMATS)


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
    ranks: Ranks = 8,
    rank: Annotated[int | None, typer.Option("--rank", help="Show this rank alone.", show_default=False)] = None,
    root: Root = 0,
    param: Parameters = None,
    ranks_per_node: RanksPerNode = 0,
    network: Annotated[
        str, typer.Option(help="The network's shape, for orders of ranks: ring, torus:4x2.", show_default=False)
    ] = "",
    places: Annotated[
        str, typer.Option(help="The place of each node in it, separated by commas.", show_default="in order")
    ] = "",
    size: Annotated[str, typer.Option("--bytes", help="Bytes of a unit of the buffers, for pieces and GOAL.")] = "1KiB",
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="text|dot|goal|proof",
            help="text; dot, all ranks in Graphviz's language; goal, for LogGOPSim; or proof: what the verifier found.",
            autocompletion=_formats,
        ),
    ] = "text",
    json_file: JsonFile = "",
) -> None:
    """Show the schedule of a strategy.

    It is that of one rank or of all, as text, as a picture, for simulators, or proven.
    """
    if form not in _FORMATS:
        raise ThalwegError(USAGE, f"thalweg strategies show: --format {form}", f"choose {', '.join(_FORMATS)}")
    unit_bytes = size_from_text(size)
    sample = make_sample(
        operation,
        strategy,
        ranks,
        root=root,
        ranks_per_node=ranks_per_node,
        unit_bytes=unit_bytes,
        network=network,
        places=_places(places),
        parameters=parameters_from("strategies show", param),
    )
    if rank is not None and not 0 <= rank < ranks:
        raise ThalwegError(USAGE, f"thalweg strategies show: rank {rank} of {ranks} ranks", f"choose 0 to {ranks - 1}")
    if form == "dot" and ranks > DRAWN_RANKS_MAX:
        remedy = f"at most {DRAWN_RANKS_MAX}"
        raise ThalwegError(USAGE, f"thalweg strategies show: {ranks} ranks are too many to draw", remedy)
    shown = range(ranks) if rank is None else (rank,)
    if json_file:
        problem = {"ranks": ranks, "root": root, "ranks_per_node": ranks_per_node, "unit_bytes": unit_bytes}
        answered("strategies show", _as_data(sample, shown) | problem, json_file)
    if json_file != STDOUT:
        _print(sample, form, shown, unit_bytes)


def _print(sample: "Sample", form: str, shown: "Sequence[int]", unit_bytes: int) -> None:
    if form == "dot":
        typer.echo(sample.draw(), nl=False)
    elif form == "goal":
        typer.echo(sample.goal(unit_bytes), nl=False)
    elif form == "proof":
        _print_verdict(sample.describe(), sample.verify())
    else:
        typer.echo("\n".join(sample.print(number) for number in shown), nl=False)


def _as_data(sample: "Sample", shown: "Sequence[int]") -> dict[str, Any]:
    verdict = sample.verify()
    return {
        "operation": sample.strategy.operation,
        "strategy": sample.strategy.name,
        "problem": sample.describe(),
        "schedules": [{"rank": number, "steps": sample.print(number).splitlines()} for number in shown],
        "proof": {
            "faults": verdict.faults,
            "messages": verdict.messages,
            "blocks_moved": verdict.blocks_moved,
            "in_rank_order": verdict.in_rank_order,
            "same_on_all_ranks": verdict.same_on_all_ranks,
            "unequal_blocks": verdict.exact_shapes,
        },
    }


def _places(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() for word in words):
        raise ThalwegError(
            USAGE, f"thalweg strategies show: --places {text}: write whole numbers with commas between them"
        )
    places = [int(word) for word in words]
    if places and max(places) > COUNT_MAX:
        raise ThalwegError(
            USAGE, f"thalweg strategies show: --places {text}: {max(places)} is too large", "number nodes from 0"
        )
    return places


def _print_verdict(description: str, verdict: "Verdict") -> None:
    for fault in verdict.faults:
        typer.echo(fault)
    if verdict.faults:
        raise ThalwegError(FAILED, f"{description}: wrong, {len(verdict.faults)} faults")
    typer.echo(f"{description}: proven")
    typer.echo(f"  {verdict.messages} messages, {verdict.blocks_moved} blocks moved")
    typer.echo(f"  operands combined in rank order: {'yes' if verdict.in_rank_order else 'no'}")
    typer.echo(f"  the same result on all ranks, bit for bit: {'yes' if verdict.same_on_all_ranks else 'no'}")
    typer.echo(f"  supports blocks of unequal sizes: {'yes' if verdict.exact_shapes else 'no'}")
