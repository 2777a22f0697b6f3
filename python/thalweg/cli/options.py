# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands have, each with one spelling and one meaning."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Protocol, get_type_hints

import typer

from thalweg.cli.outputs import json_file, output_file
from thalweg.errors import USAGE, ThalwegError


class Question(Protocol):
    """What a command is asked: its fields are the command's arguments and options."""

    def run(self) -> None:
        """Answer."""


def command_of(question: Callable[..., Question]) -> Callable[..., None]:
    """Make a command's function of a class whose fields are the options: for commands that have more than a page."""

    def command(**options: Any) -> None:
        question(**options).run()

    command.__doc__ = question.__doc__
    command.__signature__ = inspect.signature(question)  # type: ignore[attr-defined]
    command.__annotations__ = get_type_hints(question, include_extras=True)
    return command


def words_in(text: str) -> list[str]:
    """Split a list with commas; spaces around a word do not belong to it."""
    return [word.strip() for word in text.split(",") if word.strip()]


def parameters_from(command: str, assignments: list[str] | None, option: str = "--param") -> dict[str, str]:
    """Read parameters, each NAME=VALUE."""
    found = {}
    for text in assignments or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ThalwegError(USAGE, f"thalweg {command}: {option} {text}: write NAME=VALUE")
        found[name] = value
    return found


Launcher = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- LAUNCHER…]", help="A launcher's command, as mpirun -np 8 --hostfile hosts."),
]
Ranks = Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")]
JobRanks = Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks, where no launcher is given.")]
Mpi = Annotated[str, typer.Option(help="The MPI: openmpi, mpich, or a prefix, library or launcher.")]
Lab = Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)]
Operations = Annotated[
    str, typer.Option("--ops", help="Only these operations, separated by commas.", show_default="all")
]
UnitSizes = Annotated[
    str, typer.Option("--bytes", help="Bytes of a unit, separated by commas.", show_default="8 to 512KiB")
]
Degree = Annotated[
    float,
    typer.Option(
        help="Of alltoallv and among neighbors: to how many others a rank has a unit, the next.",
        min=0,
        show_default="all",
    ),
]
RanksPerNode = Annotated[int, typer.Option(help="Ranks on each node; 0: all on one.", min=0)]
Parameters = Annotated[
    list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter; may be repeated.")
]
Root = Annotated[int, typer.Option(help="The root, for operations that have one.")]
MachineFile = Annotated[
    str, typer.Option("--machine", metavar="FILE", help="The machine file.", show_default="the last probe's")
]
TuningFile = Annotated[
    str, typer.Option("--tuning", metavar="FILE", help="The tuning file.", show_default="that of thalweg run")
]
NodeList = Annotated[str, typer.Option(metavar="FILE", help="Where hosts are, as for thalweg run.", show_default=False)]
Figures = Annotated[str, output_file("--figures", help="Write all figures here, as JSON.")]
JsonFile = Annotated[str, json_file()]
