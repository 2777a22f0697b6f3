# SPDX-License-Identifier: BSD-3-Clause
"""How fast packets are simulated: processor seconds and memory of points of load, each in a process of its own.

BookSim2 did about 0.13 million packet-hops a second on 256 nodes, and needed 6.4 to 21 s for a point at load 0.7 (AMD
EPYC, 2026-11-26; its packets had 8 flits). A packet-hop is a packet through a switch.
"""

import json
import subprocess
import sys
from statistics import median
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError

AIM_SMALL = 2e6
AIM_LARGE = 1e6
BOOKSIM = 0.13e6


class Case(NamedTuple):
    """A network under a load."""

    topology: str
    nodes: int
    pattern: str
    load: float
    aim: float
    """Packet-hops a second."""
    peer: float = 0


CASES = (
    *(
        Case(topology, 256, "uniform", load, AIM_SMALL, BOOKSIM)
        for topology in ("tree:16^2", "tree:4^4")
        for load in (0.1, 0.5, 0.9)
    ),
    Case("tree:16^2", 256, "transpose", 0.7, AIM_SMALL, BOOKSIM),
    Case("tree:16^3", 4096, "uniform", 0.5, AIM_LARGE),
    Case("tree:4^6", 4096, "uniform", 0.5, AIM_LARGE),
    Case("torus:16x16x16", 4096, "uniform", 0.3, AIM_LARGE),
    Case("dragonfly:4x8x4", 1056, "uniform", 0.5, AIM_LARGE),
)


class Row(NamedTuple):
    """What a case took; the median of the rounds."""

    case: str
    nodes: int
    hops: int
    seconds: float
    hops_per_second: float
    mebibytes: float
    aim_hops_per_second: float
    peer_hops_per_second: float


_MEASURE = """
import json, sys, time
from pathlib import Path
from thalweg import _core
topology, pattern, load, packets = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
peak = lambda: int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
before, begin = peak(), time.process_time()
network = _core.PacketNetwork(_core.Interconnect(topology), "", _core.RouterOptions())
found = network.measure(pattern, load, 0, 0, 1, 0, packets, None)
print(json.dumps([found.hops, time.process_time() - begin, peak() - before]))
"""


def measure(case: Case, packets: int) -> list[float]:
    """Run a case once, in a process of its own."""
    words = [sys.executable, "-c", _MEASURE, case.topology, case.pattern, str(case.load), str(packets)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ThalwegError(FAILED, f"packets on {case.topology}: {done.stderr.strip()}")
    found: list[float] = json.loads(done.stdout)
    return found


def rows_of(rounds: int, nodes_max: int, packets: int = 200_000) -> list[Row]:
    """Measure all cases of up to so many nodes, and print them."""
    rows = []
    print(f"\n{'packets':<40} {'nodes':>6} {'s':>7} {'M hops/s':>9} {'MiB':>6}  aim; BookSim2")
    for case in CASES:
        if case.nodes > nodes_max:
            continue
        found = [measure(case, packets) for _ in range(rounds)]
        seconds = median(one[1] for one in found)
        hops = int(found[0][0])
        name = f"{case.pattern} at {case.load} on {case.topology}"
        row = Row(
            name,
            case.nodes,
            hops,
            round(seconds, 3),
            round(hops / max(seconds, 1e-6)),
            round(median(one[2] for one in found), 1),
            case.aim,
            case.peer,
        )
        rows.append(row)
        peer = f"{case.peer / 1e6:g} M" if case.peer else "-"
        print(
            f"{name:<40} {row.nodes:>6} {row.seconds:>7.3f} {row.hops_per_second / 1e6:>9.2f} {row.mebibytes:>6.0f}  "
            f"{case.aim / 1e6:g} M; {peer}"
        )
    return rows
