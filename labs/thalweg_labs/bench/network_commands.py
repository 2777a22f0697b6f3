# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks of simulations: how fast, figures of papers, permutations; and of neighborhoods on networks."""

import importlib
from pathlib import Path
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text
from thalweg_labs.bench.options import JSON, cases, words


def papers(
    *,
    json_file: Annotated[str, JSON] = "",
    chapter: Annotated[
        int,
        typer.Option(
            help="Of S. Kumar 2005: 3, combining; 4, all-gather on fat trees; 5, objects and streaming; "
            "7, applications; 8, routers with collectives."
        ),
    ] = 8,
    tram: Annotated[bool, typer.Option("--tram", help="Streams of L. Wesolowski and others 2014 instead.")] = False,
    ranks_max: Annotated[int, typer.Option(help="Leave out cases with more ranks.", min=1)] = 1 << 15,
    packets: Annotated[int, typer.Option(help="In chapter 8, about so many are measured.", min=20)] = 100_000,
    plot: Annotated[
        str, typer.Option(metavar="FOLDER", help="Draw the figures over load here.", show_default=False)
    ] = "",
    mpi: Annotated[str, typer.Option(help="openmpi or mpich, in chapters 5 and 7.")] = "openmpi",
    folder: Annotated[Path, typer.Option(help="Where the examples have been built.")] = Path("build/examples"),
    calls: Annotated[int, typer.Option(help="In chapter 5, so many of each kind are timed.", min=1000)] = 200_000,
    lab: Annotated[
        str, typer.Option(metavar="NAME", help="In chapter 7, run on the hosts of this lab.", show_default=False)
    ] = "",
) -> None:
    """Show the figures of a paper, each beside the paper's value, with what its text does not say.

    Those of chapters 5 and 7 are measured: their programs run here, natively too. All others are simulated.
    """
    module = importlib.import_module("thalweg_labs.bench.papers")
    rows = importlib.import_module("thalweg_labs.bench.papers_rows")
    module.run(rows.Request(chapter, packets, plot, ranks_max, tram, mpi, folder, calls, lab), json_file)


def permutations(
    *,
    json_file: Annotated[str, JSON] = "",
    topology: Annotated[str, typer.Option(help="A tree, as tree:4^3.")] = "tree:4^3",
    steps: Annotated[str, typer.Option(help="Steps, separated by commas.")] = "1,2,3,4,5,6,7,8,12,16,20,24,31,32,48",
    size: Annotated[str, typer.Option("--bytes", help="Of each message.")] = "64KiB",
    buffers: Annotated[int, typer.Option(help="Packets that a crosspoint has room for.", min=1)] = 4,
    lab: Annotated[bool, typer.Option("--lab", help="Measure them too, on a lab of that shape. Needs root.")] = False,
    mpi: Annotated[str, typer.Option(help="The MPI there, as for thalweg tune.")] = "openmpi",
    rate: Annotated[str, typer.Option(help="Of the lab's links.")] = "50mbit",
    lab_size: Annotated[str, typer.Option("--lab-bytes", help="Of each message there.")] = "1MiB",
    rounds: Annotated[int, typer.Option(help="How often each step is measured; the median counts.", min=1)] = 5,
) -> None:
    """Simulate single steps of cyclic and prefix exchanges on a tree: which are free of contention, and how fast."""
    module = importlib.import_module("thalweg_labs.bench.permutations")
    chosen = [int(word.strip()) for word in steps.split(",") if word.strip().isdecimal()]
    on_lab = module.LabRequest(mpi, rate, size_from_text(lab_size), rounds) if lab else None
    module.run(module.Request(topology, chosen, size_from_text(size), buffers, on_lab), json_file)


def neighborhoods(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    hosts: Annotated[int, typer.Option(help="Hosts of the lab that is made.", min=1)] = 8,
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks, spread over the hosts.", min=1)] = 16,
    rate: Annotated[str, typer.Option(help="Of each link of the lab, in the words of tc.")] = "1gbit",
    topology: Annotated[str, typer.Option(help="The lab's network.")] = "star",
    matrices: Annotated[str, typer.Option(help="Whose halos are exchanged.", show_default="four")] = "",
    vectors: Annotated[int, typer.Option(help="Doubles of an element.", min=1)] = 1,
    strategies: Annotated[str, typer.Option(help="Of neighbor_alltoallv.", show_default="all")] = "",
    advance: Annotated[
        str, typer.Option(metavar="FOLDER", help="Where MPI Advance was built, to measure it too.", show_default=False)
    ] = "",
    calls: Annotated[int, typer.Option(help="Of a round; a job makes five.", min=1)] = 100,
    turns: Annotated[int, typer.Option(help="How many jobs of each way.", min=1)] = 5,
) -> None:
    """Time halos of sparse matrices by strategies of neighborhoods, beside the library's and MPI Advance's."""
    module = importlib.import_module("thalweg_labs.bench.neighborhoods")
    chosen = words(matrices) or module.MATRICES, words(strategies) or module.STRATEGIES
    request = module.Request(mpi, hosts, ranks, rate, topology, chosen[0], vectors, chosen[1], advance, calls, turns)
    module.run(request, json_file)


def simulate(
    *,
    json_file: Annotated[str, JSON] = "",
    rounds: Annotated[int, typer.Option(help="How often each case is run; the median counts.", min=1)] = 3,
    ranks_max: Annotated[int, typer.Option(help="Leave out cases with more ranks.", min=1)] = 1 << 30,
    packets: Annotated[int, typer.Option(help="Measured of each network; 0: no networks.", min=0)] = 200_000,
    only: Annotated[str, typer.Option(help="Only cases whose names begin so.", show_default="all")] = "",
    labs: Annotated[
        str, typer.Option(metavar="NAME,…", help="Hold it against times measured in these labs.", show_default=False)
    ] = "",
    mpi: Annotated[str, typer.Option(help="The MPI to measure with, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks to measure with.")] = 8,
    ops: Annotated[str, typer.Option(help="The operations to measure.", show_default="six")] = "",
    sizes: Annotated[str, typer.Option("--bytes", "--sizes", help="Bytes of a unit to measure.")] = "8KiB,64KiB",
    programs: Annotated[bool, typer.Option("--programs", help="Measure traced programs, not single calls.")] = False,
    folder: Annotated[Path, typer.Option(help="Where the examples have been built.")] = Path("build/examples"),
) -> None:
    """Time simulations of many ranks and of packets, in processor seconds and memory; or hold them against labs."""
    if labs and programs:
        module = importlib.import_module("thalweg_labs.bench.simulate_programs")
        module.run(module.Request(mpi, ranks, words(labs), folder, rounds), json_file)
        return
    if labs:
        module = importlib.import_module("thalweg_labs.bench.simulate_labs")
        module.run(module.Request(mpi, ranks, words(labs), cases(ops, sizes)), json_file)
        return
    importlib.import_module("thalweg_labs.bench.simulate").run(rounds, ranks_max, packets, json_file, only)
