# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg bench search` and `thalweg bench barriers`: searches held against each other, and ways to meet in a node."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.outputs import output_file
from thalweg_labs.bench.options import JSON, cases, words


def search(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations; teams: all those of teams.")] = "teams",
    sizes: Annotated[str, typer.Option("--bytes", "--sizes", help="Bytes of a unit.")] = "8,1KiB,64KiB",
    machine: Annotated[str, typer.Option(metavar="FILE", help="The machine file.", show_default=False)] = "",
    trials: Annotated[str, output_file(help="Write the time of every candidate.")] = "",
) -> None:
    """Measure every candidate, and compare the best after k tries by model, classifier and chance."""
    module = importlib.import_module("thalweg_labs.bench.search")
    module.run(module.Request(mpi, ranks, lab, machine, cases(ops, sizes), trials), json_file)


def barriers(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi,mpich",
    threads: Annotated[str, typer.Option(help="Numbers of threads, separated by commas.")] = "2,4",
    turns: Annotated[int, typer.Option(help="How often each way takes its turn.", min=1)] = 9,
) -> None:
    """Time barriers in a node: push or pull on each way, flat or a tree, by root, beside pthread_barrier and MPI's."""
    module = importlib.import_module("thalweg_labs.bench.barriers")
    module.run(module.Request(words(mpi), [int(one) for one in words(threads)], turns), json_file)
