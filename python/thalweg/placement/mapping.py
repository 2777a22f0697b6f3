# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg.map_ranks`: a slot for each rank, what it gains, and how far from the best it can be at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.call_arguments import checked
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.notebook_html import table_html
from thalweg.placement.bounds import Bound, hop_bytes_bound, link_bound
from thalweg.placement.machine import Slots, slots_of
from thalweg.placement.pattern import Pattern, whole_number
from thalweg.units import time_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from thalweg.machine.machine import Machine
    from thalweg.notebook_figure import NotebookFigure


_BOUND_SECONDS = 5.0
"""At most so long a bound may take that could be improved as long as one likes."""


class Budget(NamedTuple):
    """How long to search: `seconds`, of the thread's own time with `cpu_time`; or a number of `proposals`.

    With proposals the same seed gives the same answer on every machine. So many `threads` search at once, each for all
    of the seconds; with proposals one does.
    """

    seconds: float = 1.0
    proposals: int = 0
    cpu_time: bool = False
    threads: int = 1


class Sharing(NamedTuple):
    """Tasks that outnumber slots, several on each: float64 `weights` of shape (tasks,), None for alike ones.

    `imbalance` is by how much of the mean the heaviest slot may be above it, where the weights let it.
    """

    weights: ArrayLike | None = None
    imbalance: float = 0.03


class Placement(NamedTuple):
    """A mapping: rank r is on slots.nodes[slot_of[r]]; int32 of shape (tasks,), no slot twice unless they are shared.

    `bounds` has, for "hop-bytes" and "link", what no mapping is below.
    """

    slot_of: NDArray[np.int32]
    slots: Slots
    method: str
    identity: _core.PlacementMetrics
    placed: _core.PlacementMetrics
    seconds: float
    bounds: dict[str, Bound]
    numbered: NDArray[np.int32]
    """What `identity` is of: rank r on slot r, and where ranks share slots, in their order by weight."""
    weights: NDArray[np.float64] | None = None
    """Of tasks that share slots."""
    base_load: NDArray[np.float64] | None = None
    """Bytes of other jobs on each link."""

    def __repr__(self) -> str:
        """Say what it is without its arrays."""
        placed, before = self.placed, self.identity
        return (
            f"<Placement of {self.slot_of.size} tasks by {self.method!r} in {self.seconds:.3g} s: "
            f"hop-bytes {placed.hop_bytes:.6g} (numbered: {before.hop_bytes:.6g}), "
            f"most loaded link {placed.link_max:.6g} bytes (numbered: {before.link_max:.6g})>"
        )

    def _repr_html_(self) -> str:
        """Show in a notebook the figures as numbered and as placed."""
        before, placed = self.identity, self.placed
        figures = (
            ("hop-bytes", before.hop_bytes, placed.hop_bytes, self.bounds.get("hop-bytes")),
            ("bytes on the most loaded link", before.link_max, placed.link_max, self.bounds.get("link")),
        )
        return table_html(
            f"{self.slot_of.size} tasks placed by {self.method} in {time_text(self.seconds)}",
            ("", "as numbered", "placed", "none is below"),
            [
                (name, f"{one:.6g}", f"{other:.6g}", f"{bound.value:.6g}" if bound is not None else "")
                for name, one, other, bound in figures
            ],
        )

    def plot(self, pattern: Pattern | Any) -> NotebookFigure:
        """Draw the bytes between slots as numbered and as placed; `pattern` is the one that was placed.

        Raises ThalwegError where there is no matplotlib.
        """
        from thalweg.placement.figures import placement_figure  # noqa: PLC0415 - which needs this module

        return placement_figure(pattern if isinstance(pattern, Pattern) else Pattern(pattern), self)

    @property
    def imbalance(self) -> float | None:
        """Give by how much of the mean the heaviest slot is above it; None where tasks share none."""
        if self.weights is None or not self.weights.sum():
            return None
        loads = np.bincount(self.slot_of, self.weights, self.slots.nodes.size)
        return float(loads.max() / loads.mean() - 1)

    def above_bound(self, objective: str) -> float | None:
        """Give how far above the bound the mapping is, as a part of the bound; None without one."""
        bound = self.bounds.get(objective)
        value = self.placed.hop_bytes if objective == "hop-bytes" else self.placed.link_max
        return value / bound.value - 1 if bound is not None and bound.value > 0 else None


@checked
def map_ranks(  # noqa: PLR0913 - a pattern and a machine, and what each of a problem's sides is if it is not the usual
    pattern: Pattern | Any,
    machine: str | Machine | Slots,
    *,
    nodes: ArrayLike | None = None,
    slots_per_node: ArrayLike | None = None,
    objective: str = "hop-bytes",
    budget: Budget | None = None,
    seed: int = 1,
    base_load: ArrayLike | None = None,
    bounds: bool = True,
    sharing: Sharing | None = None,
) -> Placement:
    """Say which rank goes where.

    pattern    a Pattern, or bytes from rank i to rank j as entry i, j of a matrix of numpy or scipy.sparse
    machine    such as "torus:16x16x16", a Machine, or what slots_of() made
    nodes      of the job: coordinates of shape (nodes, dimensions), or numbers of shape (nodes,); None: all
    slots_per_node  a number, or one for each node; None: one each, or what the Machine says
    objective  hop-bytes, link, contention or time, or a mixture: "hop-bytes:1,contention:2"
    base_load  bytes of other jobs on each link in the time of one pass through the pattern, of shape (links,)
    bounds     find also what no mapping beats
    sharing    where tasks outnumber slots: several on each, with alike weights

    The answer is never worse than rank r on slot r. Raises ThalwegError for what is no such problem.
    """
    limits = _checked(budget, seed)
    traffic = pattern if isinstance(pattern, Pattern) else Pattern(pattern)
    slots = machine if isinstance(machine, Slots) else slots_of(machine, nodes, slots_per_node)
    loads = np.empty(0) if base_load is None else _base_loads(base_load, slots)
    weights = _weights(traffic, sharing) if traffic.tasks > slots.nodes.size else None
    shared = None if sharing is None or weights is None else (weights.tolist(), sharing.imbalance)
    try:
        found = _core.map_tasks(
            traffic.core,
            slots.machine,
            slots.nodes,
            objective,
            limits.seconds,
            limits.proposals,
            limits.cpu_time,
            seed,
            loads,
            sharing=shared,
            threads=limits.threads,
        )
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    has_bounds = bounds and weights is None  # which are of tasks with slots of their own
    proven = _bounds(traffic, slots, min(limits.seconds, _BOUND_SECONDS)) if has_bounds else {}
    if found.is_proven and has_bounds and objective in proven:
        value_min = found.placed.hop_bytes if objective == "hop-bytes" else found.placed.link_max
        proven[objective] = Bound(value_min, "exact")
    figures = (found.method, found.identity, found.placed, found.seconds)
    return Placement(
        found.slot_of, slots, *figures, proven, found.numbered, weights, None if base_load is None else loads
    )


def _bounds(traffic: Pattern, slots: Slots, seconds: float) -> dict[str, Bound]:
    return {"hop-bytes": hop_bytes_bound(traffic, slots, seconds), "link": link_bound(traffic, slots)}


def _checked(budget: Budget | None, seed: int) -> Budget:
    """Refuse what is no budget or seed, and give the budget."""
    limits = Budget() if budget is None else budget
    if not limits.seconds >= 0:
        raise ThalwegError(SETTINGS, f"a budget of {limits.seconds!r} seconds", "give a number from 0")
    whole_number(limits.proposals, "proposals of a budget", 0, 2**62)
    whole_number(limits.threads, "threads of a budget", 1, 1024)
    whole_number(seed, "seed", 0, 2**63 - 1)
    return limits


def _base_loads(base_load: ArrayLike, slots: Slots) -> NDArray[np.float64]:
    try:
        loads = np.ascontiguousarray(base_load, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ThalwegError(SETTINGS, f"base_load: {error}", "give the bytes on each link") from error
    if loads.shape != (slots.machine.links,) or not (loads >= 0).all():
        problem = f"base_load of shape {loads.shape} for {slots.machine.links} links, or with bytes below 0"
        raise ThalwegError(SETTINGS, problem, "give the bytes on each link, from 0")
    return loads


def _weights(pattern: Pattern, sharing: Sharing | None) -> NDArray[np.float64] | None:
    if sharing is None:
        return None
    if sharing.weights is None:
        return np.ones(pattern.tasks)
    weights = np.ascontiguousarray(sharing.weights, dtype=np.float64)
    if weights.shape != (pattern.tasks,):
        raise ThalwegError(
            SETTINGS, f"weights of shape {weights.shape} for {pattern.tasks} tasks", "give one for each task"
        )
    return weights
