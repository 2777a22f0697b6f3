# SPDX-License-Identifier: BSD-3-Clause
"""Partitioners as peers where nodes have several slots: KaHIP, METIS and Mt-KaHyPar, from their packages of Python.

Each is optional. KaHIP and METIS cut the ranks into parts, and Thalweg's search maps these onto the nodes; Mt-KaHyPar
maps by itself. Parts that are too full give ranks to others, wherever that costs least.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from thalweg.placement.mapping import Budget, map_ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots
    from thalweg.placement.pattern import Pattern

_MAP_SECONDS = 0.3
_MODULES = {"kahip": "kahip", "metis": "pymetis", "mt-kahypar": "mtkahypar"}


def installed() -> list[str]:
    """Name the partitioners that are here."""
    return [name for name, module in _MODULES.items() if importlib.util.find_spec(module) is not None]


def node_of_ranks(name: str, pattern: Pattern, nodes: Slots, ranks_per_node: int) -> tuple[NDArray[np.int32], float]:
    """Give each rank's node, int32 of shape (ranks,), and the thread's own seconds; as many ranks on each node.

    `nodes` has one slot for each node.
    """
    both = sparse.csr_array(pattern.both_ways())
    both.data = np.maximum(np.rint(both.data / max(both.data.max() / 1e5, 1e-9)), 1)
    before = time.process_time()
    parts: Callable[..., NDArray[np.int32]] = {"kahip": _kahip, "metis": _metis, "mt-kahypar": _mt_kahypar}[name]
    module: Any = importlib.import_module(_MODULES[name])
    part_of = _evened(parts(module, both, nodes), both, nodes.nodes.size, ranks_per_node)
    if name != "mt-kahypar":
        quotient = sparse.coo_array(both)
        ends = (part_of[quotient.coords[0]], part_of[quotient.coords[1]])
        cut = sparse.coo_array((quotient.data, ends), shape=(nodes.nodes.size,) * 2)
        budget = Budget(_MAP_SECONDS, cpu_time=True)
        part_of = map_ranks(cut, nodes, budget=budget, bounds=False).slot_of[part_of]
    return part_of, time.process_time() - before


def _kahip(module: Any, both: sparse.csr_array, nodes: Slots) -> NDArray[np.int32]:
    eco = 1
    rows = (both.indptr.tolist(), both.data.astype(int).tolist(), both.indices.tolist())
    ones = [1] * both.shape[0]
    found = module.kaffpa(ones, *rows, nodes.nodes.size, 0.0, True, 1, eco)
    return np.array(found[1], dtype=np.int32)


def _metis(module: Any, both: sparse.csr_array, nodes: Slots) -> NDArray[np.int32]:
    options = module.Options(ufactor=1)
    found = module.part_graph(
        nodes.nodes.size,
        xadj=both.indptr.tolist(),
        adjncy=both.indices.tolist(),
        eweights=both.data.astype(int).tolist(),
        options=options,
    )
    return np.array(found[1], dtype=np.int32)


def _mt_kahypar(module: Any, both: sparse.csr_array, nodes: Slots) -> NDArray[np.int32]:
    mapper = module.initialize(1)
    context = mapper.context_from_preset(module.PresetType.QUALITY)
    context.set_partitioning_parameters(nodes.nodes.size, 0.001, module.Objective.CUT)
    context.logging = False
    upper = sparse.coo_array(sparse.triu(both, k=1))
    edges = list(zip(upper.coords[0].tolist(), upper.coords[1].tolist(), strict=True))
    ones = [1] * both.shape[0]
    graph = mapper.create_graph(context, both.shape[0], len(edges), edges, ones, upper.data.astype(int).tolist())
    count = nodes.nodes.size
    a, b = np.triu_indices(count, 1)
    hops = nodes.machine.hops(nodes.nodes[a], nodes.nodes[b])
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    target = mapper.create_target_graph(context, count, len(pairs), pairs, hops.tolist())
    mapped = graph.map_onto_graph(target, context)
    return np.array([mapped.block_id(rank) for rank in range(both.shape[0])], dtype=np.int32)


def _evened(part_of: NDArray[np.int32], both: sparse.csr_array, parts: int, full: int) -> NDArray[np.int32]:
    """Move ranks out of parts that are too full, those that lose least by it."""
    sizes = np.bincount(part_of, minlength=parts)
    while sizes.max() > full:
        best = (-np.inf, -1, -1)
        for rank in np.flatnonzero(sizes[part_of] > full).tolist():
            begin, end = both.indptr[rank], both.indptr[rank + 1]
            own = np.bincount(part_of[both.indices[begin:end]], both.data[begin:end], parts)
            to = int(np.where(sizes < full, own, -1.0).argmax())
            best = max(best, (float(own[to] - own[part_of[rank]]), rank, to))
        _, moved, where = best
        sizes[part_of[moved]] -= 1
        sizes[where] += 1
        part_of[moved] = where
    return part_of
