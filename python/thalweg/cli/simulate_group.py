# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg simulate`: a strategy or a program, or another simulation by its name."""

from typing import Any

import typer
from typer.core import TyperGroup

from thalweg.cli import simulate, simulate_network

USUAL = "program"


class _Group(TyperGroup):
    """Words that name no other simulation are the usual one's."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the usual name in front."""
        if not args or args[0] not in (*self.commands, "-h", "--help"):
            args = [USUAL, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Give names of simulations, and what the usual one begins with."""
        usual = self.commands[USUAL]
        inner = usual.make_context(USUAL, [], parent=ctx, resilient_parsing=True)
        first: list[Any] = usual.params[0].shell_complete(inner, incomplete)
        return [*super().shell_complete(ctx, incomplete), *first]


def make_application() -> typer.Typer:
    """Make the group of simulations."""
    app = typer.Typer(
        cls=_Group,
        help="Simulate what is not here: a strategy or a program in GOAL ([bold]program[/bold], which may be left "
        "out), or a network packet by packet.",
    )
    app.command(USUAL)(simulate.simulate)
    app.command("network")(simulate_network.network)
    return app
