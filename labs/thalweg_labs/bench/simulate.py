# SPDX-License-Identifier: BSD-3-Clause
"""Simulations of many ranks: processor time and memory, each in a process of its own.

Aims and the peer's figures stand beside. These are of LogGOPSim 76451de with its generator and txt2bin, in processor
seconds, measured on an AMD EPYC on 2026-11-26. Those of the large broadcast are wall seconds of another day. There are
none where it did not come to an end. Then come strategies, whose schedules are written and simulated. The last rows are
of level flow: on a network whose links messages share. Of two all-to-alls on 256 ranks the peer is SimGrid 3.32: wall
seconds of an MPI program under SMPI, with Open MPI's algorithms, on a fat tree of two levels and on a torus.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.errors import FAILED, ThalwegError
from thalweg.simulation.ground import LOGGOPS
from thalweg.simulation.placed import network_of
from thalweg.text_files import write_text
from thalweg_labs.bench import packets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Case(NamedTuple):
    """A program, what it should take at most, and what LogGOPSim or SimGrid took; 0 where there is nothing to say."""

    name: str
    ranks: int
    unit_bytes: int
    aim_seconds: float = 0
    aim_events: float = 0
    """A second."""
    aim_mebibytes: float = 0
    peer_seconds: float = 0
    peer_mebibytes: float = 0
    network: str = ""
    """Where it has one, the level is flow."""
    ranks_per_node: int = 1


HALO = "halo"
"""A message to each neighbor on a torus."""

CASES = (
    Case("dissemination", 8192, 1024, aim_events=10e6, peer_seconds=0.56, peer_mebibytes=38),
    Case("dissemination", 65536, 1024, aim_events=5e6, aim_mebibytes=200, peer_seconds=6.17, peer_mebibytes=445),
    Case(
        "binomialtreebcast",
        1 << 20,
        1024,
        aim_seconds=2,
        aim_mebibytes=300,
        peer_seconds=31.8,
        peer_mebibytes=674,
    ),
    Case("linear_alltoall", 256, 1024, peer_seconds=2.76, peer_mebibytes=31),
    Case("linear_alltoall", 1024, 1024, aim_seconds=1),
    Case("linear_alltoall", 4096, 1024),
    Case("allreduce_recdoub", 65536, 1 << 20, aim_events=5e6),
    Case("allreduce_ring", 1024, 1 << 20, aim_events=5e6),
    Case("broadcast=knomial", 1 << 20, 1024),
    Case("allreduce=recursive_doubling", 65536, 1024),
    Case("allreduce=ring", 65536, 1 << 20),
    Case("incast", 9, 1 << 20, network="star:9"),
    Case("alltoall=cyclic", 256, 65536, peer_seconds=1.03, network="tree:16^2"),
    Case("alltoall=cyclic", 256, 65536, peer_seconds=1.57, network="torus:16x16"),
    Case("alltoall=cyclic", 512, 1024, network="torus:8x8x8"),
    Case("allreduce_ring", 4096, 1 << 20, network="torus:16x16x16"),
    Case("allreduce=two_level", 100_000, 65536, aim_seconds=60, network="dragonfly:8x16x8", ranks_per_node=16),
    Case("allreduce=two_level", 65_536, 65536, aim_seconds=60, network="tree:16^3", ranks_per_node=16),
    Case(HALO, 1_000_000, 65536, aim_seconds=120, aim_mebibytes=4096, network="torus:100x100x100"),
)


class Row(NamedTuple):
    """What a case took: the median of the rounds."""

    case: str
    network: str
    """On level flow; none on level loggp."""
    ranks: int
    bytes: int
    finish_ns: int
    operations: int
    events: int
    write_seconds: float
    """Processor time to write the program."""
    simulate_seconds: float
    """Processor time to simulate it."""
    events_per_second: float
    """Of the simulation alone."""
    mebibytes: float
    """Peak memory on top of what the command has before."""
    aim_seconds: float
    aim_events_per_second: float
    aim_mebibytes: float
    peer_seconds: float
    peer_mebibytes: float


def neighbors(interconnect: _core.Interconnect) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give all pairs of neighbors on a torus, sender and receiver; each sender's one after the other."""
    grid = interconnect.grid
    if grid is None:
        raise ThalwegError(FAILED, f"{interconnect.name} is no torus")
    places = np.arange(grid.places, dtype=np.int32)
    found, stride = [], 1
    for side in grid.extents:
        own = places // stride % side
        found += [places + ((own + step) % side - own) * stride for step in (1, -1)]
        stride *= side
    return np.repeat(places, len(found)), np.column_stack(found).ravel().astype(np.int32)


def write_program(case: Case) -> tuple[_core.SimulatedProgram, _core.RankNetwork | None]:
    """Write a case's program, and say what lies between its ranks."""
    network, nodes = None, []
    if case.network:
        placed = network_of(case.network, case.ranks, case.ranks_per_node)
        network, nodes = _core.RankNetwork(placed.interconnect, placed.places, 0, True), placed.numbers
    if case.name in (HALO, "incast"):
        senders, receivers = np.arange(1, case.ranks, dtype=np.int32), np.zeros(case.ranks - 1, np.int32)
        if case.name == HALO:
            senders, receivers = neighbors(placed.interconnect)
        sizes = np.full(senders.size, case.unit_bytes, np.int64)
        rounds = np.zeros(senders.size, np.uint32)
        return _core.exchange_program(case.ranks, senders, receivers, sizes, rounds, None, 1, LOGGOPS, nodes), network
    if "=" in case.name:
        sample = _core.Sample(case.name, case.ranks, 0, 1, case.unit_bytes, _core.NodePlaces("", 0, []), nodes)
        return _core.strategy_program(sample, case.unit_bytes, None, LOGGOPS, may_fold=not case.network), network
    return _core.sample_program(case.name, case.ranks, case.unit_bytes, LOGGOPS), network


def measure_here(number: int) -> list[float]:
    """Run the case of that number in this process."""

    def peak() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    before, begin = peak(), time.process_time()
    program, network = write_program(CASES[number])
    written = time.process_time()
    found = program.run("order", 0, False, None, network)
    times = [written - begin, time.process_time() - written]
    return [found.finish, found.operations, found.events, *times, peak() - before]


def measure(number: int) -> list[float]:
    """Run a case once, in a process of its own."""
    script = f"import json; from thalweg_labs.bench.simulate import measure_here as m; print(json.dumps(m({number})))"
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        case = CASES[number]
        raise ThalwegError(FAILED, f"{case.name} on {case.ranks} ranks: {done.stderr.strip()}")
    found: list[float] = json.loads(done.stdout)
    return found


def row_of(case: Case, rounds: Sequence[Sequence[float]]) -> Row:
    """Put a case's rounds together."""
    finish, operations, events, write, simulate, mebibytes = sorted(rounds, key=lambda one: one[3] + one[4])[
        len(rounds) // 2
    ]
    return Row(
        case.name,
        case.network,
        case.ranks,
        case.unit_bytes,
        int(finish),
        int(operations),
        int(events),
        round(write, 4),
        round(simulate, 4),
        round(events / max(simulate, 1e-6)),
        round(mebibytes, 1),
        case.aim_seconds,
        case.aim_events,
        case.aim_mebibytes,
        case.peer_seconds,
        case.peer_mebibytes,
    )


def run(rounds: int, ranks_max: int, packet_count: int, json_file: str, only: str = "") -> None:
    """Measure all cases of up to so many ranks whose names begin with `only`, and print or write the rows."""
    rows: list[Row | packets.Row] = []
    print(f"{'program, network':<40} {'ranks':>8} {'write s':>8} {'run s':>7} {'M ev/s':>7} {'MiB':>6}  aims; peer")
    for number, case in enumerate(CASES):
        if case.ranks > ranks_max or not case.name.startswith(only):
            continue
        row = row_of(case, [measure(number) for _ in range(rounds)])
        rows.append(row)
        print(
            f"{row.case + ' ' + row.network:<40} {row.ranks:>8} {row.write_seconds:>8.3f} {row.simulate_seconds:>7.3f} "
            f"{row.events_per_second / 1e6:>7.1f} {row.mebibytes:>6.0f}  {_beside(case)}"
        )
    if packet_count:
        rows += packets.rows_of(rounds, ranks_max, packet_count)
    if json_file:
        write_text("[\n" + ",\n".join(json.dumps(row._asdict()) for row in rows) + "\n]\n", json_file)


def _beside(case: Case) -> str:
    aims = [
        f"{case.aim_events / 1e6:g} M ev/s" if case.aim_events else "",
        f"{case.aim_seconds:g} s" if case.aim_seconds else "",
        f"{case.aim_mebibytes:g} MiB" if case.aim_mebibytes else "",
    ]
    peer = [
        f"{case.peer_seconds:g} s" if case.peer_seconds else "",
        f"{case.peer_mebibytes:g} MiB" if case.peer_mebibytes else "",
    ]
    return "; ".join(", ".join(word for word in words if word) or "-" for words in (aims, peer))
