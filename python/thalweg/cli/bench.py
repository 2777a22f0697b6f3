"""`thalweg bench`: the benchmarks, each a module of thalweg.bench."""

import importlib
from typing import Annotated

import typer

_JSON = typer.Option("--json", metavar="FILE", help="Write the rows here.", show_default=False)


def make_application() -> typer.Typer:
    """Make the group of benchmark commands."""
    app = typer.Typer(help="Measure Thalweg against the MPI libraries themselves.", no_args_is_help=True)

    @app.command()
    def oversubscribed(json_file: Annotated[str, _JSON] = "") -> None:
        """Run small programs with more ranks than cores, natively and under Thalweg."""
        importlib.import_module("thalweg.bench.oversubscribed").main(["--json", json_file] if json_file else [])

    return app
