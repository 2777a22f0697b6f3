"""What a simulation stands on: what messages cost, which node each rank is on, and how links are shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from thalweg.errors import USAGE, ThalwegError
from thalweg.machine import files
from thalweg.simulation.placed import (
    Network,
    is_network,
    loggops_with_link_rate,
    network_of,
    with_link_rate,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from thalweg import _core

LEVELS = ("loggp", "flow")
LOGGOPS = "2500,1500,1000,6,0,65535"


@dataclass(frozen=True)
class Costs:
    """Where ranks are to be simulated, as a caller says it; simulate() has what each means."""

    machine: str | _core.Machine | None = None
    loggops: str = LOGGOPS
    ranks_per_node: int = 1
    network: str = ""
    nodes: ArrayLike | None = None
    placement: ArrayLike | None = None
    link_bandwidth: float = 0
    link_latency: float = 0
    level: str = ""
    noise: str = ""
    """Detours of processors: "1000000,25000,7" is 25 us in each millisecond, begun at random by the seed 7."""


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
    if costs.level == "flow" and not network and known is not None:
        network = known.network
    level = costs.level or ("flow" if network else "loggp")
    if level not in LEVELS:
        raise ThalwegError(USAGE, f"simulate: level {level!r}", f"choose {' or '.join(LEVELS)}")
    if level == "flow" and not network:
        remedy = "name one: --machine torus:8x8x8, or a machine file that has one"
        raise ThalwegError(USAGE, "simulate: level flow without a network", remedy)
    if not network and (costs.placement is not None or costs.nodes is not None):
        raise ThalwegError(USAGE, "simulate: a placement without a network", "name one: --machine torus:8x8x8")
    placed = None
    if network:
        placed = network_of(network, ranks, costs.ranks_per_node, nodes=costs.nodes, placement=costs.placement)
    loggops = costs.loggops
    if costs.link_bandwidth > 0:
        known = None if known is None else with_link_rate(known, costs.link_bandwidth)
        loggops = loggops_with_link_rate(loggops, costs.link_bandwidth)
    return Ground(known, loggops, costs.ranks_per_node, placed, costs.link_latency, level, costs.noise)
