# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg bench`: the benchmarks, each a module of thalweg_labs.bench."""

import importlib
from pathlib import Path
from typing import Annotated

import typer

from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text
from thalweg_labs.bench.network_commands import neighborhoods, papers, permutations, simulate
from thalweg_labs.bench.options import JSON, cases, words
from thalweg_labs.bench.overlap_commands import overlap
from thalweg_labs.bench.placing_commands import place, recording
from thalweg_labs.bench.search_commands import barriers, search

_INTRANODE = ("barrier", "broadcast", "reduce", "allreduce", "allgather", "alltoall")


def collectives(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="Only this MPI: openmpi or mpich.", show_default="both")] = "",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    ops: Annotated[str, typer.Option(help="Only these operations, separated by commas.", show_default="all")] = "",
    sizes: Annotated[
        str, typer.Option("--bytes", "--sizes", help="Bytes of a unit, separated by commas.", show_default="8 to 1Mi")
    ] = "",
    strategies: Annotated[str, typer.Option(help="Only these strategies.", show_default="all")] = "",
    batches: Annotated[int, typer.Option(help="Batches of each candidate; their median counts.")] = 15,
) -> None:
    """Time every operation, size and strategy against the MPI library's own, in one job for each MPI."""
    module = importlib.import_module("thalweg_labs.bench.collectives")
    request = module.Request(
        families=words(mpi) or module.FAMILIES,
        ranks=ranks,
        operations=words(ops) or module.measurable_operations(),
        sizes=[size_from_text(size) for size in words(sizes)] or module.SIZES,
        strategies=words(strategies),
        batches=batches,
    )
    module.run(request, json_file)


def model(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations.", show_default="six")] = "",
    sizes: Annotated[str, typer.Option("--bytes", "--sizes", help="Bytes of a unit.", show_default="64,8Ki,64Ki")] = "",
    machine: Annotated[str, typer.Option(metavar="FILE", help="The machine file.", show_default=False)] = "",
    plot: Annotated[str, output_file(help="Draw predicted over measured times.")] = "",
) -> None:
    """Measure every candidate, and hold the model's order and times, and the guided search, against that."""
    module = importlib.import_module("thalweg_labs.bench.model")
    module.run(module.Request(mpi, ranks, lab, machine, cases(ops, sizes or "64,8KiB,64KiB"), plot), json_file)


def tuned(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations.", show_default="six")] = "",
    sizes: Annotated[str, typer.Option("--bytes", "--sizes", help="Bytes of a unit.", show_default="8 to 512KiB")] = "",
    tuning: Annotated[str, typer.Option(metavar="FILE", help="The tuning file.", show_default=False)] = "",
    turns: Annotated[int, typer.Option(help="How many jobs of each kind.")] = 7,
    batches: Annotated[int, typer.Option(help="Batches of each case in a job; their median counts.")] = 5,
    control: Annotated[
        bool, typer.Option("--control", help="Measure a second native job too, to tell how far equal ones differ.")
    ] = False,
) -> None:
    """Time collectives natively and under Thalweg with the tuning file, in jobs that take turns."""
    module = importlib.import_module("thalweg_labs.bench.tuned")
    request = module.Request(words(mpi), ranks, lab, cases(ops, sizes), tuning, turns, batches, control)
    module.run(request, json_file)


def intranode(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[
        str, typer.Option(help="MPIs, separated by commas, as for thalweg tune; Thalweg runs on the first.")
    ] = "openmpi,mpich",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    ops: Annotated[str, typer.Option(help="Only these operations.", show_default="six")] = "",
    sizes: Annotated[str, typer.Option("--bytes", "--sizes", help="Bytes of a unit.", show_default="8 to 1MiB")] = "",
    tuning: Annotated[str, typer.Option(metavar="FILE", help="The tuning file.", show_default=False)] = "",
    turns: Annotated[int, typer.Option(help="How many jobs of each kind.")] = 5,
    batches: Annotated[int, typer.Option(help="Batches of each case in a job; their median counts.")] = 5,
    busy: Annotated[int, typer.Option(help="Foreign processes that compute meanwhile.")] = 0,
) -> None:
    """Time collectives inside of a node, tuned, against the best of several MPI libraries in each case."""
    module = importlib.import_module("thalweg_labs.bench.intranode")
    found = cases(ops or ",".join(_INTRANODE), sizes or "8,64,1KiB,8KiB,64KiB,1MiB")
    module.run(module.Request(words(mpi), ranks, found, tuning, turns, batches, busy), json_file)


def online(
    phases: Annotated[list[str] | None, typer.Argument(metavar="OPERATION:BYTES:CALLS[:DEGREE]…")] = None,
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 8,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    turns: Annotated[int, typer.Option(help="How often each way of running takes its turn.")] = 5,
    native: Annotated[bool, typer.Option("--native/--no-native", help="Run it without Thalweg too.")] = True,
) -> None:
    """Run a program whose communication changes: natively, with each phase's best strategy, and learning."""
    module = importlib.import_module("thalweg_labs.bench.online")
    found = [module.Phase.parse(text) for text in phases or module.PHASES]
    module.run(module.Request(mpi, ranks, lab, found, turns, native), json_file)


def order(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 8,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations.")] = "allgather",
    sizes: Annotated[str, typer.Option("--bytes", "--sizes", help="Bytes of a unit.")] = "64KiB,256KiB,1MiB",
    strategies: Annotated[str, typer.Option(help="Only these strategies; empty: all that take an order.")] = "ring",
    batches: Annotated[int, typer.Option(help="Batches of each candidate, in turns; pairs of them count.")] = 9,
) -> None:
    """Time strategies whose ranks are numbered along the machine beside the same in the order of ranks."""
    module = importlib.import_module("thalweg_labs.bench.order")
    module.run(module.Request(words(mpi), ranks, lab, cases(ops, sizes), words(strategies), batches), json_file)


def nic(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 8,
    lab: Annotated[str, typer.Option(help="The lab's name; it is up with --nic.")] = "thalweg",
    radixes: Annotated[str, typer.Option(help="How many hosts are below a host, separated by commas.")] = "2,8",
    batches: Annotated[int, typer.Option(help="Batches of each candidate, in turns; pairs of them count.")] = 15,
    parts: Annotated[str, typer.Option(help="What to time, separated by commas.")] = "collectives,strangers,messages",
    jobs: Annotated[int, typer.Option(help="How many jobs of messages, and of each way of strangers.")] = 5,
) -> None:
    """Time collectives on the hosts' network devices beside the best on hosts and the library's; and messages."""
    module = importlib.import_module("thalweg_labs.bench.nic")
    chosen = [int(radix) for radix in words(radixes)]
    module.run(module.Request(words(mpi), ranks, lab, chosen, batches, words(parts), jobs), json_file)


def onesided(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks of collectives.")] = 8,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    sizes: Annotated[
        str, typer.Option("--bytes", "--sizes", help="Bytes of a unit.", show_default="8 to 4096, of memory to 4 MiB")
    ] = "",
    turns: Annotated[int, typer.Option(help="How many jobs.")] = 5,
    rows: Annotated[int, typer.Option(help="Of ten calls, in a job.", min=1, max=1000)] = 100,
    memory: Annotated[bool, typer.Option(help="Puts, gets and signals of two ranks instead of collectives.")] = False,
    interposed: Annotated[bool, typer.Option(help="These under Thalweg, as by thalweg run.")] = False,
) -> None:
    """Time teams: loose broadcasts and scatters against strict ones, or puts and gets, and MPI's own ways."""
    found = [size_from_text(size) for size in words(sizes)]
    if memory:
        module = importlib.import_module("thalweg_labs.bench.onesided_memory")
        module.run(module.Request(mpi, lab, found or module.SIZES, turns, not interposed), json_file)
        return
    module = importlib.import_module("thalweg_labs.bench.onesided")
    module.run(module.Request(mpi, ranks, lab, found or module.SIZES, turns, rows), json_file)


def oversubscribed(json_file: Annotated[str, JSON] = "") -> None:
    """Run small programs with more ranks than cores, natively and under Thalweg."""
    importlib.import_module("thalweg_labs.bench.oversubscribed").main(["--json", json_file] if json_file else [])


def strangers(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks, separated by commas.")] = "2",
    ops: Annotated[str, typer.Option(help="Only these operations.", show_default="all")] = "",
    sizes: Annotated[
        str, typer.Option("--bytes", "--sizes", help="Bytes, as IMB counts them.", show_default="8 to 400000")
    ] = "",
    warm: Annotated[int, typer.Option(help="Calls of each case that are not timed.", min=0)] = 100,
    calls: Annotated[int, typer.Option(help="Calls of each case that are.", min=1)] = 400,
    limit: Annotated[float, typer.Option(help="Seconds after which a case has fewer calls.")] = 10,
    turns: Annotated[int, typer.Option(help="How many jobs of each kind.", min=1)] = 5,
    tuning: Annotated[str, typer.Option(metavar="FILE", help="The tuning file, or off.", show_default=False)] = "",
    tune: Annotated[float, typer.Option(help="Tune first, with a budget of so many seconds.", min=0)] = 0,
    imb: Annotated[
        str, typer.Option(metavar="PATH", help="IMB-MPI1, for the MPIs that it runs with.", show_default=False)
    ] = "",
    ways: Annotated[str, typer.Option(help="Only ways whose names begin so.", show_default="all five")] = "",
) -> None:
    """Time calls one by one as a stranger's benchmark does: natively, and under Thalweg as users start it."""
    module = importlib.import_module("thalweg_labs.bench.strangers")
    request = module.Request(
        words(mpi),
        [int(one) for one in words(ranks)],
        words(ops) or module.OPERATIONS,
        [size_from_text(size) for size in words(sizes)] or module.SIZES,
        warm,
        calls,
        limit,
        turns,
        tuning,
        tune,
        imb,
        [way for way in module.WAYS if way.name.startswith(ways)],
    )
    module.run(request, json_file)


def overhead(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas: openmpi, mpich.")] = "openmpi,mpich",
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks, separated by commas.")] = "1,8",
    turns: Annotated[int, typer.Option(help="How many jobs of each kind.", min=1)] = 15,
) -> None:
    """Measure what a job that does nothing costs with and without Thalweg: time to start and end, and memory."""
    module = importlib.import_module("thalweg_labs.bench.overhead")
    module.run(module.Request(words(mpi), [int(one) for one in words(ranks)], turns), json_file)


def streams(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks, separated by commas.")] = "2",
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    rounds: Annotated[int, typer.Option(help="How often each way has its turn.", min=1)] = 5,
    items: Annotated[int, typer.Option(help="Of all ranks, where they are many.", min=1)] = 10_000_000,
    cases: Annotated[str, typer.Option(help="Only these cases.", show_default="all")] = "",
    scale: Annotated[int, typer.Option(help="The graph has 2 to this power vertices.", min=1, max=30)] = 16,
    edge_factor: Annotated[int, typer.Option(help="Edges of the graph for each vertex.", min=1)] = 16,
) -> None:
    """Time streams of small items: against the same by hand over MPI, and in bulk; HPCC's RandomAccess beside."""
    module = importlib.import_module("thalweg_labs.bench.streams")
    request = module.Request(
        words(mpi),
        [int(one) for one in words(ranks)],
        lab,
        rounds,
        items,
        module.chosen_cases(words(cases)),
        scale,
        edge_factor,
    )
    module.run(request, json_file)


def examples(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="openmpi or mpich.")] = "openmpi",
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks, separated by commas.")] = "2",
    folder: Annotated[Path, typer.Option(help="Where the examples have been built.")] = Path("build/examples"),
    rounds: Annotated[int, typer.Option(help="How often each way has its turn.", min=1)] = 5,
    items: Annotated[int, typer.Option(help="People and particles; 8 to 16 words of the table for each.", min=1)] = (
        200_000
    ),
) -> None:
    """Time the examples of streams: against a message for each item, and buffers made by hand."""
    module = importlib.import_module("thalweg_labs.bench.examples")
    module.run(module.Request(mpi, [int(one) for one in words(ranks)], folder, rounds, items), json_file)


def objects(
    *,
    json_file: Annotated[str, JSON] = "",
    mpi: Annotated[str, typer.Option(help="openmpi or mpich.")] = "openmpi",
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks, separated by commas.")] = "2",
    folder: Annotated[Path, typer.Option(help="Where the examples have been built.")] = Path("build/examples"),
    rounds: Annotated[int, typer.Option(help="How often each way has its turn.", min=1)] = 5,
    calls: Annotated[int, typer.Option(help="Of each kind, in a round.", min=1000)] = 1_000_000,
    side: Annotated[int, typer.Option(help="Of the stencil's grid; 0: no stencils.", min=0)] = 96,
    steps: Annotated[int, typer.Option(help="Of the stencil.", min=1)] = 100,
    bracket_sizes: Annotated[
        str, typer.Option(help="Bytes of calls in brackets, separated by commas; empty: no brackets.")
    ] = "8,512",
    lab: Annotated[str, typer.Option(help="Measure brackets alone, in the lab with this name.")] = "",
    charm4py: Annotated[
        str, typer.Option(metavar="PYTHON", help="Compare rings with this Python's charm4py.", show_default=False)
    ] = "",
) -> None:
    """Time calls of objects, alone and in brackets, against the same by hand, and a stencil that is balanced or not."""
    module = importlib.import_module("thalweg_labs.bench.objects")
    numbers, sizes = ([int(one) for one in words(text)] for text in (ranks, bracket_sizes))
    request = module.Request(mpi, numbers, folder, rounds, calls, side, steps, sizes, lab, charm4py)
    module.run(request, json_file)


def balance(
    *,
    json_file: Annotated[str, JSON] = "",
    ranks: Annotated[
        int, typer.Option("--ranks", "-n", help="Number of ranks whose flow is timed.", min=1)
    ] = 1_000_000,
    nodes: Annotated[int, typer.Option(help="How many nodes the busy torus leaves.", min=1, max=15_000)] = 4096,
    nodes_file: Annotated[
        str, typer.Option("--nodes-file", metavar="FILE", help="Nodes on a torus.", show_default="made")
    ] = "",
    rounds: Annotated[int, typer.Option(help="How often each case has its turn.", min=1)] = 5,
    optimum: Annotated[bool, typer.Option("--optimum", help="Compare with the optimum: a minute a round.")] = False,
    jobs: Annotated[
        str, typer.Option(help="Numbers of ranks of the jobs that move walkers, separated by commas; empty: no jobs.")
    ] = "2,8",
    mpi: Annotated[str, typer.Option(help="openmpi or mpich.")] = "openmpi",
    folder: Annotated[Path, typer.Option(help="Where the examples have been built.")] = Path("build/examples"),
    task_bytes: Annotated[
        str, typer.Option("--task-bytes", help="Of a walker: 672, 2048 or 32768, separated by commas.")
    ] = "672,2048,32768",
    steps: Annotated[int, typer.Option(help="Of a job.", min=100)] = 400,
    moves: Annotated[int, typer.Option(help="Of each walker in a step: 100 take about 12 us.", min=1)] = 500,
) -> None:
    """Time the flows of `thalweg balance`, and compare how far tasks go, with the alias method as published.

    Jobs of examples/diffusion_mc are timed too: balanced by Thalweg, by hand after all counts are gathered, and never.
    """
    module = importlib.import_module("thalweg_labs.bench.balance")
    sizes = [int(one) for one in words(task_bytes)]
    asked = module.JobRequest(mpi, [int(one) for one in words(jobs)], folder, rounds, sizes, steps, moves)
    module.run(module.Request(ranks, nodes, nodes_file, rounds, optimum), asked, json_file)


def page(
    rows: Annotated[str, typer.Argument(metavar="ROWS", help="What a benchmark wrote with --json.")],
    *,
    output: Annotated[str, output_file("--output", "-o", help="The page.", show_default="beside the rows")] = "",
) -> None:
    """Show the rows of a benchmark as a page, which opens without a network."""
    importlib.import_module("thalweg_labs.bench.page").run(rows, output)


def make_application() -> typer.Typer:
    """Make the group of benchmark commands."""
    app = typer.Typer(
        help="Measure Thalweg against the MPI libraries themselves.", no_args_is_help=True, rich_markup_mode=None
    )
    commands = (
        collectives,
        model,
        search,
        barriers,
        tuned,
        intranode,
        nic,
        online,
        order,
        onesided,
        overlap,
        oversubscribed,
        strangers,
        overhead,
        streams,
        examples,
        objects,
        balance,
        simulate,
        papers,
        permutations,
        neighborhoods,
        place,
        recording,
        page,
    )
    for command in commands:
        app.command()(command)
    return app
