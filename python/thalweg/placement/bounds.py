# SPDX-License-Identifier: BSD-3-Clause
"""What no mapping beats: bounds of hop-bytes and of the most loaded link.

Each is proven for the pattern and the slots at hand, and the best of them counts:

near      each task's heaviest partners have the nearest slots, at best those of the slot that has the nearest
injection what a task sends or receives crosses its node's own links, but for what tasks beside it may have of it
products  Gilmore and Lawler's: each task's bytes, the most first, times a slot's hops, the fewest first, and the
          cheapest assignment of tasks to slots with these
exact     branch and bound, up to 12 slots: what it proves; and all mappings, where the search went through them
relaxed   the dual of the linear relaxation with level-1 RLT rows, up to 30 slots; on a whole torus with the first task
          on the first node, as all nodes are alike
cuts      on a mesh or torus, hops are counted by cuts through it. Of n tasks with n_c on one side, at least
          lambda2 * n_c * (n - n_c) / n bytes cross, where lambda2 is the second eigenvalue of the pattern's Laplacian
cube      the same cuts, where the pattern is a hypercube: Harper's isoperimetric inequality says what crosses
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import linalg, sparse

from thalweg import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots
    from thalweg.placement.pattern import Pattern

_PRODUCTS_MAX = 320
_EXACT_MAX = 12
_RELAXED_MAX = 30
_WHOLE_MAX = 2.0**49
_CUTS_MAX = 1024
_ROUNDING = 1e-9


class Bound(NamedTuple):
    """A value that no mapping is below, and why; 0 and "" where nothing is known."""

    value: float
    reason: str


class _Cut(NamedTuple):
    """Slots on one side, how much of a hop it counts, and links that cross it one way."""

    side: int
    weight: float
    links: int


def hop_bytes_bound(pattern: Pattern, slots: Slots, seconds: float = 1.0) -> Bound:
    """Bound the hop-bytes of all mappings, within about so many seconds."""
    both = pattern.both_ways()
    total = float(both.sum()) / 2
    found = [Bound(0.0, "")]
    if total and pattern.tasks <= slots.nodes.size:
        found.append(Bound((1 - _ROUNDING) * _core.near_bound(pattern.core, slots.machine, slots.nodes), "near"))
    if total and pattern.tasks <= slots.nodes.size <= _PRODUCTS_MAX:
        found += _quadratic_bounds(both, slots, seconds)
    crossing = _crossing(pattern, both, slots)
    if crossing is not None:
        values, reason = crossing
        weighted = [cut.weight * values[cut.side] for cut in _cuts(slots)]
        found.append(Bound((1 - _ROUNDING) * float(np.sum(weighted)), reason))
    return max(found)


def link_bound(pattern: Pattern, slots: Slots) -> Bound:
    """Bound the most loaded link, all phases at once. A cut's bytes are on its links, at best evenly."""
    if pattern.tasks > slots.nodes.size:
        return Bound(0.0, "")
    found = [Bound((1 - _ROUNDING) * _core.injection_bound(pattern.core, slots.machine, slots.nodes), "injection")]
    crossing = _crossing(pattern, pattern.both_ways(), slots)
    if crossing is not None:
        values, reason = crossing
        # Each cut of an even torus is one of two places; those of an odd one count half.
        best = max((values[cut.side] / (2 * cut.links) for cut in _cuts(slots)), default=0.0)
        found.append(Bound((1 - _ROUNDING) * float(best), reason))
    return max(found)


def _quadratic_bounds(both: sparse.csr_array, slots: Slots, seconds: float) -> list[Bound]:
    """Bound the quadratic assignment problem that placement by hop-bytes is. Its cost counts both ways."""
    size = slots.nodes.size
    bytes_ = np.zeros((size, size))
    order = np.argsort(-np.asarray(both.sum(axis=1)).ravel(), kind="stable")  # the busiest first, as it is bound first
    bytes_[: order.size, : order.size] = both.toarray()[np.ix_(order, order)]
    hops = _hops(slots)
    unit = float(bytes_.sum()) * max(float(hops.sum()), 1.0) / _WHOLE_MAX
    if unit <= 1 and np.array_equal(bytes_, np.floor(bytes_)):
        unit = 1.0
    arguments = (size, np.floor(bytes_ / unit).astype(np.int64).ravel(), hops.ravel())
    found = [Bound(unit * _core.gilmore_lawler(*arguments) / 2, "products")]
    if size <= _EXACT_MAX:
        found.append(Bound(unit * _core.quadratic_exact(*arguments, seconds, 1)[2] / 2, "exact"))
    elif size <= _RELAXED_MAX:
        is_torus = slots.machine.name.startswith("torus") and slots.extents != ()
        are_alike = is_torus and np.array_equal(np.sort(slots.nodes), np.arange(slots.machine.nodes))
        relaxed = _core.quadratic_relaxation(*arguments, are_alike, seconds)
        found.append(Bound(unit * relaxed / 2, "relaxed"))
    return found


def _hops(slots: Slots) -> NDArray[np.int64]:
    count = slots.nodes.size
    a, b = np.repeat(slots.nodes, count), np.tile(slots.nodes, count)
    return slots.machine.hops(a, b).reshape(count, count)


def _crossing(pattern: Pattern, both: sparse.csr_array, slots: Slots) -> tuple[NDArray[np.float64], str] | None:
    """Give the least bytes between so many tasks and the others, by their number, and why."""
    count = pattern.tasks
    if count != slots.nodes.size or not 2 <= count <= _CUTS_MAX or not slots.extents or not both.nnz:
        return None
    sizes = np.arange(count + 1)
    if set(_core.recognized_mesh(pattern.core)) == {2} and 1 << len(_core.recognized_mesh(pattern.core)) == count:
        ones = np.array([int(number).bit_count() for number in range(count)])
        inside = np.concatenate(([0], np.cumsum(ones)))
        return float(both.data.min()) * (int(np.log2(count)) * sizes - 2.0 * inside), "cube"
    laplacian = np.diag(np.asarray(both.sum(axis=1)).ravel()) - both.toarray()
    second = max(float(linalg.eigvalsh(laplacian, subset_by_index=[1, 1])[0]), 0.0)
    return second * sizes * (count - sizes) / count, "cuts"


def _cuts(slots: Slots) -> Iterator[_Cut]:
    """Cut the grid into two sides, in all ways that hops are counted by."""
    extents = np.asarray(slots.extents)
    strides = np.concatenate(([1], np.cumprod(extents)[:-1]))
    coordinates = slots.nodes[:, None] // strides % extents
    wraps = slots.machine.name.startswith("torus")
    spans = np.ptp(coordinates, axis=0) + 1
    # Shortest ways do not leave a box of at most half of each side, so no other links help.
    is_boxed = not wraps or bool((2 * spans <= extents).all())
    for dimension, extent in enumerate(extents):
        counts = np.bincount(coordinates[:, dimension], minlength=extent)
        others = np.delete(spans if is_boxed else extents, dimension)
        links = int(np.prod(others)) * (1 if is_boxed else 2)
        if not wraps:
            for edge in range(extent - 1):
                yield _Cut(int(counts[: edge + 1].sum()), 1.0, links)
            continue
        around = np.concatenate((counts, counts))
        half = extent // 2
        if extent % 2 == 0:
            for edge in range(half):
                yield _Cut(int(around[edge + 1 : edge + 1 + half].sum()), 1.0, links)
        else:
            for edge in range(extent):
                yield _Cut(int(around[edge + 1 : edge + 1 + half].sum()), 0.5, links)
