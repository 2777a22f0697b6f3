# SPDX-License-Identifier: BSD-3-Clause
"""Chapter 8 of S. Kumar 2005: routers with multicasts and reductions under load."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg.simulation.network import (
    NetworkSimulation,
    Routers,
    simulate_molecular_dynamics,
    simulate_network,
    simulate_reduction,
)
from thalweg.simulation.network_picture import draw_loads
from thalweg_labs.bench.papers_rows import Request, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RADICES = {8: "tree:4^4", 32: "tree:16^2"}
"""Ports of a switch, and the tree of 256 nodes."""
PATTERNS = ("uniform", "transpose", "bit_reversal", "bit_complement")
LOADS = tuple(step / 10 for step in range(1, 11))
REDUCED_BYTES = (8, 16, 32, 64, 72, 80, 96, 128, 256, 512, 1024, 2048, 4096)
WAYS_TO_REDUCE = {
    "8 ports": (8, Routers(units=1)),
    "32 ports": (32, Routers(units=1)),
    "32 ports, 5 units": (32, Routers(units=5)),
    "32 ports, 5 units in turn": (32, Routers(units=5, unit_subsets="round_robin")),
}
SENT_BYTES = (64, 256, 1024, 2048)
ROUNDS = 10
UNSAID = (
    "which credit rule is meant: figures are with a counter for each crosspoint, those with one a link stand beside",
    "how an output chooses among its crosspoints: in turn; how ties of parents end: the first from a random one on",
    "messages to oneself: 16 of 256 nodes in transpose and bit reversal; they send nothing, and are not counted",
    "how random sets of nodes get their trees: each packet finds its own built; exactly the mean fanout",
    "buffers of the multicasts' switches: 4 packets; of 2x8 both 2 and 4 are shown",
    "cycles that an element takes: 1 for 4 bytes, as of a float; with 8 bytes 8 ports win from some 210 bytes on",
    "how a leaf unit knows that all have contributed: reductions name the node that gets the result",
    "how often molecular dynamics sends, and how much: 10 multicasts of each sender without a pause",
    "interfaces: latency under loads; for molecular dynamics 1300 ns for each message, one at a time",
)


def figures(request: Request) -> Iterator[list[Row]]:
    """Simulate all figures, and draw those over load into a folder."""
    yield from _loads(request)
    yield from _multicasts(request)
    yield reductions()
    yield molecular_dynamics()


_TEXT = {
    ("bit_complement", 32, 4): "1.00",
    ("uniform", 32, 4): "good (a figure that cannot be read)",
    ("transpose", 32, 4): "good (a figure that cannot be read)",
    ("bit_reversal", 32, 4): "good (a figure that cannot be read)",
}


def _loads(request: Request) -> Iterator[list[Row]]:
    figures = {(8, 2): "8.8, 8.9", (8, 4): "8.10, 8.11", (32, 2): "8.12, 8.13", (32, 4): "8.14, 8.15"}
    for (ports, buffers), figure in figures.items():
        found = [
            simulate_network(RADICES[ports], pattern, LOADS, routers=Routers(buffers=buffers), packets=request.packets)
            for pattern in PATTERNS
        ]
        _draw(request, found, figure)
        rows = []
        for one in found:
            case = f"{one.pattern}, {ports} ports, {buffers} packets"
            rows.append(_carried(figure, case, one, _TEXT.get((one.pattern, ports, buffers), "")))
            by_link = simulate_network(
                RADICES[ports],
                one.pattern,
                (1.0,),
                routers=Routers(buffers=buffers, credit_rule="link"),
                packets=request.packets,
            )
            rows.append(_carried(figure, f"{case}, a counter a link", by_link, ""))
            rows += _latencies(figure, case, one, ports, buffers)
        yield rows


def _carried(figure: str, case: str, found: NetworkSimulation, paper: str) -> Row:
    return Row(figure, f"{case}: carries", *found.saturation, "load", paper)


def _latencies(figure: str, case: str, found: NetworkSimulation, ports: int, buffers: int) -> list[Row]:
    blow_up = "grows only above 0.9" if (ports, buffers) == (32, 4) and found.pattern.endswith(("ose", "sal")) else ""
    rows = [Row(figure, f"{case}: stable up to", found.stable_load, 0, "load", blow_up)]
    for load in (0.1, 0.5, 0.9):
        place = LOADS.index(load)
        if not found.saturated[place]:
            width = float(found.latency_half_widths[place])
            rows.append(Row(figure, f"{case}: latency at {load}", float(found.latencies[place]), width, "ns", ""))
    return rows


def _multicasts(request: Request) -> Iterator[list[Row]]:
    one_switch = [step / 20 for step in range(2, 7)]
    two_senders = [step / 20 for step in range(10, 21)]
    tree = [step / 100 for step in range(3, 16)]
    cases: list[tuple[str, str, str, int, int, list[float], str]] = [
        ("8.16", "8x8 switch, fanout 4", "star:8", 4, 0, one_switch, "close to 0.25; VOQ 0.22"),
        ("8.17", "2x8 switch, fanout 4", "star:8", 4, 2, two_senders, "0.8; VOQ 0.65"),
        ("8.18", "256 nodes, 8 ports, fanout 8", RADICES[8], 8, 0, tree, "latency stable below 0.125"),
        ("8.18", "256 nodes, 32 ports, fanout 8", RADICES[32], 8, 0, tree, "latency stable below 0.125"),
    ]
    for figure, name, topology, fanout, senders, loads, paper in cases:
        rows = []
        for buffers in (4, 2) if senders else (4,):
            for credit in ("crosspoint", "link"):
                found = simulate_network(
                    topology,
                    loads=loads,
                    routers=Routers(buffers=buffers, credit_rule=credit),
                    fanout=fanout,
                    senders=senders,
                    packets=request.packets * (4 if figure == "8.18" else 1),  # buffers of a tree take long to fill
                )
                rule = "" if credit == "crosspoint" else ", a counter a link"
                case = f"{name}, {buffers} packets{rule}"
                rows.append(_carried(figure, case, found, paper))
                rows.append(Row(figure, f"{case}: stable up to", found.stable_load, 0, "load", ""))
                if credit == "crosspoint" and buffers == Routers.buffers:
                    _draw(request, [found], f"{figure} {topology.partition(':')[2]}")
        yield rows


def reductions(sizes: Sequence[int] = REDUCED_BYTES) -> list[Row]:
    """Give times by size, and the first size from which 8 ports are faster than 32."""

    def finish(task: tuple[str, int]) -> float:
        ports, routers = WAYS_TO_REDUCE[task[0]]
        return simulate_reduction(RADICES[ports], task[1], routers=routers).finish / 1e3

    tasks = [(way, size) for way in WAYS_TO_REDUCE for size in sizes]
    with ThreadPoolExecutor() as pool:
        times = dict(zip(tasks, pool.map(finish, tasks), strict=True))
    rows = [Row("8.19", f"{way}, {size} bytes", times[way, size], 0, "us", "") for way, size in tasks]
    slower = [size for size in sizes if times["32 ports", size] > times["8 ports", size]]
    rows.append(Row("8.19", "8 ports are faster from", min(slower, default=0), 0, "bytes", "above 64"))
    mended = [size for size in sizes if times["32 ports, 5 units", size] > times["8 ports", size]]
    rows.append(Row("8.19", "and than 5 units from (0: never)", min(mended, default=0), 0, "bytes", "5 units mend it"))
    return rows


def molecular_dynamics(sizes: Sequence[int] = SENT_BYTES) -> list[Row]:
    """Give times by size, in switches and point to point."""
    rows = []
    for figure, ports in (("8.20", 8), ("8.21", 32)):
        for size in sizes:
            ways = [
                simulate_molecular_dynamics(RADICES[ports], size, rounds=ROUNDS, in_switches=in_switches).finish / 1e3
                for in_switches in (True, False)
            ]
            case = f"{ports} ports, {size} bytes"
            rows.append(Row(figure, f"{case}: multicast in switches", ways[0], 0, "us", ""))
            rows.append(Row(figure, f"{case}: point to point", ways[1], 0, "us", ""))
            paper = "clearly above 1, more so with 8 ports" if size == sizes[0] else ""
            rows.append(Row(figure, f"{case}: ratio", ways[1] / ways[0], 0, "", paper))
    return rows


def _draw(request: Request, found: Sequence[NetworkSimulation], name: str) -> None:
    if request.plot:
        folder = Path(request.plot)
        folder.mkdir(parents=True, exist_ok=True)
        draw_loads(found, str(folder / f"figure-{name.replace(', ', '-').replace(' ', '-').replace('^', 'x')}.svg"))
