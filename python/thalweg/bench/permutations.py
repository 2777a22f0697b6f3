"""Single steps of cyclic and prefix exchanges on a simulated tree: which are free of contention, and how fast they are.

S. Kumar 2005, figures 4.3 and 4.4: a cyclic shift is free for 1, 2 or 3 times a power of the arity, a prefix exchange
always. That is so whatever ways up switches choose. By destination all shifts are (Zahavi 2010).
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from thalweg.simulation.network import Routers, find_contention, simulate_permutation

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


class Request(NamedTuple):
    """What to run."""

    topology: str
    steps: Sequence[int]
    message_bytes: int
    buffers: int


def rows_of(request: Request) -> list[Row]:
    """Check and simulate every step."""
    routers = Routers(buffers=request.buffers, interface_ns=0)
    transfer = request.message_bytes * 8 / routers.gigabits

    def row(task: tuple[str, int]) -> Row:
        kind, step = task
        pattern = f"{kind}:{step}"
        found = find_contention(request.topology, pattern)
        times = [
            simulate_permutation(
                request.topology, pattern, request.message_bytes, routing=routing, routers=routers
            ).finish
            for routing in ROUTINGS
        ]
        parts = [round(transfer / each, 4) for each in times]
        return Row(kind, step, found.is_free_any_way, found.by_destination, parts[0], parts[1])

    with ThreadPoolExecutor() as pool:
        return list(pool.map(row, [(kind, step) for kind in ("shift", "exchange") for step in request.steps]))


def run(request: Request, json_file: str) -> None:
    """Print or write a row for each step."""
    rows = rows_of(request)
    print(f"{request.topology}, messages of {request.message_bytes} bytes; bandwidths as parts of a channel's\n")
    print("step            free any way   adaptive up   load by destination   up by destination")
    for row in rows:
        free = "yes" if row.is_free_any_way else "no"
        print(
            f"{f'{row.exchange} {row.step}':<15} {free:<14} {row.adaptive_bandwidth:<13.3f} "
            f"{row.max_load_by_destination:<21} {row.by_destination_bandwidth:.3f}"
        )
    if json_file:
        with open(json_file, "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(json.dumps(row._asdict()) for row in rows) + "\n]\n")
