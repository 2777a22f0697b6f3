"""`thalweg bench`: the benchmarks, each a module of thalweg.bench."""

import importlib
from pathlib import Path
from typing import Annotated, Any

import typer

from thalweg.cli.bench_networks import papers, permutations
from thalweg.cli.printing import size_from_text

_SIX = ("barrier", "broadcast", "allreduce", "allgather", "alltoall", "reduce_scatter")
_INTRANODE = ("barrier", "broadcast", "reduce", "allreduce", "allgather", "alltoall")
_JSON = typer.Option("--json", metavar="FILE", help="Write the rows here.", show_default=False)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _cases(operations: str, sizes: str) -> Any:
    module = importlib.import_module("thalweg.trials.cases")
    return module.cases(_words(operations) or _SIX, [size_from_text(size) for size in _words(sizes)] or module.SIZES)


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


def model(
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations.", show_default="six")] = "",
    sizes: Annotated[str, typer.Option(help="Bytes of a unit.", show_default="64,8Ki,64Ki")] = "",
    machine: Annotated[str, typer.Option(metavar="FILE", help="The machine file.", show_default=False)] = "",
    plot: Annotated[str, typer.Option(metavar="FILE", help="Draw predicted over measured times.")] = "",
) -> None:
    """Measure every candidate, and hold the model's order and times, and the guided search, against that."""
    module = importlib.import_module("thalweg.bench.model")
    module.run(module.Request(mpi, ranks, lab, machine, _cases(ops, sizes or "64,8KiB,64KiB"), plot), json_file)


def tuned(
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations.", show_default="six")] = "",
    sizes: Annotated[str, typer.Option(help="Bytes of a unit.", show_default="8 to 512KiB")] = "",
    tuning: Annotated[str, typer.Option(metavar="FILE", help="The tuning file.", show_default=False)] = "",
    turns: Annotated[int, typer.Option(help="How many jobs of each kind.")] = 7,
    batches: Annotated[int, typer.Option(help="Batches of each case in a job; their median counts.")] = 5,
    control: Annotated[
        bool, typer.Option("--control", help="Measure a second native job too, to tell how far equal ones differ.")
    ] = False,
) -> None:
    """Time collectives natively and under Thalweg with the tuning file, in jobs that take turns."""
    module = importlib.import_module("thalweg.bench.tuned")
    request = module.Request(_words(mpi), ranks, lab, _cases(ops, sizes), tuning, turns, batches, control)
    module.run(request, json_file)


def intranode(
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[
        str, typer.Option(help="MPIs, separated by commas, as for thalweg tune; Thalweg runs on the first.")
    ] = "openmpi,mpich",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    ops: Annotated[str, typer.Option(help="Only these operations.", show_default="six")] = "",
    sizes: Annotated[str, typer.Option(help="Bytes of a unit.", show_default="8 to 1MiB")] = "",
    tuning: Annotated[str, typer.Option(metavar="FILE", help="The tuning file.", show_default=False)] = "",
    turns: Annotated[int, typer.Option(help="How many jobs of each kind.")] = 5,
    batches: Annotated[int, typer.Option(help="Batches of each case in a job; their median counts.")] = 5,
    busy: Annotated[int, typer.Option(help="Foreign processes that compute meanwhile.")] = 0,
) -> None:
    """Time collectives inside of a node, tuned, against the best of several MPI libraries in each case."""
    module = importlib.import_module("thalweg.bench.intranode")
    found = _cases(ops or ",".join(_INTRANODE), sizes or "8,64,1KiB,8KiB,64KiB,1MiB")
    module.run(module.Request(_words(mpi), ranks, found, tuning, turns, batches, busy), json_file)


def online(
    phases: Annotated[list[str] | None, typer.Argument(metavar="OPERATION:BYTES:CALLS[:DEGREE]…")] = None,
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 8,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    turns: Annotated[int, typer.Option(help="How often each way of running takes its turn.")] = 5,
    native: Annotated[bool, typer.Option("--native/--no-native", help="Run it without Thalweg too.")] = True,
) -> None:
    """Run a program whose communication changes: natively, with each phase's best strategy, and learning."""
    module = importlib.import_module("thalweg.bench.online")
    found = [module.Phase.parse(text) for text in phases or module.PHASES]
    module.run(module.Request(mpi, ranks, lab, found, turns, native), json_file)


def order(
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 8,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    ops: Annotated[str, typer.Option(help="Only these operations.")] = "allgather",
    sizes: Annotated[str, typer.Option(help="Bytes of a unit.")] = "64KiB,256KiB,1MiB",
    strategies: Annotated[str, typer.Option(help="Only these strategies; empty: all that take an order.")] = "ring",
    batches: Annotated[int, typer.Option(help="Batches of each candidate, in turns; pairs of them count.")] = 9,
) -> None:
    """Time strategies whose ranks are numbered along the machine beside the same in the order of ranks."""
    module = importlib.import_module("thalweg.bench.order")
    module.run(module.Request(_words(mpi), ranks, lab, _cases(ops, sizes), _words(strategies), batches), json_file)


def nic(
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 8,
    lab: Annotated[str, typer.Option(help="The lab's name; it is up with --nic.")] = "thalweg",
    radixes: Annotated[str, typer.Option(help="How many hosts are below a host, separated by commas.")] = "2,8",
    batches: Annotated[int, typer.Option(help="Batches of each candidate, in turns; pairs of them count.")] = 15,
) -> None:
    """Time barriers on the hosts' network devices beside the best on hosts, and the library's."""
    module = importlib.import_module("thalweg.bench.nic")
    chosen = [int(radix) for radix in _words(radixes)]
    module.run(module.Request(_words(mpi), ranks, lab, chosen, batches), json_file)


def onesided(
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 8,
    lab: Annotated[str, typer.Option(help="On the hosts of the lab of this name.", show_default=False)] = "",
    sizes: Annotated[str, typer.Option(help="Bytes of a unit.", show_default="8 to 4096")] = "",
    turns: Annotated[int, typer.Option(help="How many jobs.")] = 5,
    rows: Annotated[int, typer.Option(help="Of ten calls, in a job.", min=1, max=1000)] = 100,
) -> None:
    """Time broadcasts and scatters of a team, ten in a row: loose against strict, and against MPI's own."""
    module = importlib.import_module("thalweg.bench.onesided")
    found = [size_from_text(size) for size in _words(sizes)] or module.SIZES
    module.run(module.Request(mpi, ranks, lab, found, turns, rows), json_file)


def oversubscribed(json_file: Annotated[str, _JSON] = "") -> None:
    """Run small programs with more ranks than cores, natively and under Thalweg."""
    importlib.import_module("thalweg.bench.oversubscribed").main(["--json", json_file] if json_file else [])


def strangers(
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="MPIs, separated by commas, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks, separated by commas.")] = "2",
    ops: Annotated[str, typer.Option(help="Only these operations.", show_default="all")] = "",
    sizes: Annotated[str, typer.Option(help="Bytes, as IMB counts them.", show_default="8 to 400000")] = "",
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
    module = importlib.import_module("thalweg.bench.strangers")
    request = module.Request(
        _words(mpi),
        [int(one) for one in _words(ranks)],
        _words(ops) or module.OPERATIONS,
        [size_from_text(size) for size in _words(sizes)] or module.SIZES,
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


def streams(
    *,
    json_file: Annotated[str, _JSON] = "",
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
    module = importlib.import_module("thalweg.bench.streams")
    request = module.Request(
        _words(mpi),
        [int(one) for one in _words(ranks)],
        lab,
        rounds,
        items,
        module.chosen_cases(_words(cases)),
        scale,
        edge_factor,
    )
    module.run(request, json_file)


def examples(
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="openmpi or mpich.")] = "openmpi",
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks, separated by commas.")] = "2",
    folder: Annotated[Path, typer.Option(help="Where the examples have been built.")] = Path("build/examples"),
    rounds: Annotated[int, typer.Option(help="How often each way has its turn.", min=1)] = 5,
    items: Annotated[int, typer.Option(help="People and particles; 8 to 16 words of the table for each.", min=1)] = (
        200_000
    ),
) -> None:
    """Time the examples of streams: against a message for each item, and buffers made by hand."""
    module = importlib.import_module("thalweg.bench.examples")
    module.run(module.Request(mpi, [int(one) for one in _words(ranks)], folder, rounds, items), json_file)


def objects(
    *,
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="openmpi or mpich.")] = "openmpi",
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks, separated by commas.")] = "2",
    folder: Annotated[Path, typer.Option(help="Where the examples have been built.")] = Path("build/examples"),
    rounds: Annotated[int, typer.Option(help="How often each way has its turn.", min=1)] = 5,
    calls: Annotated[int, typer.Option(help="Of each kind, in a round.", min=1000)] = 1_000_000,
    side: Annotated[int, typer.Option(help="Of the stencil's grid; 0: no stencils.", min=0)] = 96,
    steps: Annotated[int, typer.Option(help="Of the stencil.", min=1)] = 100,
) -> None:
    """Time calls of objects against the same by hand, and a stencil of objects: several a rank, balanced or not."""
    module = importlib.import_module("thalweg.bench.objects")
    numbers = [int(one) for one in _words(ranks)]
    module.run(module.Request(mpi, numbers, folder, rounds, calls, side, steps), json_file)


def balance(
    *,
    json_file: Annotated[str, _JSON] = "",
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
    module = importlib.import_module("thalweg.bench.balance")
    sizes = [int(one) for one in _words(task_bytes)]
    asked = module.JobRequest(mpi, [int(one) for one in _words(jobs)], folder, rounds, sizes, steps, moves)
    module.run(module.Request(ranks, nodes, nodes_file, rounds, optimum), asked, json_file)


def simulate(
    *,
    json_file: Annotated[str, _JSON] = "",
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
    sizes: Annotated[str, typer.Option(help="Bytes of a unit to measure.")] = "8KiB,64KiB",
) -> None:
    """Time simulations of many ranks and of packets, in processor seconds and memory; or hold them against labs."""
    if labs:
        module = importlib.import_module("thalweg.bench.simulate_labs")
        module.run(module.Request(mpi, ranks, _words(labs), _cases(ops, sizes)), json_file)
        return
    importlib.import_module("thalweg.bench.simulate").run(rounds, ranks_max, packets, json_file, only)


def place(
    *,
    json_file: Annotated[str, _JSON] = "",
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
        str, typer.Option(metavar="KIND,…", help="Programs on labs: ring, chain, grid, pairs, allgather, neighbors.")
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
    module = importlib.import_module("thalweg.bench.place")
    on_labs = importlib.import_module("thalweg.bench.place_jobs").JobRequest(
        _words(mpi),
        _words(topologies),
        (rate, host_rate),
        shuffle,
        _words(jobs),
        size_from_text(size),
        rounds,
        run_seconds,
        _words(foreign),
        metrics,
    )
    request = module.Request(
        [int(one) for one in _words(sizes)],
        [float(one) for one in _words(seconds)],
        qaplib,
        qaplib_seconds,
        allocations,
        [int(one) for one in _words(scale)],
        scale_seconds,
    )
    module.run(request, on_labs, json_file)


def recording(
    json_file: Annotated[str, _JSON] = "",
    mpi: Annotated[str, typer.Option(help="The MPI, as for thalweg tune.")] = "openmpi",
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="Number of ranks.")] = 2,
    rounds: Annotated[int, typer.Option(help="How many pairs of jobs of each program.")] = 9,
    sides: Annotated[str, typer.Option(help="Numbers in a message of the stencil.")] = "8,64,256",
    steps: Annotated[int, typer.Option(help="Of the stencil.")] = 200000,
    folder: Annotated[str, typer.Option(help="With the examples, for one of them too.", show_default=False)] = "",
) -> None:
    """Time programs with and without `thalweg run --record`."""
    module = importlib.import_module("thalweg.bench.recording")
    sizes = [int(one) for one in _words(sides)]
    module.run(module.Request(mpi, ranks, rounds, sizes, steps, folder), json_file)


def make_application() -> typer.Typer:
    """Make the group of benchmark commands."""
    app = typer.Typer(help="Measure Thalweg against the MPI libraries themselves.", no_args_is_help=True)
    commands = (
        collectives,
        model,
        tuned,
        intranode,
        nic,
        online,
        order,
        onesided,
        oversubscribed,
        strangers,
        streams,
        examples,
        objects,
        balance,
        simulate,
        papers,
        permutations,
        place,
        recording,
    )
    for command in commands:
        app.command()(command)
    return app
