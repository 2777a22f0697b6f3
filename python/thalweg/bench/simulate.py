"""Simulations of many ranks: processor time and memory, each in a process of its own.

Aims and the peer's figures stand beside. These are of LogGOPSim 76451de with its generator and txt2bin, in processor
seconds, measured on an AMD EPYC on 2026-11-26. Those of the large broadcast are wall seconds of another day. There are
none where it did not come to an end. The last rows are of strategies, whose schedules are written and simulated.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from thalweg.bench import packets
from thalweg.errors import FAILED, ThalwegError

LOGGOPS = "2500,1500,1000,6,0,65535"


class Case(NamedTuple):
    """A program, what it should take at most, and what LogGOPSim took; 0 where there is nothing to say."""

    name: str
    ranks: int
    unit_bytes: int
    aim_seconds: float = 0
    aim_events: float = 0
    """A second."""
    aim_mebibytes: float = 0
    peer_seconds: float = 0
    peer_mebibytes: float = 0


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
)


class Row(NamedTuple):
    """What a case took: the median of the rounds."""

    case: str
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


_MEASURE = """
import json, resource, sys, time
from thalweg import _core
name, ranks, size, loggops = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, begin = peak(), time.process_time()
if "=" in name:
    program = _core.strategy_program(_core.Sample(name, ranks, 0, 1, size), size, None, loggops)
else:
    program = _core.sample_program(name, ranks, size, loggops)
written = time.process_time()
found = program.run("order", 0, False, None)
print(json.dumps([found.finish, found.operations, found.events, written - begin, time.process_time() - written,
                  peak() - before]))
"""


def measure(case: Case) -> list[float]:
    """Run a case once, in a process of its own."""
    words = [sys.executable, "-c", _MEASURE, case.name, str(case.ranks), str(case.unit_bytes), LOGGOPS]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
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


def run(rounds: int, ranks_max: int, packet_count: int, json_file: str) -> None:
    """Measure all cases of up to so many ranks, and print or write the rows."""
    rows: list[Row | packets.Row] = []
    print(f"{'program':<29} {'ranks':>8} {'write s':>8} {'run s':>7} {'M ev/s':>7} {'MiB':>6}  aims; LogGOPSim")
    for case in CASES:
        if case.ranks > ranks_max:
            continue
        row = row_of(case, [measure(case) for _ in range(rounds)])
        rows.append(row)
        print(
            f"{row.case:<29} {row.ranks:>8} {row.write_seconds:>8.3f} {row.simulate_seconds:>7.3f} "
            f"{row.events_per_second / 1e6:>7.1f} {row.mebibytes:>6.0f}  {_beside(case)}"
        )
    if packet_count:
        rows += packets.rows_of(rounds, ranks_max, packet_count)
    if json_file:
        with open(json_file, "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(json.dumps(row._asdict()) for row in rows) + "\n]\n")


def _beside(case: Case) -> str:
    aims = [
        f"{case.aim_events / 1e6:g} M ev/s" if case.aim_events else "",
        f"{case.aim_seconds:g} s" if case.aim_seconds else "",
        f"{case.aim_mebibytes:g} MiB" if case.aim_mebibytes else "",
    ]
    peer = f"{case.peer_seconds:g} s, {case.peer_mebibytes:g} MiB" if case.peer_seconds else "-"
    return f"{', '.join(aim for aim in aims if aim) or '-'}; {peer}"
