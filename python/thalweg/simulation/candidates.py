# SPDX-License-Identifier: BSD-3-Clause
"""Candidates for a call on the machine that a machine file describes, simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg import _core
from thalweg.machine.cables import cabled
from thalweg.simulation.ground import LOGGOPS, Ground
from thalweg.simulation.placed import Network, with_latency_by_hops
from thalweg.simulation.simulate import EXPLAINED_MAX, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.simulation.results import Simulation


def network_of_nodes(known: _core.NodePlaces, nodes: Sequence[int]) -> Network:
    """Give the network of ranks on these nodes, with the nodes' cables; a star where its routes are not known."""
    count = max(nodes) + 1
    is_known = bool(known.network) and not known.why_unknown(count)
    places = np.asarray((is_known and known.places) or range(count), dtype=np.int64)
    shape = known.network if is_known else "star"
    interconnect = _core.Interconnect(cabled(shape, int(places.max()) + 1))
    return Network(interconnect, places[np.asarray(nodes)])


def simulate_candidate(  # noqa: PLR0913
    selection: str,
    size: int,
    nodes: Sequence[int],
    machine: _core.Machine,
    known: _core.NodePlaces,
    *,
    leaves: Sequence[int] | None = None,
    degree: float = 0,
    level: str = "flow",
    explained_max: int = EXPLAINED_MAX,
) -> Simulation:
    """Simulate a selection ("allreduce=ring:segment=64KiB") for units of `size` bytes, a rank on each of `nodes`.

    `known`: where the nodes are. `leaves`: the switch of each rank's node, as a job says; None: as the network does.
    `degree`: to how many others a rank has a unit, where some may be empty; 0: to all.
    Raises _core.Error where the strategy cannot do that.
    """
    if known.why_unknown(max(nodes) + 1):
        known = _core.NodePlaces()
    network = network_of_nodes(known, nodes)
    sample = _core.Sample(selection, len(nodes), 0, 1, size, known, list(nodes), leaves, degree)
    machine, hop = with_latency_by_hops(machine, network.interconnect) if known.network else (machine, 0.0)
    program = _core.strategy_program(sample, size, machine, LOGGOPS, may_fold=False)
    return run(program, Ground(machine, LOGGOPS, 1, network, hop, level), explained_max=explained_max)
