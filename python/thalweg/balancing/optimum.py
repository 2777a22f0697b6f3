# SPDX-License-Identifier: BSD-3-Clause
"""The fewest hop-tasks that any flow needs: a yardstick, far too slow to balance with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import coo_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg import _core


def hop_tasks_min(grid: _core.Grid, places: NDArray[np.int64], excess: NDArray[np.int64]) -> int:
    """Solve the minimum-cost flow over the grid's links, each of cost 1 and of any capacity.

    `places` are those of the ranks and `excess` their loads over their targets, both of shape (ranks,); the excess has
    to sum to 0. A message over so many hops is the same as its tasks over so many links, so this bounds every scheme.
    By HiGHS; seconds for thousands of links, minutes for hundreds of thousands.
    """
    supply = np.zeros(grid.places)
    np.add.at(supply, places, excess)
    tails, heads = _links(grid)
    if tails.size == 0:
        return 0
    links = np.arange(tails.size)
    ends = np.concatenate((tails, heads))
    signs = np.concatenate((np.ones(tails.size), -np.ones(heads.size)))
    incidence = coo_array((signs, (ends, np.concatenate((links, links)))), shape=(grid.places, tails.size))
    found = milp(np.ones(tails.size), constraints=LinearConstraint(incidence.tocsr(), supply, supply))
    if not found.success:
        message = f"no flow over {grid.name}: {found.message}"
        raise ValueError(message)
    return round(float(found.fun))


def _links(grid: _core.Grid) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give both ends of all links, each direction on its own."""
    places = np.arange(grid.places, dtype=np.int64)
    tails, heads = [], []
    stride = 1
    for extent in grid.extents:
        ahead = places + np.where(places // stride % extent == extent - 1, stride * (1 - extent), stride)
        kept = slice(None) if grid.wraps else places // stride % extent < extent - 1
        if extent > 1:
            tails += [places[kept], ahead[kept]]
            heads += [ahead[kept], places[kept]]
        stride *= extent
    if not tails:
        return places[:0], places[:0]
    return np.concatenate(tails), np.concatenate(heads)
