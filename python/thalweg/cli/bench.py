"""`thalweg bench`: the benchmarks, each a module of thalweg.bench."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text

_JSON = typer.Option("--json", metavar="FILE", help="Write the rows here.", show_default=False)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def make_application() -> typer.Typer:
    """Make the group of benchmark commands."""
    app = typer.Typer(help="Measure Thalweg against the MPI libraries themselves.", no_args_is_help=True)

    @app.command()
    def collectives(
        *,
        json_file: Annotated[str, _JSON] = "",
        mpi: Annotated[str, typer.Option(help="Only this MPI: openmpi or mpich.", show_default="both")] = "",
        ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
        ops: Annotated[str, typer.Option(help="Only these operations, separated by commas.", show_default="all")] = "",
        sizes: Annotated[str, typer.Option(help="Bytes of a unit, separated by commas.", show_default="8 to 1Mi")] = "",
        strategies: Annotated[str, typer.Option(help="Only these strategies.", show_default="all")] = "",
        batches: Annotated[int, typer.Option(help="Batches of each candidate; their median counts.")] = 15,
    ) -> None:
        """Time every operation, size and strategy against the MPI library's own, in one job for each MPI."""
        module = importlib.import_module("thalweg.bench.collectives")
        request = module.Request(
            families=_words(mpi) or module.FAMILIES,
            ranks=ranks,
            operations=_words(ops) or module.measurable_operations(),
            sizes=[size_from_text(size) for size in _words(sizes)] or module.SIZES,
            strategies=_words(strategies),
            batches=batches,
        )
        module.run(request, json_file)

    @app.command()
    def oversubscribed(json_file: Annotated[str, _JSON] = "") -> None:
        """Run small programs with more ranks than cores, natively and under Thalweg."""
        importlib.import_module("thalweg.bench.oversubscribed").main(["--json", json_file] if json_file else [])

    return app
