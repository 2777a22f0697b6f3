# SPDX-License-Identifier: BSD-3-Clause
"""The patterns and allocations that placements are measured on, all made here.

Of Sudheer Kumar 2012's six patterns (section 6.3.1) three are exact: recursive doubling, the binomial tree, Bruck's
all-gather. Three stand in for what is not to be had. A 7-point stencil on a box is for 3Dspectralwave, a Delaunay mesh
of random points for ParFUM's. The graph of a grid's nodes with the unknowns on its edges is for Aug2D. The last two are
cut into equal parts by coordinates, one a rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse, spatial

from thalweg.placement.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_POINTS_PER_RANK = 64
_BYTES = 8.0


def _of_edges(ranks: int, edges: list[tuple[int, int, float]]) -> sparse.coo_array:
    rows = np.array(edges, dtype=np.float64).reshape(-1, 3)
    return sparse.coo_array((rows[:, 2], (rows[:, 0].astype(int), rows[:, 1].astype(int))), shape=(ranks, ranks))


def recursive_doubling(ranks: int) -> Pattern:
    """All-reduce: in round k with the rank whose k-th bit differs; ranks beyond a power of two are folded in."""
    pattern = Pattern(tasks=ranks)
    bits = ranks.bit_length() - 1
    extra = ranks - (1 << bits)

    def real(rank: int) -> int:
        return 2 * rank + 1 if rank < extra else rank + extra

    if extra:
        pattern.add_phase("fold", _of_edges(ranks, [(2 * rank, 2 * rank + 1, 1.0) for rank in range(extra)]))
    for bit in range(bits):
        edges = [(real(rank), real(rank ^ (1 << bit)), 1.0) for rank in range(1 << bits)]
        pattern.add_phase(f"round {bit}", _of_edges(ranks, edges))
    if extra:
        pattern.add_phase("unfold", _of_edges(ranks, [(2 * rank + 1, 2 * rank, 1.0) for rank in range(extra)]))
    return pattern


def binomial(ranks: int) -> Pattern:
    """Broadcast from rank 0: the farthest first."""
    pattern = Pattern(tasks=ranks)
    step = 1 << max((ranks - 1).bit_length() - 1, 0)
    while step:
        edges = [(rank, rank + step, 1.0) for rank in range(0, ranks - step, 2 * step)]
        pattern.add_phase(f"step {step}", _of_edges(ranks, edges))
        step //= 2
    return pattern


def bruck(ranks: int) -> Pattern:
    """All-gather: in round k what has been gathered goes to the rank 2^k before."""
    pattern = Pattern(tasks=ranks)
    step = 1
    while step < ranks:
        edges = [(rank, (rank - step) % ranks, float(min(step, ranks - step))) for rank in range(ranks)]
        pattern.add_phase(f"round {step}", _of_edges(ranks, edges))
        step *= 2
    return pattern


def box(ranks: int) -> tuple[int, int, int]:
    """Give three sides whose product is the ranks, as alike as can be."""
    sides = [
        (x, y, ranks // x // y)
        for x in range(1, ranks + 1)
        if x**3 <= ranks and ranks % x == 0
        for y in range(x, ranks + 1)
        if x * y * y <= ranks and (ranks // x) % y == 0
    ]
    return min(sides, key=lambda three: three[2] - three[0])


def stencil(ranks: int, *, shuffled: bool = False) -> Pattern:
    """Seven points on a box that is no torus."""
    sides = box(ranks)
    numbers = np.arange(ranks).reshape(sides)
    if shuffled:
        numbers = np.random.default_rng(7).permutation(ranks).reshape(sides)
    pairs = np.concatenate(
        [
            np.stack([np.delete(numbers, -1, axis).ravel(), np.delete(numbers, 0, axis).ravel()], axis=1)
            for axis in range(3)
        ]
    )
    ends = np.concatenate((pairs, pairs[:, ::-1]))
    return Pattern(sparse.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(ranks, ranks)))


def _parts(points: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Cut points into parts of about equal numbers: across the longer side, again and again."""
    part = np.zeros(len(points), dtype=np.int64)
    todo = [(np.arange(len(points)), 0, count)]
    while todo:
        members, first, last = todo.pop()
        if last - first == 1:
            part[members] = first
            continue
        middle = (first + last) // 2
        axis = int(np.ptp(points[members], axis=0).argmax())
        order = members[np.argsort(points[members, axis], kind="stable")]
        border = round(order.size * (middle - first) / (last - first))
        todo += [(order[:border], first, middle), (order[border:], middle, last)]
    return part


def _between_parts(edges: NDArray[np.int64], part: NDArray[np.int64], ranks: int) -> Pattern:
    ends = part[edges]
    ends = ends[ends[:, 0] != ends[:, 1]]
    bytes_ = np.full(2 * len(ends), _BYTES)
    both = np.concatenate((ends, ends[:, ::-1]))
    return Pattern(sparse.coo_array((bytes_, (both[:, 0], both[:, 1])), shape=(ranks, ranks)))


def mesh(ranks: int) -> Pattern:
    """Take a Delaunay mesh of random points in a square."""
    points = np.random.default_rng(1).random((_POINTS_PER_RANK * ranks, 2))
    triangles = spatial.Delaunay(points).simplices
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])
    unique = np.unique(np.sort(edges, axis=1), axis=0).astype(np.int64)
    return _between_parts(unique, _parts(points, ranks), ranks)


def aug2d(ranks: int) -> Pattern:
    """Take the unknowns of a square grid, on its edges, with the constraint of each of its nodes."""
    side = max(round((_POINTS_PER_RANK * ranks / 3) ** 0.5), 3)
    nodes = np.arange(side * side).reshape(side, side)
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    points = [np.stack((x.ravel(), y.ravel()), axis=1).astype(float)]
    edges = []
    first = side * side
    for axis in (0, 1):
        one, other = np.delete(nodes, -1, axis).ravel(), np.delete(nodes, 0, axis).ravel()
        unknowns = first + np.arange(one.size)
        points.append((points[0][one] + points[0][other]) / 2)
        edges += [np.stack((unknowns, one), axis=1), np.stack((unknowns, other), axis=1)]
        first += one.size
    return _between_parts(np.concatenate(edges), _parts(np.concatenate(points), ranks), ranks)


PATTERNS: dict[str, Callable[[int], Pattern]] = {
    "recursive doubling": recursive_doubling,
    "binomial": binomial,
    "bruck": bruck,
    "stencil": stencil,
    "mesh": mesh,
    "aug2d": aug2d,
}
