# SPDX-License-Identifier: BSD-3-Clause
"""Table 4.1 of S. Kumar 2005: all-to-all multicasts on a 4-ary 4-tree, contiguous and with missing nodes.

QsNet's packets have 320 bytes, and a node has one of them on its way until it is acknowledged. What that takes follows
from table 2.8, whose bandwidths fall with the levels of the tree: 300, 292, 267 and 233 MB/s. A packet so takes 1066.7
ns on a link. From 64 to 256 nodes there are two links and two switches more each way, which take 174.9 ns in all, so
one of each 43.7 ns; 35 ns of these are taken for the switch. What is left for the turn at the receiver is 744 ns.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from thalweg.simulation.ground import Costs
from thalweg.simulation.network import Routers
from thalweg.simulation.simulate import simulate
from thalweg_labs.bench.papers_rows import Request, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PACKET_BYTES = 320
PACKET_NS = 1066.7
MAIN_MEMORY_NS = PACKET_BYTES / 0.128
"""Of a packet at 128 MB/s: table 2.6, from main memory with traffic both ways."""
QSNET = Routers(packet_bytes=PACKET_BYTES, channel_ns=8.7, switch_ns=35, window=1, turnaround_ns=744)
NODES = 256
TREE = "tree:4^4"
UNIT_BYTES = 16384
STRATEGIES = ("k_shift", "k_prefix", "prefix", "ring")
UNSAID = (
    "table 4.1: which nodes are missing: the one after a third of them, and the one after two thirds",
    "table 4.1: which of the common ancestors a packet goes by: up by the shortest queue",
    "table 4.1: how much of a hop's 43.7 ns is the switch: 35; table 2.8's 292 MB/s on 16 nodes would be 300 here",
    "table 4.1: what processors, copies into the interface's memory and barriers take: nothing; messages of 16 KiB",
    "table 4.1: what Lemieux' MPI does: beside it is the ring, whose messages come from main memory at 128 MB/s",
)


class Allocation(NamedTuple):
    """Nodes of a job, with the text's MB/s of each strategy, and of MPI where the ring is; 0: none."""

    ranks: int
    missing: int
    text: dict[str, int]


ALLOCATIONS = (
    Allocation(64, 0, {"k_shift": 507, "k_prefix": 531, "prefix": 520, "ring": 225}),
    Allocation(128, 0, {"k_shift": 432, "k_prefix": 519, "prefix": 428, "ring": 198}),
    Allocation(144, 0, {"k_shift": 433, "k_prefix": 521, "ring": 187}),
    Allocation(192, 0, {"k_shift": 416, "k_prefix": 516}),
    Allocation(256, 0, {"k_shift": 405, "k_prefix": 511, "prefix": 429, "ring": 190}),
    Allocation(128, 1, {"k_shift": 392, "k_prefix": 338, "prefix": 316, "ring": 143}),
    Allocation(128, 2, {"k_shift": 399, "k_prefix": 373, "ring": 112}),
    Allocation(240, 1, {"k_shift": 394, "k_prefix": 346, "ring": 138}),
)


def bandwidth(allocation: Allocation, strategy: str, unit_bytes: int = UNIT_BYTES) -> float:
    """Give what a node sends and receives, in MB/s; messages from main memory in the ring."""
    ranks = allocation.ranks
    packet_ns = MAIN_MEMORY_NS if strategy == "ring" else PACKET_NS
    missing = [place * ranks // 3 for place in range(1, allocation.missing + 1)]
    found = simulate(
        "allgather",
        strategy,
        ranks,
        unit_bytes,
        parameters={"barrier": "step"} if strategy != "ring" else None,
        explained_max=0,
        costs=Costs(
            loggops=f"0,0,0,{packet_ns / PACKET_BYTES},0,{1 << 30}",
            network=TREE,
            without=missing,
            level="packet",
            routing="adaptive_up",
            routers=QSNET,
        ),
    )
    return 2e3 * unit_bytes * (ranks - 1) / found.finish


def figures(request: Request) -> Iterator[list[Row]]:
    """Give the table's rows of up to so many ranks."""
    yield from table([one for one in ALLOCATIONS if one.ranks <= request.ranks_max])


def table(allocations: Sequence[Allocation], unit_bytes: int = UNIT_BYTES) -> Iterator[list[Row]]:
    """Give a row for each strategy on each allocation, and how k_shift compares to k_prefix there."""
    tasks = [(one, strategy) for one in allocations for strategy in STRATEGIES if strategy in one.text]
    with ThreadPoolExecutor() as pool:
        values = pool.map(lambda task: bandwidth(task[0], task[1], unit_bytes), tasks)
        found = dict(zip(map(str, tasks), values, strict=True))
    for one in allocations:
        nodes = f"{one.ranks} nodes" + (f", {one.missing} missing" if one.missing else "")
        ours = {strategy: found[str((one, strategy))] for strategy in STRATEGIES if strategy in one.text}
        names = {"ring": "ring; text: MPI"}
        rows = [
            Row("table 4.1", f"{nodes}: {names.get(strategy, strategy)}", value, 0, "MB/s", str(one.text[strategy]))
            for strategy, value in ours.items()
        ]
        ratio = one.text["k_shift"] / one.text["k_prefix"]
        mine = ours["k_shift"] / ours["k_prefix"]
        yield [*rows, Row("table 4.1", f"{nodes}: k_shift by k_prefix", mine, 0, "", f"{ratio:.2f}")]
