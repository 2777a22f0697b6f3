"""What tasks are put on: the nodes of a machine, with so many slots each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg.balancing.files import read_nodes
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.machine import Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg import _core


class Slots(NamedTuple):
    """Places for ranks: slot s is on nodes[s], int64 of shape (slots,), the slots of a node one after the other."""

    machine: _core.Interconnect
    nodes: NDArray[np.int64]
    slots_per_node: int

    @property
    def extents(self) -> tuple[int, ...]:
        """Give the sides of the plain mesh or torus that the machine is, with equal links; empty where it is none."""
        grid = self.machine.grid
        is_plain = grid is not None and self.machine.vertices == self.machine.nodes and "," not in self.machine.name
        return tuple(grid.extents) if grid is not None and is_plain else ()

    @property
    def is_one_node(self) -> bool:
        """Tell whether the machine is the cores of one node, by what they share: its nodes are cores then."""
        return self.machine.name.startswith("resources:")

    @property
    def node_count(self) -> int:
        """Give how many nodes the job has."""
        return 1 if self.is_one_node else self.nodes.size // self.slots_per_node

    def node_and_core(self, slot: int) -> tuple[int, int]:
        """Give which of the job's nodes a slot is on, and which of the node's cores it takes, both from 0."""
        return (0, int(self.nodes[slot])) if self.is_one_node else divmod(slot, self.slots_per_node)


def slots_of(machine: str, nodes: NDArray[np.int64] | None = None, slots_per_node: int = 1) -> Slots:
    """Make slots on nodes: coordinates of shape (nodes, dimensions), or numbers of shape (nodes,); None: all.

    Raises ThalwegError for what is no machine or none of its nodes, and for a node that comes twice.
    """
    where = None if nodes is None else np.asarray(nodes)
    if where is not None and where.ndim == 2 and where.shape[1] == 1:
        where = where.ravel()
    made = Machine(machine, where, slots_per_node=slots_per_node)
    return Slots(made.interconnect, made.places_of(made.node_count * slots_per_node), slots_per_node)


def read_slots(machine: str, nodes_file: str, slots_per_node: int = 1) -> Slots:
    """Make slots from a file of nodes, which may name the torus itself; "" for either: the other's."""
    if not nodes_file:
        if not machine:
            raise ThalwegError(SETTINGS, "no machine", "give one, such as --machine torus:16x16x16")
        return slots_of(machine, None, slots_per_node)
    found = read_nodes(nodes_file)
    named = "torus:" + "x".join(map(str, found.extents)) if found.extents else ""
    if not machine and not named:
        raise ThalwegError(SETTINGS, f"{nodes_file} names no torus", "give --machine")
    return slots_of(machine or named, found.coordinates, slots_per_node)
