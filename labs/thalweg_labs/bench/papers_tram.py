# SPDX-License-Identifier: BSD-3-Clause
"""Figures of L. Wesolowski and others 2014 (TRAM): streams of items over virtual meshes, against items by themselves.

A message's overheads and a byte's time follow from figures 2 and 3, whose text says at which size a message has three
quarters of the most bandwidth: then its overhead takes a third of its bytes' time. On Blue Gene/P that is 8 KiB for a
message alone, and 4 KiB for a row of them. With 340 MB/s at most (60 % of 425 MB/s are three quarters of it) each end
takes 4 us. On Blue Gene/Q each end takes 5 us, as the text says, and 16 KiB in a row then make 0.92 ns a byte.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from thalweg.simulation.ground import Costs
from thalweg.simulation.simulate import simulate
from thalweg.simulation.streams import simulate_stream
from thalweg_labs.bench.papers_rows import Request, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Machine(NamedTuple):
    """What a message costs."""

    overhead_ns: float
    """Of a processor, at each end."""
    byte_ns: float

    @property
    def costs(self) -> Costs:
        """Give it as simulations take it."""
        return Costs(loggops=f"0,{self.overhead_ns},0,{self.byte_ns},0,{1 << 30}")


BLUE_GENE_P = Machine(4000, 2.94)
BLUE_GENE_Q = Machine(5000, 0.92)
PARTITIONS = ((8, 8, 8), (8, 16, 32), (16, 32, 32), (32, 32, 32))
"""Of figure 4a."""
SHAPES = {
    "1-D": (1024,),
    "2-D": (64, 16),
    "3-D": (8, 8, 16),
    "6-D": (2, 2, 4, 2, 2, 16),
}
"""Of figure 4c: 64 nodes of 16 cores, dimensions beside each other merged."""
ITEMS = (1, 4, 16, 64, 256)
"""Of 32 bytes, to each destination, in figure 4c."""
EPIDEMIC = {
    512: {"2-D": (16, 32), "3-D": (8, 8, 8), "6-D": (2, 2, 2, 4, 4, 4)},
    2048: {"2-D": (32, 64), "3-D": (8, 16, 16), "6-D": (2, 4, 4, 4, 4, 4)},
    8192: {"2-D": (64, 128), "3-D": (16, 16, 32), "6-D": (4, 4, 4, 4, 4, 8)},
}
VISITS = 5.5e9
"""Of California in all: 6900 s on 8 nodes, 10 us each (table III)."""
PHASES = 100
MESSAGE_US = 10.0
UNSAID = (
    "TRAM, figure 4a: the most that a link of Blue Gene/P carries: 425 MB/s; one round of 32 bytes to each destination",
    "TRAM: what putting an item into a buffer takes: what Thalweg's streams take on this machine, which is faster",
    "TRAM: what the network takes beside the ends' own links: nothing; the end of a phase: nothing",
    "TRAM, figure 4c: cores a node: 16; items of 32 bytes; buffers of 32 KiB",
    "TRAM, figures 7 and 8: into how many phases the 5.5e9 visits fall: 100; a node is one rank",
    "TRAM, figure 8: buffering by hand is not simulated; what is computed beside the messages neither",
)


def all_to_all(sides: Sequence[int]) -> Row:
    """Compare a round of 32 bytes to each destination, straight and by buffers of 2 KiB (figure 4a)."""
    ranks = math.prod(sides)
    costs = BLUE_GENE_P.costs
    straight = simulate("alltoall", "direct", ranks, 32, explained_max=0, costs=costs)
    stream = simulate_stream(sides, ranks, 32, buffer_bytes=2048, explained_max=0, costs=costs)
    shape = "x".join(map(str, sides))
    return Row("TRAM 4a", f"{shape}: direct by TRAM", straight.finish / stream.finish, 0, "", "3.5 to 6.25")


def shapes(items: Sequence[int] = ITEMS) -> list[Row]:
    """Compare meshes by what each destination gets (figure 4c)."""
    rows = []
    ratios, buffered = [], []
    for count in items:
        times = {
            name: simulate_stream(
                sides, count * 1024, 32, buffer_bytes=32768, explained_max=0, costs=BLUE_GENE_Q.costs
            ).finish
            / 1e6
            for name, sides in SHAPES.items()
        }
        ratios.append(max(times.values()) / min(times.values()))
        buffered.append(max(list(times.values())[1:]) / min(times.values()))
        best = min(times, key=lambda name: times[name])
        for name, value in times.items():
            paper = ""
            if name == best:
                paper = "3-D is best for little" if count == items[0] else "2-D for much" if count == items[-1] else ""
            rows.append(Row("TRAM 4c", f"{count * 32} bytes: {name}", value, 0, "ms", paper))
    rows.append(Row("TRAM 4c", "worst by best, at most", max(ratios), 0, "", "up to 4.4"))
    return [*rows, Row("TRAM 4c", "the same without 1-D", max(buffered), 0, "", "")]


def epidemic(nodes: int) -> list[Row]:
    """Compare meshes and direct sends for California's visits (figures 7 and 8)."""
    items = max(1, round(VISITS / PHASES / nodes))
    times = {
        name: simulate_stream(sides, items, 48, buffer_bytes=64 * 50, explained_max=0, costs=BLUE_GENE_Q.costs).finish
        / 1e9
        * PHASES
        for name, sides in EPIDEMIC[nodes].items()
    }
    rows = [Row("TRAM 7", f"{nodes} nodes: messages, {name}", value, 0, "s", "") for name, value in times.items()]
    said = "slightly above 1" if nodes == max(EPIDEMIC) else "slightly below 1"
    rows.append(Row("TRAM 7", f"{nodes} nodes: 3-D by 6-D", times["3-D"] / times["6-D"], 0, "", said))
    straight = items * PHASES * MESSAGE_US / 1e6
    rows.append(Row("TRAM 8", f"{nodes} nodes: messages, none combined, by 6-D", straight / times["6-D"], 0, "", ""))
    return rows


def figures(request: Request) -> Iterator[list[Row]]:
    """Simulate all figures of up to so many ranks."""
    for sides in PARTITIONS:
        if math.prod(sides) <= request.ranks_max:
            yield [all_to_all(sides)]
    if request.ranks_max >= math.prod(SHAPES["2-D"]):
        yield shapes()
    for nodes in EPIDEMIC:
        if nodes <= request.ranks_max:
            yield epidemic(nodes)
