# SPDX-License-Identifier: BSD-3-Clause
"""What links carry: the loads of a placement, with what other jobs send."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots
    from thalweg.placement.pattern import Pattern


def link_loads(
    pattern: Pattern, slots: Slots, slot_of: NDArray[np.int32], base_load: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Give the bytes on each link over its capacity, of shape (links,); `base_load` has the bytes of other jobs."""
    loads = _core.link_loads(pattern.core, slots.machine, slots.nodes, slot_of)
    if base_load is not None:
        for link in np.flatnonzero(base_load).tolist():
            loads[link] += base_load[link] / slots.machine.capacity(link)
    return loads


def bytes_on_links(slots: Slots, loads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the bytes that make these loads."""
    carried = np.zeros_like(loads)
    for link in np.flatnonzero(loads).tolist():
        carried[link] = loads[link] * slots.machine.capacity(link)
    return carried
