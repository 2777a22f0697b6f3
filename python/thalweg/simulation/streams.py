# SPDX-License-Identifier: BSD-3-Clause
"""Streams of items on machines that nobody here has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from thalweg import _core
from thalweg.call_arguments import checked
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.simulation.ground import Costs, ground_of
from thalweg.simulation.simulate import EXPLAINED_MAX, run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thalweg.simulation.results import Simulation

BUFFER_BYTES = 16384


@checked
def simulate_stream(  # noqa: PLR0913 - a stream has that many sides
    shape: Sequence[int],
    items: int,
    item_bytes: int = 8,
    *,
    ranks: int = 0,
    buffer_bytes: int = BUFFER_BYTES,
    item_nanoseconds: float | None = None,
    costs: Costs | None = None,
    explained_max: int = EXPLAINED_MAX,
    timeline: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Simulate a phase of a stream over a virtual mesh: each rank sends equally many items to all ranks.

    shape             the mesh's sides; one: items go straight to their ranks
    items             that each rank sends
    ranks             0: as many as the mesh has places; fewer leave holes in its last plane
    buffer_bytes      a buffer is sent when it is so full
    item_nanoseconds  of a processor for each hop of an item; None: what Thalweg's own streams take
    """
    ground = ground_of(costs or Costs(), ranks or math.prod(shape))
    try:
        program = _core.stream_program(
            ranks or math.prod(shape),
            list(shape),
            items,
            item_bytes,
            buffer_bytes,
            _core.item_nanoseconds(item_bytes) if item_nanoseconds is None else item_nanoseconds,
            ground.machine,
            ground.ranks_per_node,
            ground.loggops,
            ground.nodes,
        )
    except (_core.Error, TypeError) as error:
        problem = error.args if isinstance(error, _core.Error) else (f"a stream on the mesh {shape}", "choose less")
        raise ThalwegError(SETTINGS, *problem) from error
    return run(program, ground, explained_max=explained_max, timeline=timeline, progress=progress)
