# SPDX-License-Identifier: BSD-3-Clause
"""How well simulation predicts programs: they run in labs, and are simulated from a trace and the probe's figures.

Each program is traced as it is, and with strategies chosen for its collectives. Simulated is the trace of the run as it
is, with these strategies too: what would the program take with them? A time is from the beginning of MPI to its end.
Each is simulated twice where hosts share cores, as the machine file says: with these, and with a core for each rank.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from thalweg import _core
from thalweg.errors import FAILED, LAB, PROGRAM, ThalwegError
from thalweg.lab.hosts import saved
from thalweg.rows import Row, make_row, write_rows
from thalweg.simulation.candidates import network_of_nodes
from thalweg.simulation.ground import Costs
from thalweg.simulation.replaying import replay
from thalweg.trials.cases import node_places
from thalweg.trials.compiler import compiled_program
from thalweg.trials.session import Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune.run import machine_of
from thalweg_labs.bench.lab_jobs import output_of
from thalweg_labs.bench.simulate_labs import accuracy, rows_of, words_of

LEVELS = ("loggp", "flow")
_HALO = Path(__file__).parent / "program" / "halo.c"


class Program(NamedTuple):
    """A program with its arguments, and what its collectives are chosen to run on, in turns."""

    binary: str
    arguments: Sequence[str]
    selections: Sequence[str] = ()


_EXCHANGES = ("alltoall=cyclic", "alltoall=bruck", "alltoall=direct")
_BLOCKS = ("alltoallv=cyclic", "alltoallv=direct")
_SUMS = ("allreduce=ring", "allreduce=rabenseifner", "allreduce=recursive_doubling")
PROGRAMS = {
    "stencil, 1 KiB faces": Program("halo", ("128", "200")),
    "stencil, 16 KiB faces": Program("halo", ("2048", "20")),
    "conjugate gradient": Program("cg", ("--class", "S", "--on", "mpi"), _SUMS),
    "ft": Program("ft", ("--class", "S", "--layout", "packed", "--on", "mpi"), _EXCHANGES),
    "fft, slabs": Program("fft3d", ("--size", "64x64x64", "--iterations", "4"), _BLOCKS),
    "fft, pencils": Program("fft3d", ("--size", "64x64x64", "--layout", "pencils", "--iterations", "4"), _BLOCKS),
    "radix sort": Program("radix_sort", ("--keys-per-rank", "20000", "--repeat", "4"), _BLOCKS),
}


class Request(NamedTuple):
    """What to run where, and how often each way."""

    mpi: str
    ranks: int
    labs: Sequence[str]
    folder: Path
    """Where the examples have been built."""
    rounds: int


class Traced(NamedTuple):
    """A traced run."""

    trace: Path
    seconds: float


class Place(NamedTuple):
    """Where a program is simulated."""

    machine: _core.Machine
    network: str
    places: Sequence[int]


def run(request: Request, json_file: str) -> None:
    """Run and simulate all programs in all labs, print and write the figures."""
    rows: list[Row] = []
    for lab in request.labs:
        place = _probed(request, lab)
        measured: list[float] = []
        predicted: dict[str, list[float]] = {}
        for title, program in PROGRAMS.items():
            with tempfile.TemporaryDirectory() as folder:
                traces = _measured(request, lab, program, Path(folder))
                for selection, runs in traces.items():
                    name = f"{place.network} {title}{' ' if selection else ''}{selection}"
                    measured.append(median(one.seconds for one in runs))
                    found = simulated(_middle(traces[""]).trace, selection, place)
                    for predictor, seconds in found.items():
                        predicted.setdefault(predictor, []).append(seconds)
                        rows.append(make_row(name, f"time by {predictor}", "s", seconds, measured[-1], "measured"))
                    texts = ", ".join(f"{predictor} {seconds:.3f}" for predictor, seconds in found.items())
                    print(f"{name:<60} measured {measured[-1]:.3f} s, {texts}", flush=True)
        all_found = {predictor: accuracy(measured, times) for predictor, times in predicted.items()}
        print(f"{place.network:<60} {words_of(all_found)}", flush=True)
        rows += rows_of(f"{place.network} all programs", all_found)
    if json_file:
        write_rows(rows, json_file)


def _probed(request: Request, lab: str) -> Place:
    program = trial_program(request.mpi, os.environ)
    with Session(start_words([], request.ranks, program), lab=lab) as session:
        machine, job = machine_of(session, "", lab), session.job
    network = network_of_nodes(node_places(job, machine), job.nodes)
    return Place(machine, network.interconnect.name, network.places.tolist())


def _binary(request: Request, program: Program) -> str:
    if program.binary == _HALO.stem:
        return compiled_program(_HALO.stem, [_HALO], request.mpi, os.environ)
    example = request.folder / f"{program.binary}-{request.mpi}"
    if not example.exists():
        raise ThalwegError(PROGRAM, f"the example {example} is missing", "build the examples, and name --folder")
    return str(example)


def _measured(request: Request, lab: str, program: Program, folder: Path) -> dict[str, list[Traced]]:
    """Run the program in turns: as it is (""), and with each selection."""
    hosts = saved(lab)
    if hosts is None:
        raise ThalwegError(LAB, f"there is no lab {lab!r}", f"make it: thalweg lab up --name {lab}")
    words = [_binary(request, program), *program.arguments]
    found: dict[str, list[Traced]] = {selection: [] for selection in ("", *program.selections)}
    for turn in range(request.rounds):
        for number, (selection, runs) in enumerate(found.items()):
            kept = folder / f"{turn}-{number}"
            options = ["--trace", "--patterns", str(kept), "--learn", "off", "--tuning", "off"]
            output_of(hosts, words, [*options, *(["--use", selection] if selection else [])])
            traces = list(kept.glob("*.trace"))
            if len(traces) != 1:
                raise ThalwegError(FAILED, f"{' '.join(words)} left {len(traces)} traces", "see thalweg run --trace")
            runs.append(Traced(traces[0], _core.load_call_trace(str(traces[0])).seconds))
    return found


def _middle(runs: Sequence[Traced]) -> Traced:
    return sorted(runs, key=lambda one: one.seconds)[len(runs) // 2]


def simulated(trace: Path, selection: str, place: Place) -> dict[str, float]:
    """Simulate the trace with a selection: seconds by level, and by whose cores there are."""
    machines = -(-len(place.places) // place.machine.nodes_per_machine)
    has_few = place.machine.cores * machines < len(place.places)
    ways = {" with own cores": 0, " with shared cores": None} if has_few else {"": None}
    use = [selection] if selection else []
    found = {}
    for words, cores in ways.items():
        for level in LEVELS:
            costs = Costs(place.machine, network=place.network, placement=place.places, level=level, cores=cores)
            found[f"{level}{words}"] = replay(str(trace), costs, use=use, explained_max=0).simulation.seconds
    return found
