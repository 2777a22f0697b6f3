# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg simulate`: simulates a strategy or a program, and says how long it takes and why."""

from __future__ import annotations

import json
import math
import time
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from thalweg.balancing.files import read_nodes
from thalweg.errors import USAGE, ThalwegError
from thalweg.machine.machine import Machine
from thalweg.simulation.ground import PROGRAM_ROUTERS, Costs
from thalweg.simulation.network import Routers
from thalweg.simulation.picture import draw_timeline
from thalweg.simulation.placed import is_network, read_placement
from thalweg.simulation.recording import play, read_recording
from thalweg.simulation.replaying import is_trace, replay
from thalweg.simulation.report import print_played, print_replayed, replayed_data
from thalweg.simulation.results import TICKS, Rounds, Simulation
from thalweg.simulation.simulate import EXPLAINED_MAX, simulate
from thalweg.simulation.streams import simulate_stream
from thalweg.units import size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

STREAM = "stream"
RANKS_MAX = 1 << 30
SHOWN_RANKS = 5
SHOWN_LINKS = 5
WRITTEN_LINKS = 64
ROUTER_NAMES = (
    "buffers", "credit_rule", "queues", "arbitration", "packet_bytes", "channel_ns", "switch_ns", "window",
    "turnaround_ns", "seed",
)  # fmt: skip
"""What programs' routers may be told."""


class Request(NamedTuple):
    """What the command line says; empty texts where it does not."""

    operation: str
    strategy: str
    goal: str
    trace: str
    use: list[str]
    """Selections for the collectives of a traced program."""
    compute_scale: float
    write_goal: str
    shape: str
    items: int
    buffer_bytes: int
    ranks: int | None
    unit_bytes: int
    root: int
    parameters: dict[str, str]
    ranks_per_node: int
    machine: str
    network: str
    link_bandwidth: float
    """In bytes a second; 0: as messages cost."""
    link_latency: float
    """In seconds."""
    noise: str
    cores: int | None
    """Of each machine; None: what the machine file says."""
    nodes: str
    without: str
    placement: str
    loggops: str
    level: str
    routing: str
    routers: dict[str, str]
    """What routers are to be, other than the usual ones."""
    ties: str
    plot: str

    def answer(self, *, as_json: bool) -> None:
        """Answer, as a text or as JSON."""
        run(self, as_json=as_json)


def run(request: Request, *, as_json: bool) -> None:
    """Answer, as a text or as JSON."""
    _check(request)
    begin = time.perf_counter()
    console = Console(stderr=True)
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task("writing the program")

        def report(events: int) -> None:
            progress.update(task, description=f"{events / 1e6:.0f} million events")

        has_order = bool(request.trace) and is_trace(request.trace)
        if has_order:
            replayed = replay(
                request.trace,
                _costs(request),
                use=request.use,
                computation_scale=request.compute_scale,
                goal=request.write_goal,
                timeline=bool(request.plot),
                progress=report,
            )
            found = replayed.simulation
        elif request.trace:
            recording = read_recording(request.trace)
            played = play(recording, _costs(request), progress=report)
        else:
            found = _simulate(request, report)
    if request.trace and not has_order:
        print_played(recording, played, as_json=as_json)
        return
    seconds = time.perf_counter() - begin
    if request.plot:
        draw_timeline(found, request.plot)
    if as_json:
        traced = replayed_data(replayed) if has_order else {}
        print(json.dumps(as_data(request, found, seconds) | traced))
    else:
        _print(request, found, seconds)
    if has_order and not as_json:
        print_replayed(replayed)


def _costs(request: Request) -> Costs:
    return Costs(
        machine=request.machine or None,
        loggops=request.loggops,
        ranks_per_node=request.ranks_per_node,
        network=request.network,
        nodes=_nodes(request) if request.nodes else None,
        placement=read_placement(request.placement) if request.placement else None,
        link_bandwidth=request.link_bandwidth,
        link_latency=request.link_latency,
        level=request.level,
        without=_numbers(request.without),
        routing=request.routing,
        routers=routers_from(request.routers) if request.routers else None,
        noise=request.noise,
        cores=request.cores,
    )


def _nodes(request: Request) -> NDArray[np.int64]:
    """Read the job's nodes, and see whether they are on the network, where its name says how large that is."""
    nodes = read_nodes(request.nodes)
    network = request.network or (request.machine if is_network(request.machine) else "")
    try:
        Machine(network)
    except ThalwegError:
        return nodes.coordinates
    nodes.on(network)
    return nodes.coordinates


def _numbers(text: str) -> list[int]:
    """Read 3,17."""
    words = text.split(",") if text else []
    if not all(word.strip().isdecimal() for word in words):
        raise ThalwegError(USAGE, f"thalweg simulate: --without {text}", "write numbers of nodes: 3,17")
    return [int(word.strip()) for word in words]


def routers_from(texts: Mapping[str, str]) -> Routers:
    """Change the usual routers of programs by NAME=VALUE."""
    known = {each.name: getattr(PROGRAM_ROUTERS, each.name) for each in fields(Routers) if each.name in ROUTER_NAMES}
    values: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in known:
            raise ThalwegError(USAGE, f"thalweg simulate: no routers with {name}", f"choose {', '.join(known)}")
        try:
            values[name] = type(known[name])(text)
        except ValueError as error:
            raise ThalwegError(USAGE, f"thalweg simulate: --router {name}={text}", "give a number") from error
    return replace(PROGRAM_ROUTERS, **values)


def _simulate(request: Request, report: Callable[[int], None]) -> Simulation:
    if request.operation == STREAM:
        return simulate_stream(
            _sides(request.shape),
            request.items,
            request.unit_bytes,
            ranks=request.ranks or 0,
            buffer_bytes=request.buffer_bytes,
            costs=_costs(request),
            timeline=bool(request.plot),
            progress=report,
        )
    return simulate(
        request.operation,
        request.strategy,
        request.ranks or 0,
        request.unit_bytes,
        goal=request.goal,
        root=request.root,
        parameters=request.parameters,
        ties=request.ties,
        timeline=bool(request.plot),
        progress=report,
        costs=_costs(request),
    )


def _sides(shape: str) -> list[int]:
    """Read 32x32x32."""
    sides = [int(word) if word.isdecimal() else 0 for word in shape.split("x")]
    if min(sides) < 1 or math.prod(sides) > RANKS_MAX:
        raise ThalwegError(USAGE, f"thalweg simulate: no mesh {shape!r}", "write --shape 32x32x32")
    return sides


def _check(request: Request) -> None:
    if bool(request.goal) + bool(request.operation) + bool(request.trace) > 1:
        raise ThalwegError(USAGE, "thalweg simulate: both a strategy and --goal or --trace", "leave one out")
    if request.operation == STREAM:
        if not request.shape or request.items < 1:
            remedy = "write thalweg simulate stream --shape 32x32x32 --items 1000 --bytes 32"
            raise ThalwegError(USAGE, "thalweg simulate: a stream without a mesh or items", remedy)
        return
    if not (request.goal or request.trace) and not (request.operation and request.strategy and request.ranks):
        raise ThalwegError(
            USAGE,
            "thalweg simulate: nothing to simulate",
            "name an operation, a strategy and --ranks, or a program with --goal or --trace",
        )


def _subject(request: Request) -> str:
    if request.goal or request.trace:
        return request.goal or request.trace
    if request.operation == STREAM:
        size = size_text(request.unit_bytes)
        return f"stream of {request.items} items of {size} a rank over {request.shape}"
    return f"{request.operation} {request.strategy}, units of {size_text(request.unit_bytes)}"


def as_data(request: Request, found: Simulation, wall_seconds: float) -> dict[str, Any]:
    """Write an answer as plain data; times of the simulated program in nanoseconds."""
    return {
        "subject": _subject(request),
        "level": found.level,
        "machine": request.machine,
        "loggops": "" if request.machine else request.loggops,
        "ranks": found.ranks,
        "finish_ns": found.finish,
        "last_rank": found.last_rank,
        "why_ns": found.why,
        "network": found.network.name if found.network else "",
        "path_links": [{"link": found.link_name(link), "ns": ticks} for link, ticks in found.links_on_path],
        "links": _links(found),
        "path_ranks": [{"rank": rank, "ns": ticks} for rank, ticks in found.ranks_on_path()],
        "ends_ns": {"min": int(found.ends.min()), "median": float(np.median(found.ends)), "max": found.finish},
        "waiting": _waiting(found),
        "operations": found.operations,
        "messages": found.messages,
        "events": found.events,
        "packets": found.packets,
        "packet_hops": found.packet_hops,
        "patterns": found.patterns,
        "folded": found.folded,
        "rounds": found.rounds._asdict() | {"are_steady": found.rounds.are_steady} if found.rounds else {},
        "fingerprint": f"{found.fingerprint:016x}",
        "wall_seconds": wall_seconds,
    }


def _links(found: Simulation) -> list[dict[str, Any]]:
    """Give the most loaded links: what they carried, and what part of the time until the finish that takes them."""
    return [
        {"link": found.link_name(int(link)), "bytes": float(size), "busy": float(busy) / max(found.finish, 1)}
        for link, size, busy in zip(*(column[:WRITTEN_LINKS] for column in found.links), strict=True)
    ]


def _waiting(found: Simulation) -> float:
    """Give the part of all ranks' time until the finish in which their processors had nothing to do."""
    return 1 - float(found.busy.sum()) / max(found.finish * found.ranks, 1)


def _print_links_on_path(found: Simulation) -> None:
    if not found.links_on_path:
        return
    print("  by link that messages waited for:")
    for link, ticks in found.links_on_path[:SHOWN_LINKS]:
        print(f"    {found.link_name(link):<24} {time_text(ticks / TICKS):>9} {ticks / max(found.finish, 1):>6.1%}")


def _words_of_rounds(rounds: Rounds) -> str:
    """Say what stands for what."""
    words = f"  {rounds.simulated} of {rounds.total} like rounds were simulated for all; a round takes "
    words += f"{rounds.round_ns:.0f} ns by the last of them, {rounds.before_ns:.0f} ns by those before"
    if rounds.are_steady:
        return words
    shortest = time_text(rounds.min_ns / TICKS)
    return f"{words}\n  they have not become steady, so this time is a rough one; it is {shortest} at least"


def _print(request: Request, found: Simulation, wall_seconds: float) -> None:
    has_file = request.machine and not is_network(request.machine)
    costs = request.machine if has_file else f"LogGOPS {request.loggops}"
    where = f" of {found.network.name}" if found.network else ""
    print(f"{_subject(request)} on {found.ranks} ranks{where}, level {found.level}, {costs}\n")
    print(f"  {time_text(found.seconds)} ({found.finish} ns); rank {found.last_rank} is the last")
    print(f"  the ranks' processors wait for {_waiting(found):.1%} of that time")
    if found.rounds:
        print(_words_of_rounds(found.rounds))
    elif found.folded:
        print(f"  one rank was simulated for all: the {found.folded} that were looked at are alike")
    if found.why:
        print("\nwhy this time: the critical path, by kind of cost")
        for kind, ticks in sorted(found.why.items(), key=lambda entry: -entry[1]):
            if ticks:
                print(f"  {kind:<9} {time_text(ticks / TICKS):>9} {ticks / max(found.finish, 1):>6.1%}")
        on_path = found.ranks_on_path()
        if found.rounds or not found.folded:
            shown = ", ".join(f"{rank} ({time_text(ticks / TICKS)})" for rank, ticks in on_path[:SHOWN_RANKS])
            print(f"  through {len(on_path)} ranks: {shown}{', …' if len(on_path) > SHOWN_RANKS else ''}")
        _print_links_on_path(found)
    else:
        print(f"\nwith more than {EXPLAINED_MAX} operations there is no critical path")
    if found.links.numbers.size:
        print(f"\nthe most loaded of {found.links.numbers.size} links that carried something")
        for link in _links(found)[:SHOWN_LINKS]:
            print(f"  {link['link']:<24} {link['bytes']:>14.0f} bytes, busy {link['busy']:.1%}")
    packets = f", {found.packets} packets through {found.packet_hops} switches" if found.packets else ""
    print(f"\n{found.events} events, {found.messages} messages{packets}, {wall_seconds:.2g} s")
