# SPDX-License-Identifier: BSD-3-Clause
"""What a simulation stands on: what messages cost, which node each rank is on, and how links are shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thalweg import _core
from thalweg.errors import SETTINGS, USAGE, ThalwegError
from thalweg.machine import files
from thalweg.machine.noise import noise_text
from thalweg.simulation.network import Routers
from thalweg.simulation.placed import (
    Network,
    is_network,
    loggops_with_link_rate,
    network_of,
    with_latency_by_hops,
    with_link_rate,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

LEVELS = ("loggp", "flow", "packet")
NETWORK_LEVELS = ("flow", "packet")
LOGGOPS = "2500,1500,1000,6,0,65535"
PROGRAM_ROUTERS = Routers(channel_ns=0, switch_ns=0)
"""The usual ones of programs, whose messages' costs have all latency in them."""

_LATENCY_MAX = 1000
"""Of a link, in seconds."""


@dataclass(frozen=True)
class Costs:
    """Where ranks are to be simulated, as a caller says it; simulate() has what each means."""

    machine: str | _core.Machine | None = None
    loggops: str = LOGGOPS
    ranks_per_node: int = 1
    network: str = ""
    nodes: ArrayLike | None = None
    without: Sequence[int] = ()
    placement: ArrayLike | None = None
    link_bandwidth: float = 0
    link_latency: float = 0
    level: str = ""
    routing: str = ""
    routers: Routers | None = None
    noise: str = ""
    """Detours of processors: "1000000,25000,7" is 25 us in each millisecond, begun at random by the seed 7.

    With "random:" before it they come once in each period, at random. Or a file of `thalweg machine probe --noise`.
    """
    cores: int | None = None
    """Of each machine, shared by its ranks; 0: each rank has a core of its own; None: what the machine file says."""


@dataclass(frozen=True)
class Ground:
    """The same, looked up."""

    machine: _core.Machine | None
    loggops: str
    ranks_per_node: int
    network: Network | None
    link_latency: float
    level: str
    noise: str = ""
    routing: str = ""
    routers: Routers = PROGRAM_ROUTERS
    cores: int | None = None

    def shared_cores(self, ranks: int) -> _core.SharedCores | None:
        """Give the machine whose cores each of so many ranks uses, where some have fewer cores than ranks."""
        cores = self._cores
        if not cores:
            return None
        nodes = np.asarray(self.nodes[:ranks] if self.network else np.arange(ranks) // (self.ranks_per_node or ranks))
        machines = (nodes // (self.machine.nodes_per_machine if self.machine else 1)).astype(np.uint32)
        switching = self.machine.switch_core.value if self.machine else 0.0
        return _core.SharedCores(machines, cores, round(switching * 1e9))

    @property
    def _cores(self) -> int:
        if self.cores is not None:
            return self.cores
        return self.machine.cores if self.machine else 0

    @property
    def _may_share_cores(self) -> bool:
        """Say whether a machine may have fewer cores than ranks."""
        together = self.ranks_per_node * (self.machine.nodes_per_machine if self.machine else 1)
        return self._cores > 0 and not 0 < together <= self._cores

    def rank_network(self) -> _core.RankNetwork | None:
        """Give what lies between the ranks as the core has it."""
        if self.network is None:
            return None
        delay = self.link_latency * 1e9 + (self.routers.channel_ns if self.level == "packet" else 0)
        held = _core.RankNetwork(self.network.interconnect, self.network.places, round(delay), self.level != "loggp")
        if self.level == "packet":
            try:
                held.use_packets(self.routers.options(), self.routing, *self.routers.acknowledgements())
            except _core.Error as error:
                raise ThalwegError(SETTINGS, *error.args) from error
        return held

    @property
    def is_alike_everywhere(self) -> bool:
        """Say whether it is the same for whichever ranks, as far as networks and shared cores are concerned."""
        same_ways = self.network is None or (self.level == "loggp" and not self.link_latency)
        return same_ways and not self._may_share_cores

    @property
    def nodes(self) -> list[int]:
        """Give the node of each rank, from 0; nothing where there is no network."""
        return self.network.numbers if self.network else []

    @property
    def leaves(self) -> list[int]:
        """Give the switch of each rank's node, from 0; nothing where there are not several, or none are known."""
        return self.network.leaves if self.network else []


def _checked_cores(cores: int | None) -> int | None:
    if cores is not None and cores < 0:
        raise ThalwegError(SETTINGS, f"simulate: {cores} cores", "choose 0, for a core of each rank's own, or more")
    return cores


def _checked_latency(seconds: float) -> float:
    if not 0 <= seconds <= _LATENCY_MAX:
        raise ThalwegError(SETTINGS, f"simulate: a latency of {seconds} s", f"choose 0 to {_LATENCY_MAX} s")
    return seconds


def _latency_by_hops(
    costs: Costs, placed: Network | None, machine: _core.Machine | None
) -> tuple[_core.Machine | None, float]:
    """Give the machine, and what each link adds to a latency: what the caller says, or else what the probe found."""
    if costs.link_latency or placed is None or machine is None:
        return machine, costs.link_latency
    return with_latency_by_hops(machine, placed.interconnect)


def ground_of(costs: Costs, ranks: int) -> Ground:
    """Look up where so many ranks are; 0: as many as there is room for. Raises ThalwegError with the remedy."""
    network, known = costs.network, None
    if not isinstance(costs.machine, str):
        known = costs.machine
    elif not network and is_network(costs.machine):
        network = costs.machine
    else:
        known = files.load(costs.machine)
    if costs.level in NETWORK_LEVELS and not network and known is not None:
        network = known.network
    level = costs.level or ("flow" if network else "loggp")
    if level not in LEVELS:
        raise ThalwegError(USAGE, f"simulate: level {level!r}", "choose loggp, flow or packet")
    if level in NETWORK_LEVELS and not network:
        remedy = "name one: --machine torus:8x8x8, or a machine file that has one"
        raise ThalwegError(USAGE, f"simulate: level {level} without a network", remedy)
    if level != "packet" and (costs.routing or costs.routers):
        raise ThalwegError(USAGE, f"simulate: routers on level {level}", "choose --level packet")
    if not network and (costs.placement is not None or costs.nodes is not None or costs.without):
        raise ThalwegError(USAGE, "simulate: a placement without a network", "name one: --machine torus:8x8x8")
    placed = None
    if network:
        placed = network_of(
            network,
            ranks,
            costs.ranks_per_node,
            nodes=costs.nodes,
            without=costs.without,
            placement=costs.placement,
        )
    known, link_latency = _latency_by_hops(costs, placed, known)
    loggops = costs.loggops
    if costs.link_bandwidth > 0:
        known = None if known is None else with_link_rate(known, costs.link_bandwidth)
        loggops = loggops_with_link_rate(loggops, costs.link_bandwidth)
    routers = costs.routers or PROGRAM_ROUTERS
    given = (_checked_latency(link_latency), level, noise_text(costs.noise), costs.routing)
    return Ground(known, loggops, costs.ranks_per_node, placed, *given, routers, _checked_cores(costs.cores))
