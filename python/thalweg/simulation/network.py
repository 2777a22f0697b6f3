# SPDX-License-Identifier: BSD-3-Clause
"""Simulations of networks, packet by packet: what comes through under load, and how long it takes."""

from __future__ import annotations

import os
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg import _core
from thalweg.call_arguments import checked
from thalweg.errors import SETTINGS, USAGE, ThalwegError
from thalweg.simulation.network_picture import latency_figure, loads_html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from thalweg.notebook_figure import NotebookFigure

PATTERNS = (
    "uniform", "transpose", "bit_reversal", "bit_complement", "shuffle", "tornado", "permutation", "shift:K",
    "exchange:K",
)  # fmt: skip
ROUTINGS = (
    "adaptive_up", "up_by_destination", "dimension_ordered", "minimal", "valiant", "ugal", "along_routes",
)  # fmt: skip
LOADS = tuple(step / 10 for step in range(1, 11))
PICOSECONDS = 1000
"""Of a nanosecond."""


@dataclass(frozen=True)
class Routers:
    """What routers and network interfaces are made of; the usual values are those of S. Kumar 2005, chapter 8."""

    buffers: int = 4
    """Packets that a crosspoint has room for; of input queues, an input."""
    credit_rule: str = "crosspoint"
    """What a sender counts: room in each crosspoint, or all that an input holds (link)."""
    queues: str = "output"
    """Where packets wait: output (at crosspoints), or input, for comparison."""
    arbitration: str = "round_robin"
    """What an output serves next: round_robin over inputs, the oldest packet, or fair between pairs of nodes."""
    packet_bytes: int = 256
    gigabits: float = 10.0
    """A second, of a channel."""
    channel_ns: float = 20.0
    switch_ns: float = 90.0
    units: int = 0
    """Combine units of a switch: 1, or leaves and a root."""
    unit_subsets: str = "fixed"
    """Which unit serves an input: fixed (neighbors have the same), or round_robin."""
    cycle_ns: float = 4.0
    element_cycles: int = 1
    """That combining an element takes."""
    element_bytes: int = 4
    interface_ns: float = 1300.0
    """Of each end of a message."""
    occupied: bool = False
    """Interfaces do one thing at a time; else they only delay."""
    window: int = 0
    """Of programs' messages: packets of a node on their way before the head of the first is acknowledged; 0: all."""
    turnaround_ns: float = 0.0
    """What an acknowledgement takes beside the way back."""
    seed: int = 1

    def options(self) -> _core.RouterOptions:
        """Give them as the core has them."""
        options = _core.RouterOptions()
        pairs: dict[str, Any] = {
            "buffers": self.buffers,
            "credits": self.credit_rule,
            "discipline": self.queues,
            "arbitration": self.arbitration,
            "packet_bytes": self.packet_bytes,
            "bits_per_second": round(self.gigabits * 1e9),
            "channel_delay": round(self.channel_ns * PICOSECONDS),
            "switch_delay": round(self.switch_ns * PICOSECONDS),
            "combine_units": self.units,
            "unit_subsets": self.unit_subsets,
            "cycle": round(self.cycle_ns * PICOSECONDS),
            "element_cycles": self.element_cycles,
            "element_bytes": self.element_bytes,
            "seed": self.seed,
        }
        for name, value in pairs.items():
            try:
                setattr(options, name, value)
            except TypeError as error:
                raise ThalwegError(SETTINGS, f"routers with {name} {value}", "choose a number from 0 on") from error
            except _core.Error as error:
                raise ThalwegError(SETTINGS, *error.args) from error
        return options

    def acknowledgements(self) -> tuple[int, int]:
        """Give the window, and what an acknowledgement takes, as the core has them."""
        return self.window, round(self.turnaround_ns * PICOSECONDS)

    def interface(self) -> _core.PacketInterface:
        """Give the interface as the core has it."""
        ticks = round(self.interface_ns * PICOSECONDS)
        return _core.PacketInterface(ticks, ticks, self.occupied)


def routers_from(usual: Routers, texts: Mapping[str, str], names: Sequence[str]) -> Routers:
    """Change the usual routers by texts for some of their names.

    Raises ThalwegError for another name, and where a number is expected and there is none.
    """
    values: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in names:
            raise ThalwegError(USAGE, f"thalweg simulate: no routers with {name}", f"choose {', '.join(names)}")
        try:
            values[name] = type(getattr(usual, name))(text)
        except ValueError as error:
            raise ThalwegError(USAGE, f"thalweg simulate: --router {name}={text}", "give a number") from error
    return replace(usual, **values)


@dataclass(frozen=True, repr=False)
class NetworkSimulation:
    """What a network does under each load; latencies in nanoseconds, with both interfaces."""

    topology: str
    routing: str
    pattern: str
    routers: Routers
    loads: NDArray[np.float64]
    """Offered: part of the time in which a sender's channel would be busy."""
    accepted: NDArray[np.float64]
    """The same of what came to its nodes; of multicasts, copies over the fanout."""
    accepted_half_widths: NDArray[np.float64]
    """Of the 95 % confidence intervals."""
    latencies: NDArray[np.float64]
    latency_half_widths: NDArray[np.float64]
    saturated: NDArray[np.bool_]
    """Senders fell behind."""
    packets: NDArray[np.int64]
    """That were measured."""
    hops: NDArray[np.int64]
    """Packets through switches, also before it was measured."""
    fingerprints: tuple[int, ...]
    """Equal for equal results."""

    def __repr__(self) -> str:
        """Say what it is without its arrays."""
        accepted, half_width = self.saturation
        return (
            f"<NetworkSimulation of {self.pattern} on {self.topology} under {self.loads.size} loads: "
            f"accepts {accepted:.4g} +- {half_width:.2g}>"
        )

    def _repr_html_(self) -> str:
        """Show in a notebook what came through under each load, and how long it took."""
        return loads_html(self)

    def plot(self) -> NotebookFigure:
        """Draw what came through and how long it took, load by load. Raises ThalwegError without matplotlib."""
        return latency_figure([self])

    @property
    def saturation(self) -> tuple[float, float]:
        """The most that came through, with the half width of its confidence interval."""
        place = int(np.argmax(self.accepted))
        return float(self.accepted[place]), float(self.accepted_half_widths[place])

    @property
    def stable_load(self) -> float:
        """The highest load below which no sender fell behind; 0 if all loads saturate."""
        last = int(np.argmax(self.saturated)) if self.saturated.any() else self.loads.size
        return float(self.loads[last - 1]) if last else 0.0


def make_network(topology: str, routing: str, routers: Routers) -> _core.PacketNetwork:
    """Put routers on an interconnect."""
    try:
        return _core.PacketNetwork(_core.Interconnect(topology), routing, routers.options())
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


@checked
def simulate_network(  # noqa: PLR0913 - a network has that many sides, all with a usual value
    topology: str = "tree:16^2",
    pattern: str = "uniform",
    loads: Sequence[float] = LOADS,
    *,
    routing: str = "",
    routers: Routers | None = None,
    fanout: int = 0,
    sets: int = 0,
    senders: int = 0,
    packets: int = 100_000,
    workers: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> NetworkSimulation:
    """Simulate an interconnect of routers under each of the loads, several at a time.

    With a fanout, each packet is a multicast to so many random nodes: with a group of its own, or with one of `sets`
    groups of its node that were drawn before. At a load of 1 senders never rest; below, packets come at random. Only
    the first `senders` nodes send, if they are given. About so many packets are measured at each load. `progress` hears
    of steps done and of all. Results do not depend on `workers`, of which 0 is one for each core.
    """
    if workers < 0:
        raise ThalwegError(SETTINGS, f"simulate network: {workers} workers", "choose 0, for one on each core, or more")
    known = routers or Routers()
    network = make_network(topology, routing, known)
    latency = round(2 * known.interface_ns * PICOSECONDS)
    done = [0] * len(loads)
    is_over = Event()

    def step(place: int, batches_done: int) -> None:
        if is_over.is_set():
            raise CancelledError
        if progress and batches_done > done[place]:
            done[place] = batches_done
            progress(sum(done), BATCHES * len(loads))

    def point(place: int) -> _core.LoadPoint:
        try:
            look = partial(step, place)
            return network.measure(pattern, loads[place], senders, fanout, sets, latency, packets, look)
        except _core.Error as error:
            raise ThalwegError(SETTINGS, *error.args) from error
        except TypeError as error:
            raise ThalwegError(
                SETTINGS, f"simulate network: {senders} senders, fanout {fanout}, {sets} sets", "choose 0 or more"
            ) from error

    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        # The slowest loads first.
        order = sorted(range(len(loads)), key=lambda place: -loads[place])
        try:
            points = dict(zip(order, pool.map(point, order), strict=True))
        finally:
            is_over.set()  # for those that still run where one has failed, or was interrupted
    name = f"multicast:{fanout}" if fanout else pattern
    found = [points[place] for place in range(len(loads))]
    return _put_together(found, _core.Interconnect(topology).name, routing, name, known)


def _put_together(
    found: Sequence[_core.LoadPoint], topology: str, routing: str, pattern: str, routers: Routers
) -> NetworkSimulation:
    def column(name: str, kind: Any) -> NDArray[Any]:
        return np.array([getattr(one, name) for one in found], dtype=kind)

    return NetworkSimulation(
        topology=topology,
        routing=routing,
        pattern=pattern,
        routers=routers,
        loads=column("load", np.float64),
        accepted=column("accepted", np.float64),
        accepted_half_widths=column("accepted_half_width", np.float64),
        latencies=column("latency", np.float64),
        latency_half_widths=column("latency_half_width", np.float64),
        saturated=column("is_saturated", np.bool_),
        packets=column("packets", np.int64),
        hops=column("hops", np.int64),
        fingerprints=tuple(one.fingerprint for one in found),
    )


BATCHES = 20
"""Of a load: progress is by these, and confidence intervals are."""


@dataclass(frozen=True)
class MessageTimes:
    """When messages have come; nanoseconds."""

    finish: float
    ends: NDArray[np.float64]
    """Of each message; of a reduction, its result's."""
    packets: int
    hops: int
    fingerprint: int

    @classmethod
    def of(cls, found: _core.MessageTimes) -> MessageTimes:
        """Take them from the core."""
        return cls(found.finish / PICOSECONDS, found.ends / PICOSECONDS, found.packets, found.hops, found.fingerprint)


def _answer(call: Callable[[], _core.MessageTimes], what: str) -> MessageTimes:
    try:
        return MessageTimes.of(call())
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    except TypeError as error:
        raise ThalwegError(SETTINGS, f"{what} with numbers below 0, or too large", "choose others") from error


def simulate_permutation(
    topology: str, pattern: str, message_bytes: int, *, routing: str = "", routers: Routers | None = None
) -> MessageTimes:
    """Let every node send one message to its partner of the pattern, all at once."""
    known = routers or Routers()
    network = make_network(topology, routing, known)
    destinations = permutation_of(pattern, network.nodes, known.seed)
    return _answer(lambda: network.send_to(destinations, message_bytes, known.interface()), "messages")


def network_nodes(topology: str) -> int:
    """Say how many nodes an interconnect has."""
    return make_network(topology, "", Routers()).nodes


def permutation_of(pattern: str, nodes: int, seed: int = 1) -> NDArray[np.uint32]:
    """Give each node's destination by the pattern's name; patterns that are no permutations are refused."""
    try:
        found: NDArray[np.uint32] = _core.destinations(pattern, nodes, seed)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    if not found.size:
        raise ThalwegError(SETTINGS, f"the traffic {pattern} is no permutation", "choose transpose, or shift:3")
    return found


@dataclass(frozen=True)
class Contention:
    """Where packets of a permutation meet on a tree."""

    by_destination: int
    """What the most loaded channel carries if all go up by the destination's number."""
    is_free_any_way: bool
    """Does no way that switches may choose let two meet?"""
    level: int
    """Of the first subtree where that fails; -1 if it holds."""
    subtree: int


def find_contention(topology: str, pattern: str | Sequence[int], *, seed: int = 1) -> Contention:
    """Say whether a permutation, by name or by each node's destination, is free of contention on a tree."""
    network = make_network(topology, "", Routers())
    if isinstance(pattern, str):
        destinations = permutation_of(pattern, network.nodes, seed)
    else:
        destinations = np.asarray(pattern, dtype=np.uint32)
    try:
        return Contention(*network.contention(destinations))
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def simulate_reduction(  # noqa: PLR0913
    topology: str,
    message_bytes: int,
    *,
    members: Sequence[int] = (),
    root: int = 0,
    groups: int = 1,
    routers: Routers | None = None,
) -> MessageTimes:
    """Reduce in the switches of a tree: from the members (empty: all nodes) to the root, which is one of them.

    Several groups do so at once, each with a tree and a root of its own.
    """
    known = routers or Routers(units=1)
    network = make_network(topology, "", known)
    nodes = np.array(members or range(network.nodes), dtype=np.uint32)
    return _answer(lambda: network.reduce(nodes, root, message_bytes, groups, known.interface()), "a reduction")


def simulate_molecular_dynamics(  # noqa: PLR0913
    topology: str,
    message_bytes: int,
    *,
    senders: int = 0,
    fanout: int = 16,
    rounds: int = 1,
    in_switches: bool = True,
    routers: Routers | None = None,
) -> MessageTimes:
    """Let a sixteenth of the nodes multicast to random others at once (S. Kumar 2005, 8.4)."""
    known = routers or Routers(occupied=True)
    network = make_network(topology, "", known)
    count = senders or max(network.nodes // 16, 1)
    return _answer(
        lambda: network.molecular_dynamics(count, fanout, message_bytes, rounds, in_switches, known.interface()),
        "molecular dynamics",
    )


def routers_as_data(routers: Routers) -> dict[str, Any]:
    """Write routers as plain data."""
    return {each.name: getattr(routers, each.name) for each in fields(routers)}
