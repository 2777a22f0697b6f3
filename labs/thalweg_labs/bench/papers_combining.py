# SPDX-License-Identifier: BSD-3-Clause
"""Chapter 3 of S. Kumar 2005: messages combined over virtual meshes, by size and by degree, on level loggp.

Costs are those of section 2.4 for QsNet: 11 us and 8 ns a byte for a message, 16 us and 5 ns from 288 bytes to 2 KB.
Combined messages take 2.5 us more (section 3.2). Half of the time of a message is its sender's. Processors of a node
share its interface, so a byte takes each of four four times as long.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from thalweg import _core
from thalweg.simulation.simulate import simulate
from thalweg_labs.bench.papers_rows import Request, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from thalweg.simulation.results import Simulation

QSNET = (("288B", 11.0, 8.0), ("2KiB", 16.0, 5.0), ("any", 11.0, 8.0))
"""Messages up to so many bytes: microseconds of each, and nanoseconds of a byte."""
COMBINING_US = 2.5
PROCESSORS = (4, 1)
"""Of a node that share its interface."""
SIZES = (64, 128, 256, 512, 1024, 2048, 4096)
DEGREES = (64, 128, 256, 512, 1024, 2047)
SCALES = (64, 128, 256, 512, 1024, 2048)
UNSAID = (
    "chapter 3: what four processors of a node do to a message: a byte takes four times as long; or (1 a node) nothing",
    "chapter 3: which ranks are holes: the last ones, as in its section 3.1; 513 ranks are 23x23 less 16",
    "chapter 3: what a combined message says of its own: the length of each block, a byte of an empty one",
    "chapter 3: what MPI's all-to-all does: it is not simulated",
)


def machine_of(processors: int, *, combines: bool) -> _core.Machine:
    """Make a machine whose network is QsNet, with so many processors of a node at a time."""
    text = _core.default_machine().to_text()
    row = text[text.index("[[network.message]]") : text.index("[[copy]]")]
    ranges = []
    for limit, alpha, beta in QSNET:
        half = (alpha + (COMBINING_US if combines else 0)) / 2
        one = row.split("[[network.message]]")[1]
        for key, value in (
            ("bytes", limit), ("latency", "0 ps"), ("send", f"{half} us"), ("send_per_byte", "0 ps"),
            ("receive", f"{half} us"), ("receive_per_byte", "0 ps"), ("gap", "0 ps"),
            ("gap_per_byte", f"{beta * processors} ns"),
        ):  # fmt: skip
            one = re.sub(rf'^{key} = ".*"', f'{key} = "{value}"', one, flags=re.MULTILINE)
        ranges.append("[[network.message]]" + one)
    return _core.parse_machine(text.replace(row, "".join(ranges)), "QsNet")


def neighbor_send(ranks: int, degree: int, size: int, strategy: str, processors: int = 4) -> Simulation:
    """Simulate each rank sending a message to each of the next ranks, by a strategy of the index."""
    machine = machine_of(processors, combines=strategy != "direct")
    return simulate("alltoallv", strategy, ranks, size, degree=degree, machine=machine, explained_max=0)


def _ways(ranks: int) -> dict[str, str]:
    ways = {"direct": "direct", "2-D": "mesh2d", "3-D": "mesh3d"}
    return ways | ({"hypercube": "hypercube"} if ranks & (ranks - 1) == 0 else {})


def _milliseconds(ranks: int, degree: int, size: int, processors: int = 4) -> dict[str, float]:
    return {
        way: neighbor_send(ranks, degree, size, strategy, processors).finish / 1e6
        for way, strategy in _ways(ranks).items()
    }


def _best(times: dict[str, float]) -> str:
    return min(times, key=lambda way: times[way])


def by_size(ranks: int, figure: str, sizes: Sequence[int] = SIZES, processors: int = 4) -> list[Row]:
    """Give all-to-all exchanges by size, and up to which size combining is faster than going straight."""
    found = {size: _milliseconds(ranks, ranks - 1, size, processors) for size in sizes}
    name = f"{ranks} ranks, {processors} a node"
    rows = [
        Row(figure, f"{name}, {size} bytes, {way}", value, 0, "ms", "")
        for size, times in found.items()
        for way, value in times.items()
    ]
    for way in ("2-D", "3-D"):
        faster = [size for size, times in found.items() if times[way] < times["direct"]]
        case = f"{name}: {way} is faster than direct up to"
        rows.append(Row(figure, case, max(faster, default=0), 0, "bytes", "below 1000"))
    return rows


def by_ranks(scales: Sequence[int] = SCALES) -> list[Row]:
    """Give all-to-all exchanges of 76 bytes on ever more ranks."""
    rows = []
    for ranks in scales:
        times = _milliseconds(ranks, ranks - 1, 76)
        for way, value in times.items():
            paper = "32 (the best)" if ranks == SCALES[-1] and way == _best(times) else ""
            rows.append(Row("3.6", f"{ranks} ranks, 76 bytes, {way}", value, 0, "ms", paper))
    return rows


def by_degree(
    size: int, figure: str, ranks: int = 2048, degrees: Sequence[int] = DEGREES, processors: int = 4
) -> list[Row]:
    """Give exchanges with so many ranks, and up to which degree what is faster."""
    found = {degree: _milliseconds(ranks, degree, size, processors) for degree in degrees}
    name = f"{size} bytes, {processors} a node"
    rows = [
        Row(figure, f"{name}, degree {degree}, {way}", value, 0, "ms", "")
        for degree, times in found.items()
        for way, value in times.items()
    ]
    straight = [degree for degree, times in found.items() if _best(times) == "direct"]
    rows.append(Row(figure, f"{name}: direct is best up to", max(straight, default=0), 0, "", "small degrees"))
    deep = [degree for degree, times in found.items() if times["3-D"] < times["2-D"]]
    paper = "all" if size < QSNET_SMALL else "512"
    rows.append(Row(figure, f"{name}: 3-D is faster than 2-D up to", max(deep, default=0), 0, "", paper))
    return rows


QSNET_SMALL = 288
"""Bytes of messages that go with the rendezvous."""


def processor_time(ranks: int = 1024, size: int = 8192) -> list[Row]:
    """Give what an exchange over a mesh takes, and the processors' part of it."""
    found = neighbor_send(ranks, ranks - 1, size, "mesh2d")
    case = f"{ranks} ranks, {size} bytes, 2-D"
    return [
        Row("3.7", f"{case}: time", found.finish / 1e6, 0, "ms", "about 800"),
        Row("3.7", f"{case}: processors", float(found.busy.mean()) / 1e6, 0, "ms", "less than 32"),
    ]


def fewer_processors() -> list[Row]:
    """Compare 513 ranks with three on a node to 512 with four."""
    three = neighbor_send(513, 512, 1024, "mesh2d", 3).finish
    four = neighbor_send(512, 511, 1024, "mesh2d", 4).finish
    return [Row("3.8", "1 KB, 2-D: 3 of 4 processors by all 4", three / four, 0, "", "much better")]


def figures(request: Request) -> Iterator[list[Row]]:
    """Simulate all figures of up to so many ranks."""
    if request.ranks_max >= 512:
        yield from (by_size(512, "3.4", processors=processors) for processors in PROCESSORS)
        yield fewer_processors()
    if request.ranks_max >= 1024:
        yield from (by_size(1024, "3.5", processors=processors) for processors in PROCESSORS)
        yield processor_time()
    yield by_ranks([ranks for ranks in SCALES if ranks <= request.ranks_max])
    if request.ranks_max >= 2048:
        for processors in PROCESSORS:
            yield by_degree(76, "3.16", processors=processors)
            yield by_degree(476, "3.17", processors=processors)
