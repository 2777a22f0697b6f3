# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg simulate network`: loads, multicasts, reductions and workloads, printed, as JSON, or drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from thalweg.answers.answer import answered
from thalweg.errors import USAGE, ThalwegError
from thalweg.simulation import network
from thalweg.simulation.network_picture import draw_loads, draw_times
from thalweg.units import size_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_RANGE = re.compile(r"^([\d.]+)\.\.([\d.]+?)(?::([\d.]+))?$")
LOADS_MAX = 1000


def loads_from(text: str) -> list[float]:
    """Read 0.1..1.0, 0.5..0.9:0.05 or 0.2,0.7."""
    wrong = ThalwegError(USAGE, f"thalweg simulate network: --load {text}", "write 0.1..1.0, 0.5..0.9:0.05 or 0.2,0.7")
    try:
        found = _RANGE.match(text)
        if not found:
            return [float(word) for word in text.split(",")]
        first, last, step = float(found[1]), float(found[2]), float(found[3] or 0.1)
        count = int((last - first) / step + 1e-9) + 1
    except (ValueError, ZeroDivisionError):
        raise wrong from None
    if not 0 < count <= LOADS_MAX:
        raise wrong
    return [round(first + step * place, 9) for place in range(count)]


def numbers_from(option: str, text: str, known: dict[str, int]) -> dict[str, int]:
    """Read fanout=8,sets=4 over the usual values."""
    values = dict(known)
    for word in text.split(","):
        name, _, value = word.partition("=")
        if name not in known or not value.isdecimal():
            names = ", ".join(f"{each}=NUMBER" for each in known)
            raise ThalwegError(USAGE, f"thalweg simulate network: --{option} {text}", f"write {names}")
        values[name] = int(value)
    return values


def run_loads(
    topology: str,
    pattern: str,
    loads: str,
    routers: network.Routers,
    *,
    routing: str,
    multicast: str,
    senders: int,
    packets: int,
    workers: int,
    plot: str,
    json_file: str,
) -> None:
    """Simulate a network under loads, and answer as a text or as JSON."""
    kinds = numbers_from("multicast", multicast, {"fanout": 0, "sets": 0}) if multicast else {}
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task("packets")
        found = network.simulate_network(
            topology,
            pattern,
            loads_from(loads),
            routing=routing,
            routers=routers,
            senders=senders,
            packets=packets,
            workers=workers,
            progress=lambda done, of: progress.update(task, completed=done, total=of),
            **kinds,
        )
    if plot:
        draw_loads([found], plot)
    if not answered("simulate network", as_data(found), json_file):
        _print_loads(found)


def as_data(found: network.NetworkSimulation) -> dict[str, Any]:
    """Write an answer as plain data; latencies in nanoseconds."""
    accepted, half_width = found.saturation
    rows = zip(
        found.loads,
        found.accepted,
        found.accepted_half_widths,
        found.latencies,
        found.latency_half_widths,
        found.saturated,
        found.packets,
        found.fingerprints,
        strict=True,
    )
    return {
        "level": "packet",
        "topology": found.topology,
        "routing": found.routing,
        "pattern": found.pattern,
        "routers": network.routers_as_data(found.routers),
        "stable_load": found.stable_load,
        "accepted_max": {"mean": accepted, "half_width": half_width},
        "loads": [
            {
                "load": float(load),
                "accepted": {"mean": float(through), "half_width": float(through_half)},
                "latency_ns": {"mean": float(latency), "half_width": float(latency_half)},
                "saturated": bool(saturated),
                "packets": int(packets),
                "fingerprint": f"{fingerprint:016x}",
            }
            for load, through, through_half, latency, latency_half, saturated, packets, fingerprint in rows
        ],
    }


def _print_loads(found: network.NetworkSimulation) -> None:
    routers = found.routers
    print(f"{found.pattern} on {found.topology}, level packet, {routers.buffers} packets a crosspoint\n")
    print("  load  accepted (95 %)    latency ns (95 %)")
    for place, load in enumerate(found.loads):
        through = f"{found.accepted[place]:.3f} ± {found.accepted_half_widths[place]:.3f}"
        latency = f"{found.latencies[place]:.0f} ± {found.latency_half_widths[place]:.0f}"
        print(f"  {load:<5.3g} {through:<18} {latency:<18} {'saturated' if found.saturated[place] else ''}".rstrip())
    accepted, half_width = found.saturation
    if found.saturated.any():
        known = f" above a load of {found.stable_load:g}" if found.stable_load > 0 else " at every load that was asked"
        print(f"\nsaturates{known}; carries at most {accepted:.3f} ± {half_width:.3f}")
        print("latencies of saturated loads grow with the time that is simulated")
    else:
        print("\ndoes not saturate")


class Answer(NamedTuple):
    """Times by size, of several ways."""

    title: str
    ways: list[str]
    sizes: list[int]
    nanoseconds: list[list[float]]
    """Of each size, by way."""


def _by_size(title: str, sizes: Sequence[int], ways: dict[str, Callable[[int], network.MessageTimes]]) -> Answer:
    times = [[way(size).finish for way in ways.values()] for size in sizes]
    return Answer(title, list(ways), list(sizes), times)


def run_reductions(
    topology: str, reduce: str, sizes: Sequence[int], routers: network.Routers, *, plot: str, json_file: str
) -> None:
    """Simulate reductions in switches, and answer as a text or as JSON."""
    numbers = numbers_from("reduce", reduce, {"units": 1, "groups": 1})
    combining = replace(routers, units=numbers["units"])

    def in_switches(size: int) -> network.MessageTimes:
        return network.simulate_reduction(topology, size, groups=numbers["groups"], routers=combining)

    title = f"{numbers['groups']} reductions of all nodes of {topology}, {numbers['units']} combine units"
    _answer(_by_size(title, sizes, {"in switches": in_switches}), plot, json_file=json_file)


def run_molecular_dynamics(
    topology: str, sizes: Sequence[int], routers: network.Routers, *, senders: int, plot: str, json_file: str
) -> None:
    """Simulate molecular dynamics' multicasts in switches and without, and answer as a text or as JSON."""

    def way(*, in_switches: bool) -> Callable[[int], network.MessageTimes]:
        return lambda size: network.simulate_molecular_dynamics(
            topology, size, senders=senders, in_switches=in_switches, routers=routers
        )

    title = f"a sixteenth of the nodes of {topology} send to 16 others each"
    ways = {"in switches": way(in_switches=True), "point to point": way(in_switches=False)}
    _answer(_by_size(title, sizes, ways), plot, json_file=json_file)


def _answer(answer: Answer, plot: str, *, json_file: str) -> None:
    if plot:
        draw_times(answer.sizes, dict(zip(answer.ways, zip(*answer.nanoseconds, strict=True), strict=True)), plot)
    rows = [
        {"bytes": size, **dict(zip(answer.ways, times, strict=True))}
        for size, times in zip(answer.sizes, answer.nanoseconds, strict=True)
    ]
    if answered("simulate network", {"level": "packet", "title": answer.title, "finish_ns": rows}, json_file):
        return
    print(f"{answer.title}, level packet\n")
    print("  bytes    " + "".join(f"{way + ', ns':>20}" for way in answer.ways))
    for size, times in zip(answer.sizes, answer.nanoseconds, strict=True):
        print(f"  {size_text(size):<9}" + "".join(f"{time:>20.0f}" for time in times))
