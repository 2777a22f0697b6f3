"""What a simulation stands on: what messages cost, which node each rank is on, and how links are shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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

    With "random:" before it they come once in each period, at random. Or a file of `thalweg probe --noise`.
    """


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
        """Say whether messages take the same between whichever ranks, as far as a network is concerned."""
        return self.network is None or (self.level == "loggp" and not self.link_latency)

    @property
    def nodes(self) -> list[int]:
        """Give the node of each rank, from 0; nothing where there is no network."""
        return self.network.numbers if self.network else []


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
    loggops = costs.loggops
    if costs.link_bandwidth > 0:
        known = None if known is None else with_link_rate(known, costs.link_bandwidth)
        loggops = loggops_with_link_rate(loggops, costs.link_bandwidth)
    routers = costs.routers or PROGRAM_ROUTERS
    given = (costs.link_latency, level, noise_text(costs.noise), costs.routing)
    return Ground(known, loggops, costs.ranks_per_node, placed, *given, routers)
