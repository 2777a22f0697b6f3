# SPDX-License-Identifier: BSD-3-Clause
"""Single steps of cyclic and prefix exchanges on a simulated tree: which are free of contention, and how fast they are.

S. Kumar 2005, figures 4.3 and 4.4: a cyclic shift is free for 1, 2 or 3 times a power of the arity, a prefix exchange
always. That is so whatever ways up switches choose. By destination all shifts are (Zahavi 2010).

A lab's routers go up by destination. So what its hosts measure on such a tree stands beside that column.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from thalweg.lab.hosts import Lab, bits_per_second
from thalweg.simulation.network import (
    Routers,
    find_contention,
    network_nodes,
    permutation_of,
    simulate_permutation,
)
from thalweg.text_files import write_text
from thalweg.trials.compiler import compiled_program
from thalweg_labs.bench.lab_jobs import made_lab, output_of

PROGRAM = Path(__file__).parent / "program" / "mapped.c"
ROUTINGS = ("adaptive_up", "up_by_destination")


class Row(NamedTuple):
    """A step."""

    exchange: str
    step: int
    is_free_any_way: bool
    max_load_by_destination: int
    """Of a channel."""
    adaptive_bandwidth: float
    """Of the slowest node, as a part of a channel's."""
    by_destination_bandwidth: float
    lab_bandwidth: float | None
    """Of payload, by the slowest host of a lab, as a part of its links' rate; none without a lab."""


class LabRequest(NamedTuple):
    """On which lab to measure."""

    mpi: str
    rate: str
    """Of each link, in the words of tc."""

    message_bytes: int
    rounds: int


class Request(NamedTuple):
    """What to run."""

    topology: str
    steps: Sequence[int]
    message_bytes: int
    buffers: int
    lab: LabRequest | None = None


def rows_of(request: Request) -> list[Row]:
    """Check and simulate every step that is none of a whole round; measure it where a lab is asked for."""
    nodes = network_nodes(request.topology)
    tasks = [(kind, step) for kind in ("shift", "exchange") for step in request.steps if step < nodes]
    with ThreadPoolExecutor() as pool:
        rows = list(pool.map(lambda task: _simulated(request, *task), tasks))
    if request.lab is None:
        return rows
    with _measured_on(request.topology, nodes, request.lab) as measure:
        return [row._replace(lab_bandwidth=measure(f"{row.exchange}:{row.step}")) for row in rows]


def _simulated(request: Request, kind: str, step: int) -> Row:
    routers = Routers(buffers=request.buffers, interface_ns=0)
    transfer = request.message_bytes * 8 / routers.gigabits
    pattern = f"{kind}:{step}"
    found = find_contention(request.topology, pattern)
    times = [
        simulate_permutation(request.topology, pattern, request.message_bytes, routing=routing, routers=routers).finish
        for routing in ROUTINGS
    ]
    parts = [round(transfer / each, 4) for each in times]
    return Row(kind, step, found.is_free_any_way, found.by_destination, parts[0], parts[1], None)


@contextmanager
def _measured_on(topology: str, nodes: int, request: LabRequest) -> Iterator[Callable[[str], float]]:
    """Make a lab of that shape with a host at each node; gives what measures a permutation there."""
    program = compiled_program("mapped", [PROGRAM], request.mpi, os.environ)
    alone = request.message_bytes * 8 / bits_per_second(request.rate)
    with made_lab(f"steps{os.getpid()}", nodes, topology, (request.rate, ""), 0) as lab:

        def measure(pattern: str) -> float:
            return round(alone / _seconds(lab, program, pattern, request), 4)

        yield measure


def _seconds(lab: Lab, program: str, pattern: str, request: LabRequest) -> float:
    """Let all hosts send to their partners at once: the median of the slowest one's time."""
    partners = permutation_of(pattern, lab.hosts)
    messages = [f"{host} {partner} {request.message_bytes}" for host, partner in enumerate(partners)]
    ranks = " ".join(map(str, range(lab.hosts)))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(["1", str(len(messages)), *messages, "1", ranks]) + "\n")
        file.flush()
        return float(output_of(lab, [program, file.name, str(request.rounds)], ["--native"]))


def run(request: Request, json_file: str) -> None:
    """Print or write a row for each step."""
    rows = rows_of(request)
    print(f"{request.topology}, messages of {request.message_bytes} bytes; bandwidths as parts of a channel's\n")
    print("step            free any way   adaptive up   load by destination   up by destination   measured in a lab")
    for row in rows:
        free = "yes" if row.is_free_any_way else "no"
        measured = "" if row.lab_bandwidth is None else f"{row.lab_bandwidth:.3f}"
        print(
            f"{f'{row.exchange} {row.step}':<15} {free:<14} {row.adaptive_bandwidth:<13.3f} "
            f"{row.max_load_by_destination:<21} {row.by_destination_bandwidth:<19.3f} {measured}".rstrip()
        )
    if json_file:
        write_text("[\n" + ",\n".join(json.dumps(row._asdict()) for row in rows) + "\n]\n", json_file)
