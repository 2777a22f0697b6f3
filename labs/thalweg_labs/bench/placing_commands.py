# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks of placing: mappings, jobs, and what recording costs."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text
from thalweg_labs.bench.options import JSON, words


def place(
    *,
    json_file: Annotated[str, JSON] = "",
    sizes: Annotated[str, typer.Option(metavar="N,…", help="Ranks of the patterns.")] = "64,216",
    seconds: Annotated[str, typer.Option(metavar="S,…", help="Budgets, seconds of a core.")] = "0.1",
    qaplib: Annotated[str, typer.Option(metavar="FOLDER", help="QAPLIB's instances, *.qap.", show_default="none")] = "",
    qaplib_seconds: Annotated[float, typer.Option("--qaplib-seconds", help="For each of over 15 tasks.", min=0)] = 10,
    allocations: Annotated[
        str, typer.Option(metavar="FOLDER", help="Nodes: irr_64.alloc and the like.", show_default="made")
    ] = "",
    scale: Annotated[str, typer.Option(metavar="N,…", help="Ranks of a shuffled stencil.", show_default="none")] = "",
    scale_seconds: Annotated[float, typer.Option("--scale-seconds", help="For each of these.", min=0)] = 10,
    jobs: Annotated[
        str,
        typer.Option(
            metavar="KIND,…", help="Programs on labs: ring, chain, grid, pairs, allgather, allgather-ring, neighbors."
        ),
    ] = "",
    foreign: Annotated[
        str,
        typer.Option(metavar="KIND,…", help="Of them with a wrong list of hosts, and beside another job's traffic."),
    ] = "",
    metrics: Annotated[int, typer.Option(help="Mappings whose times are held against the objectives.", min=0)] = 0,
    mpi: Annotated[str, typer.Option(help="MPIs of the jobs, separated by commas, as for thalweg tune.")] = "openmpi",
    topologies: Annotated[str, typer.Option(help="Of the labs.")] = "ring,torus:4x2",
    rate: Annotated[str, typer.Option(help="Of the labs' links.")] = "50mbit",
    host_rate: Annotated[str, typer.Option("--host-rate", help="Of hosts' own links.")] = "200mbit",
    shuffle: Annotated[int, typer.Option(help="Seed of the order in which jobs get hosts.", min=1)] = 3,
    size: Annotated[str, typer.Option("--bytes", help="Of a message, or of a rank's part.")] = "64KiB",
    rounds: Annotated[int, typer.Option(help="How often each way has its turn.", min=1)] = 5,
    run_seconds: Annotated[float, typer.Option("--run-seconds", help="That a program takes natively.", min=0.1)] = 4,
) -> None:
    """Compare placements with Scotch's, the published heuristics' and QAPLIB's best known.

    With kinds of jobs, programs run on labs that are made for them: natively, as dealt out, and placed. Needs root.
    """
    module = importlib.import_module("thalweg_labs.bench.place")
    on_labs = importlib.import_module("thalweg_labs.bench.place_jobs").JobRequest(
        words(mpi),
        words(topologies),
        (rate, host_rate),
        shuffle,
        words(jobs),
        size_from_text(size),
        rounds,
        run_seconds,
        words(foreign),
        metrics,
    )
    request = module.Request(
        [int(one) for one in words(sizes)],
        [float(one) for one in words(seconds)],
        qaplib,
        qaplib_seconds,
        allocations,
        [int(one) for one in words(scale)],
        scale_seconds,
    )
    module.run(request, on_labs, json_file)


def recording(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    rounds: Annotated[int, typer.Option(help="How many pairs of jobs of each program.")] = 9,
    sides: Annotated[str, typer.Option(help="Numbers in a message of the stencil.")] = "8,64,256",
    steps: Annotated[int, typer.Option(help="Of the stencil.")] = 200000,
    folder: Annotated[str, typer.Option(help="With the examples, for four of them too.", show_default=False)] = "",
    calls: Annotated[int, typer.Option(help="Of each kind of short all-to-all; 0: none.", min=0)] = 20000,
    trace: Annotated[bool, typer.Option("--trace", help="Of `thalweg run --trace` instead.")] = False,
) -> None:
    """Time programs with and without `thalweg run --record`."""
    module = importlib.import_module("thalweg_labs.bench.recording")
    sizes = [int(one) for one in words(sides)]
    module.run(module.Request(mpi, ranks, rounds, sizes, steps, folder, calls, trace), json_file)
