# SPDX-License-Identifier: BSD-3-Clause
"""What to ask a scheduler for: a program's predicted communication on allocations of several shapes and sizes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.call_arguments import checked
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.machine import Machine
from thalweg.placement.machine import Slots
from thalweg.placement.mapping import Budget
from thalweg.placement.pattern import Pattern, whole_number
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_SHAPES_MAX = 6
"""Of one number of nodes: the most compact, and the longest beside them."""

_EVALUATED_MAX = 200


class LinkCosts(NamedTuple):
    """What times are predicted with: a link's bytes per second, and seconds of a hop and of one end of a message."""

    bytes_per_second: float = 1e10
    hop_seconds: float = 1e-7
    message_seconds: float = 1e-6


class Advice(NamedTuple):
    """An allocation, and what the best placement that was found on it is predicted to need.

    shape           sides of a box of switches, as 4x4x2; or how the nodes were chosen
    nodes           how many, of which `spare` need not be used: the placement leaves out the worst
    ranks_per_node  that a node takes at most
    seconds         of the pattern's communication, all phases with their repeats
    seconds_in_order  the same with rank r on slot r
    link_max        bytes on the most loaded link over its capacity, phase by phase, and `hottest` is the link of all
                    phases together, "" where nothing crosses a link
    """

    shape: str
    nodes: int
    ranks_per_node: int
    spare: int
    seconds: float
    seconds_in_order: float
    hops_per_byte: float
    link_max: float
    hottest: str


@checked
def advise(  # noqa: PLR0913 - a pattern and a machine, and what may be asked for
    pattern: Pattern | Any,
    machine: str,
    *,
    ranks_per_node: Sequence[int] = (1,),
    spare: int = 0,
    budget: Budget | None = None,
    seed: int = 1,
    costs: LinkCosts | None = None,
) -> list[Advice]:
    """Predict a program's communication on allocations of a machine, the fastest first.

    pattern         a Pattern, or bytes from rank i to rank j as entry i, j of a matrix
    machine         such as "torus:16x16x16" (docs/machines.md)
    ranks_per_node  to try; more than there are ranks is as many
    spare           nodes more than needed that an allocation may have
    budget          of the search for a placement on each allocation; a tenth of a second by default

    On meshes and tori allocations are boxes; where switches have several nodes, all of a switch's belong to it. On
    other machines they are the first nodes, and as many spread evenly. Raises ThalwegError where the program has
    no room on the machine, and for numbers below 1.
    """
    traffic = pattern if isinstance(pattern, Pattern) else Pattern(pattern)
    if not ranks_per_node or min(ranks_per_node) < 1 or spare < 0:
        raise ThalwegError(SETTINGS, "fewer than one rank a node, or spare nodes below 0", "give numbers above")
    whole_number(seed, "seed", 0, 2**63 - 1)
    whole = Machine(machine)
    used = costs or LinkCosts()
    rooms = sorted({min(per_node, max(traffic.tasks, 1)) for per_node in ranks_per_node})
    try:
        found = [
            _advice(traffic, allocation, room, budget or Budget(0.1), seed, used)
            for room in rooms
            for allocation in itertools.islice(_allocations(whole, -(-traffic.tasks // room), spare), _EVALUATED_MAX)
        ]
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    if not found:
        message = f"{traffic.tasks} ranks have no room on {whole.name} of {whole.node_count} nodes"
        raise ThalwegError(SETTINGS, message, "allow more ranks a node, or take a larger machine")
    return sorted(found, key=lambda one: (one.seconds, one.nodes))


class _Allocation(NamedTuple):
    machine: Machine
    shape: str
    nodes: NDArray[np.int64]
    needed: int


def _allocations(machine: Machine, needed: int, spare: int) -> Iterator[_Allocation]:
    grid = machine.grid
    if grid is None:
        yield from _spread(machine, needed, spare)
        return
    per_switch = machine.interconnect.rank_nodes // grid.places
    has_number = machine.interconnect.nodes > grid.places  # a node's coordinates end with its number on the switch
    switches = -(-needed // per_switch)
    switches_max = min(max(switches, (needed + spare) // per_switch), grid.places)
    for count in range(switches, switches_max + 1):
        for sides in _boxes(count, list(grid.extents)):
            ranges = [np.arange(side) for side in [*sides, *([per_switch] if has_number else [])]]
            mesh = np.meshgrid(*ranges, indexing="ij")
            coordinates = np.stack([axis.ravel() for axis in mesh], axis=1)
            # The first coordinate is the fastest, so that numbers of ranks go along it, but nodes of a switch together.
            order = np.lexsort(coordinates[:, : len(sides)].T)
            nodes = Machine(machine.name, coordinates[order]).nodes
            yield _Allocation(machine, "x".join(map(str, sides)), nodes, needed)


def _boxes(count: int, extents: list[int]) -> list[tuple[int, ...]]:
    """Give sides of boxes of so many switches that fit: the most compact, and the longest."""
    fitting = sorted(
        {sides for sides in _factors(count, len(extents)) if all(a <= b for a, b in zip(sides, extents, strict=True))},
        key=lambda sides: (sum(sides), max(sides), sides),
    )
    # Of boxes with the same sides in another order the first serves, unless the machine's sides differ too.
    distinct: dict[tuple[tuple[int, int], ...], tuple[int, ...]] = {}
    for sides in fitting:
        distinct.setdefault(tuple(sorted(zip(sides, extents, strict=True))), sides)
    boxes = list(distinct.values())
    return boxes if len(boxes) <= _SHAPES_MAX else [*boxes[: _SHAPES_MAX - 1], boxes[-1]]


def _factors(count: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (count,)
        return
    for first in range(1, count + 1):
        if count % first == 0:
            yield from ((first, *rest) for rest in _factors(count // first, parts - 1))


def _spread(machine: Machine, needed: int, spare: int) -> Iterator[_Allocation]:
    nodes = machine.nodes
    count = min(needed + spare, nodes.size)
    if count < needed:
        return
    yield _Allocation(machine, "the first", nodes[:needed], needed)
    if spare:
        yield _Allocation(machine, "the first", nodes[:count], needed)
    if nodes.size > count:
        where = np.arange(needed) * nodes.size // needed
        yield _Allocation(machine, "spread evenly", nodes[where], needed)


def _advice(  # noqa: PLR0913, PLR0917
    pattern: Pattern, allocation: _Allocation, per_node: int, budget: Budget, seed: int, costs: LinkCosts
) -> Advice:
    counts = np.full(allocation.nodes.size, per_node)
    slots = Slots(allocation.machine.interconnect, np.repeat(allocation.nodes, counts), counts)
    # Few hops are found sooner than what the time depends on.
    where = (pattern.core, slots.machine, slots.nodes)
    prices = (costs.bytes_per_second, costs.hop_seconds, costs.message_seconds)
    limits = (budget.seconds / 2, budget.proposals // 2, budget.cpu_time)
    candidates = [
        _core.map_tasks(*where, goal, *limits, seed, np.empty(0), prices)
        for goal in ("time", "hop-bytes:1,contention:1")
    ]
    best = min(candidates, key=lambda one: one.placed.seconds)
    loads = _core.link_loads(pattern.core, slots.machine, slots.nodes, best.slot_of)
    is_loaded = loads.size > 0 and loads.max() > 0
    return Advice(
        allocation.shape,
        int(allocation.nodes.size),
        per_node,
        int(allocation.nodes.size) - allocation.needed,
        best.placed.seconds,
        best.identity.seconds,
        best.placed.hops_per_byte,
        best.placed.phase_link_max,
        slots.machine.link_name(int(loads.argmax())) if is_loaded else "",
    )


HEADINGS = (
    "allocation",
    "nodes",
    "ranks a node",
    "spare",
    "time",
    "of the best",
    "in order",
    "hops a byte",
    "hottest link",
)


def rows_of(found: Sequence[Advice]) -> list[list[str]]:
    """Write a row for each allocation, for people."""
    best = found[0].seconds
    return [
        [
            one.shape,
            str(one.nodes),
            str(one.ranks_per_node),
            str(one.spare),
            time_text(one.seconds),
            f"{one.seconds / best if best else 1.0:.2f}",
            f"{one.seconds_in_order / one.seconds if one.seconds else 1.0:.2f}",
            f"{one.hops_per_byte:.3g}",
            one.hottest or "-",
        ]
        for one in found
    ]
