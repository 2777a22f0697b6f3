"""Benchmarks on simulated networks: figures of papers, and permutations."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text

_JSON = typer.Option("--json", metavar="FILE", help="Write the rows here.", show_default=False)


def papers(
    *,
    json_file: Annotated[str, _JSON] = "",
    chapter: Annotated[int, typer.Option(help="Of S. Kumar 2005: 8, routers with collectives.")] = 8,
    packets: Annotated[int, typer.Option(help="About so many are measured at each load.", min=20)] = 100_000,
    plot: Annotated[
        str, typer.Option(metavar="FOLDER", help="Draw the figures over load here.", show_default=False)
    ] = "",
) -> None:
    """Simulate the figures of a paper, each beside the paper's value, with what its text does not say."""
    module = importlib.import_module("thalweg.bench.papers")
    module.run(module.Request(chapter, packets, plot), json_file)


def permutations(
    *,
    json_file: Annotated[str, _JSON] = "",
    topology: Annotated[str, typer.Option(help="A tree, as tree:4^3.")] = "tree:4^3",
    steps: Annotated[str, typer.Option(help="Steps, separated by commas.")] = "1,2,3,4,5,6,7,8,12,16,20,24,31,32,48",
    size: Annotated[str, typer.Option("--bytes", help="Of each message.")] = "64KiB",
    buffers: Annotated[int, typer.Option(help="Packets that a crosspoint has room for.", min=1)] = 4,
) -> None:
    """Simulate single steps of cyclic and prefix exchanges on a tree: which are free of contention, and how fast."""
    module = importlib.import_module("thalweg.bench.permutations")
    chosen = [int(word) for word in steps.split(",") if word.strip().isdecimal()]
    module.run(module.Request(topology, chosen, size_from_text(size), buffers), json_file)
