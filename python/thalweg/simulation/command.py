# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg simulate program`: simulates a strategy or a program, and says how long it takes and why."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from thalweg.answers.answer import STDOUT, answered
from thalweg.errors import USAGE, ThalwegError
from thalweg.machine.machine import Machine
from thalweg.machine.node_files import read_nodes
from thalweg.pages.writing import write_page
from thalweg.simulation.page import simulation_page
from thalweg.simulation.picture import draw_timeline
from thalweg.simulation.placed import is_network
from thalweg.simulation.recording import play, read_recording
from thalweg.simulation.replaying import is_trace, replay
from thalweg.simulation.report import print_played, print_replayed, replayed_data
from thalweg.simulation.results import TICKS, Rounds, Simulation
from thalweg.simulation.simulate import EXPLAINED_MAX, simulate
from thalweg.simulation.streams import simulate_stream
from thalweg.simulation.timeline import timeline_of_simulation
from thalweg.timeline.command import write_timeline
from thalweg.units import partners_text, size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from thalweg.simulation.ground import Costs

RANKS_MAX = 1 << 30
SHOWN_RANKS = 5
SHOWN_LINKS = 5
WRITTEN_LINKS = 64


class Pictures(NamedTuple):
    """Files of a picture, of a timeline for Perfetto or OTF2, and of a page; empty where none is wanted."""

    plot: str = ""
    timeline: str = ""
    html: str = ""


@contextmanager
def _watched() -> Iterator[Callable[[int], None]]:
    """Show how far a simulation is, where there is a terminal; gives what it reports its events to."""
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
        yield lambda events: progress.update(task, description=f"{events / 1e6:.0f} million events")


def run_strategy(
    operation: str,
    strategy: str,
    costs: Costs,
    *,
    ranks: int,
    unit_bytes: int,
    degree: float,
    root: int,
    parameters: Mapping[str, str],
    goal: str,
    ties: str,
    pictures: Pictures,
    json_file: str,
) -> None:
    """Simulate a strategy, or a program in GOAL, and answer as a text or as JSON.

    Raises ThalwegError for what is not known, and for a program that cannot go on.
    """
    begin = time.perf_counter()
    with _watched() as report:
        found = simulate(
            operation,
            strategy,
            ranks,
            unit_bytes,
            degree=degree,
            goal=goal,
            root=root,
            parameters=parameters,
            ties=ties,
            timeline=any(pictures),
            progress=report,
            costs=costs,
        )
    subject = goal or f"{operation} {strategy}, units of {size_text(unit_bytes)}{partners_text(degree)}"
    _answer(Answer(subject, costs, found, time.perf_counter() - begin), pictures, json_file=json_file)


def run_stream(
    shape: str,
    items: int,
    costs: Costs,
    *,
    ranks: int,
    item_bytes: int,
    buffer_bytes: int,
    pictures: Pictures,
    json_file: str,
) -> None:
    """Simulate a stream over a mesh of that shape, and answer as a text or as JSON."""
    if not shape or items < 1:
        remedy = "write thalweg simulate stream --shape 32x32x32 --items 1000 --bytes 32"
        raise ThalwegError(USAGE, "thalweg simulate program: a stream without a mesh or items", remedy)
    begin = time.perf_counter()
    with _watched() as report:
        found = simulate_stream(
            _sides(shape),
            items,
            item_bytes,
            ranks=ranks,
            buffer_bytes=buffer_bytes,
            costs=costs,
            timeline=any(pictures),
            progress=report,
        )
    subject = f"stream of {items} items of {size_text(item_bytes)} a rank over {shape}"
    _answer(Answer(subject, costs, found, time.perf_counter() - begin), pictures, json_file=json_file)


def run_trace(
    trace: str,
    costs: Costs,
    *,
    use: Sequence[str],
    compute_scale: float,
    write_goal: str,
    pictures: Pictures,
    json_file: str,
) -> None:
    """Play what `thalweg run --trace` or `--record` kept, and answer as a text or as JSON.

    `use` are selections for the collectives of a traced program.
    """
    begin = time.perf_counter()
    if not is_trace(trace):
        recording = read_recording(trace)
        with _watched() as report:
            played = play(recording, costs, progress=report)
        print_played(recording, played, json_file=json_file)
        return
    with _watched() as report:
        replayed = replay(
            trace,
            costs,
            use=use,
            computation_scale=compute_scale,
            goal=write_goal,
            timeline=any(pictures),
            progress=report,
        )
    answer = Answer(trace, costs, replayed.simulation, time.perf_counter() - begin)
    _answer(answer, pictures, json_file=json_file, more=replayed_data(replayed))
    if json_file != STDOUT:
        print_replayed(replayed)


class Answer(NamedTuple):
    """What is printed: the subject in words, what it stood on, the simulation, and how long that took."""

    subject: str
    costs: Costs
    found: Simulation
    wall_seconds: float

    @property
    def machine(self) -> str:
        """The machine file or the network; empty where there was none."""
        return self.costs.machine if isinstance(self.costs.machine, str) else ""

    @property
    def described_costs(self) -> str:
        """The machine file, or what messages cost without one."""
        has_file = self.machine and not is_network(self.machine)
        return self.machine if has_file else f"LogGOPS {self.costs.loggops}"


def _answer(
    answer: Answer, pictures: Pictures, *, json_file: str, more: Mapping[str, Any] = MappingProxyType({})
) -> None:
    if pictures.plot:
        draw_timeline(answer.found, pictures.plot)
    if pictures.timeline:
        write_timeline(timeline_of_simulation(answer.found, answer.subject), pictures.timeline)
    page = ""
    if pictures.html:
        text = simulation_page(answer.found, answer.subject, answer.described_costs, _waiting(answer.found))
        page = write_page(text, pictures.html)
    if answered("simulate program", as_data(answer) | dict(more), json_file):
        return
    _print(answer)
    if page:
        print(page)


def nodes_on(path: str, network: str) -> NDArray[np.int64]:
    """Read the job's nodes, and see whether they are on the network, where its name says how large that is."""
    nodes = read_nodes(path)
    try:
        Machine(network)
    except ThalwegError:
        return nodes.coordinates
    nodes.on(network)
    return nodes.coordinates


def node_numbers(text: str) -> list[int]:
    """Read 3,17."""
    words = text.split(",") if text else []
    if not all(word.strip().isdecimal() for word in words):
        raise ThalwegError(USAGE, f"thalweg simulate program: --without {text}", "write numbers of nodes: 3,17")
    return [int(word.strip()) for word in words]


def _sides(shape: str) -> list[int]:
    """Read 32x32x32."""
    sides = [int(word) if word.isdecimal() else 0 for word in shape.split("x")]
    if min(sides) < 1 or math.prod(sides) > RANKS_MAX:
        raise ThalwegError(USAGE, f"thalweg simulate program: no mesh {shape!r}", "write --shape 32x32x32")
    return sides


def as_data(answer: Answer) -> dict[str, Any]:
    """Write an answer as plain data; times of the simulated program in nanoseconds."""
    found = answer.found
    return {
        "subject": answer.subject,
        "level": found.level,
        "machine": answer.machine,
        "loggops": "" if answer.machine else answer.costs.loggops,
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
        "wall_seconds": answer.wall_seconds,
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


def _print(answer: Answer) -> None:
    found = answer.found
    where = f" of {found.network.name}" if found.network else ""
    print(f"{answer.subject} on {found.ranks} ranks{where}, level {found.level}, {answer.described_costs}\n")
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
    print(f"\n{found.events} events, {found.messages} messages{packets}, {answer.wall_seconds:.2g} s")
