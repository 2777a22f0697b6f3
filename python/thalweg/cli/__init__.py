# SPDX-License-Identifier: BSD-3-Clause
"""The command line as typer sees it: one module per command."""

import os
import signal
from collections.abc import Sequence
from importlib.metadata import entry_points
from types import FrameType

import typer

from thalweg.cli import (
    balance,
    check,
    config,
    explain,
    export,
    lab,
    machine,
    nic,
    place,
    probe,
    run,
    show,
    simulate_group,
    strategies,
    tune,
    verify,
)
from thalweg.cli.bash_completion import join_words
from thalweg.cli.numbers import bound_numbers


def _print_version(asked: bool) -> None:  # noqa: FBT001 - typer's form of a flag's callback
    if asked:
        from importlib.metadata import version  # noqa: PLC0415 - slow, and needed here alone

        typer.echo(f"thalweg {version('thalweg')}")
        raise typer.Exit


def make_application() -> typer.Typer:
    """Put the commands together."""
    app = typer.Typer(
        name="thalweg",
        help="Make MPI programs communicate faster on the machine that they really run on.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def _thalweg(
        *,
        version: bool = typer.Option(
            False,
            "--version",
            is_eager=True,
            callback=_print_version,
            help="Print the version and leave.",
        ),
    ) -> None:
        del version

    run.register(app)
    app.command("config")(config.config)
    app.command("strategies")(strategies.strategies)
    app.command("show")(show.show)
    app.command("verify")(verify.verify)
    app.command("probe")(probe.probe)
    app.command("machine")(machine.machine)
    app.command("tune")(tune.tune)
    app.command("export")(export.export)
    app.command("check")(check.check)
    app.command("explain")(explain.explain)
    app.command("balance")(balance.balance)
    app.add_typer(simulate_group.make_application(), name="simulate")
    app.command("map")(place.map_ranks)
    app.command("advise")(place.advise)
    for command in entry_points(group="thalweg.commands"):  # of other distributions: the benchmarks are one
        app.add_typer(command.load()(), name=command.name)
    app.add_typer(lab.make_application(), name="lab")
    app.add_typer(nic.make_application(), name="nic")
    return app


def _leave(number: int, frame: FrameType | None) -> None:
    """End as an error does, so that jobs that were started are ended too."""
    del frame
    raise SystemExit(128 + number)


def application(words: Sequence[str]) -> int:
    """Run a command line; typer leaves by SystemExit, so this returns only if it does not."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    join_words(os.environ)
    app = make_application()
    bound_numbers(app)
    app(args=list(words), prog_name="thalweg")
    return 0
