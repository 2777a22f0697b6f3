# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg strategies list`: every strategy with its parameters, requirements and source."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from thalweg.answers.answer import answered
from thalweg.cli.options import JsonFile
from thalweg.cli.printing import parameter_text
from thalweg.strategies import all_strategies, operations, value_text

if TYPE_CHECKING:
    from rich.console import Console

    from thalweg._core import Strategy

_PROMISES = (
    ("keeps_rank_order", "right for operators that do not commute"),
    ("unequal_blocks", "supports blocks of unequal sizes (the v-variants)"),
    ("in_place", "works in place without a copy"),
    ("uses_nodes", "looks at which node a rank is on"),
)


def list_strategies(
    operation: Annotated[
        str, typer.Argument(help="Only this operation's.", autocompletion=operations, show_default=False)
    ] = "",
    *,
    json_file: JsonFile = "",
) -> None:
    """List the strategies.

    Each has a line on what it is, its parameters, what it supports, and the paper that it comes from.
    """
    found = all_strategies(operation)
    if answered("strategies list", {"strategies": [as_data(strategy) for strategy in found]}, json_file):
        return
    from thalweg.terminal import output_console  # noqa: PLC0415 - slow, and not needed for JSON

    console = output_console()
    for name in operations():
        entries = [strategy for strategy in found if strategy.operation == name]
        if not entries and name != operation:
            continue
        console.print(name, style="bold")
        _print_entry(console, "native", "the MPI library's own implementation")
        for strategy in entries:
            _print_strategy(console, strategy)


def as_data(strategy: "Strategy") -> dict[str, Any]:
    """Write an entry of the index as plain data."""
    return {
        "operation": strategy.operation,
        "name": strategy.name,
        "summary": strategy.summary,
        "wins_when": strategy.wins_when,
        "source": strategy.source,
        "promises": [name for name, _ in _PROMISES if getattr(strategy, name)],
        "parameters": [
            {
                "name": parameter.name,
                "kind": parameter.kind,
                "default": value_text(parameter, parameter.default),
                "min": value_text(parameter, parameter.min),
                "max": value_text(parameter, parameter.max),
                "choices": parameter.choices,
                "description": parameter.description,
            }
            for parameter in strategy.parameters
        ],
    }


def _print_entry(console: "Console", name: str, summary: str) -> None:
    from rich.text import Text  # noqa: PLC0415

    from thalweg.terminal import fitted  # noqa: PLC0415

    line = Text(fitted(f"  {name}  {summary}"))
    line.stylize("bold cyan", 2, 2 + len(name))
    console.print(line)


def _print_strategy(console: "Console", strategy: "Strategy") -> None:
    from thalweg.terminal import fitted  # noqa: PLC0415

    _print_entry(console, strategy.name, strategy.summary)
    lines = [("best for", strategy.wins_when)]
    lines += [(parameter_text(parameter), parameter.description) for parameter in strategy.parameters]
    promises = [text for name, text in _PROMISES if getattr(strategy, name)]
    lines += [("", "; ".join(promises))] if promises else []
    lines += [("source", strategy.source)]
    for label, text in lines:
        console.print(fitted(f"      {label}: {text}" if label else f"      {text}"), style="dim")
