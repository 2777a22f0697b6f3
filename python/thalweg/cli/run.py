# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg run` for typer: help and shell completion. A run itself never gets here, see thalweg.__main__."""

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from thalweg.cli.bash_completion import rest_of
from thalweg.launch.execute import run as run_words
from thalweg.settings.options import OPTIONS, Option

_TYPES: dict[str, Any] = {
    "selections": list[str] | None,
    "switch": bool,
    "microseconds": int | None,
    "percent": int | None,
    "choice": str | None,
    "file": str | None,
    "place": str | None,
    "tuning": str | None,
    "mpi": str | None,
}

HELP = """Run a program, unmodified, with its collectives on Thalweg's strategies.

[bold]thalweg run -n 8 -- ./app args[/bold]: the launcher of the program's MPI is found.
[bold]thalweg run mpirun -np 8 ./app args[/bold]: a launcher's command as it is.
[bold]srun thalweg run ./app args[/bold]: inside each rank, whatever started it.

[bold]thalweg run --report run.json -n 8 -- ./app[/bold]: keep all that was seen, for thalweg explain run.json.
[bold]thalweg run --use allreduce=ring -n 8 -- ./app[/bold]: choose a strategy; thalweg strategies lists them.
[bold]thalweg run --place auto -n 8 -- ./app[/bold]: record who talks to whom; the next run places its ranks by it.

Options stand before the program; everything from the first other word on is passed on as it is."""


def register(app: typer.Typer) -> None:
    """Add the command, its options taken from the table."""
    register_words(app, HELP, lambda: run_words(sys.argv[2:]) or 0)


def register_words(
    app: typer.Typer, text: str, command: Callable[[], int], others: Sequence[inspect.Parameter] = ()
) -> None:
    """Add a command that is called `run` and reads its words itself, with the options of `thalweg run` and others."""

    def run(**_: object) -> None:
        raise typer.Exit(command())

    parameters = [parameter("ranks", int | None, typer.Option("--ranks", "-n", help=RANKS_HELP, show_default=False))]
    parameters += [parameter(option.name, _TYPES[option.kind], _flag(option)) for option in OPTIONS]
    parameters += [parameter("dry_run", bool, typer.Option("--dry-run", help=DRY_RUN_HELP, show_default=False))]
    parameters += [
        *others,
        parameter("command", list[str] | None, typer.Argument(metavar="PROGRAM [ARGUMENT]…", show_default=False)),
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    app.command("run", help=text, context_settings={"allow_interspersed_args": False})(run)


RANKS_HELP = "Start this many ranks with the launcher of the program's MPI."
DRY_RUN_HELP = "Print the command that would be started, and start nothing."


def parameter(name: str, kind: Any, declaration: Any) -> inspect.Parameter:
    """Declare a parameter of a command for typer."""
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, declaration]
    )


def _flag(option: Option) -> Any:
    names = [f"{option.flag}/{option.negation}" if option.kind == "switch" else option.flag]
    names += [option.short] if option.short else []
    metavar = "|".join(option.choices) if option.choices else option.metavar or None
    return typer.Option(
        *names,
        help=option.help,
        metavar=metavar,
        show_default=False,
        autocompletion=_completion(option),
        rich_help_panel=option.panel,
    )


def _completion(option: Option) -> Any:
    if option.kind == "choice":
        return lambda incomplete: [choice for choice in option.choices if choice.startswith(incomplete)]
    if option.kind == "selections":
        return _complete_selection
    return None


def _complete_selection(incomplete: str) -> list[str]:
    from thalweg.strategies import all_strategies  # noqa: PLC0415 - loads the compiled core

    words = [f"{strategy.operation}={strategy.name}" for strategy in all_strategies()]
    return rest_of(words, incomplete, os.environ)
