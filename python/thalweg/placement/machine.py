"""What tasks are put on: the nodes of a machine, with so many slots each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.balancing.files import read_nodes
from thalweg.errors import SETTINGS, ThalwegError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Slots(NamedTuple):
    """Places for ranks: slot s is on nodes[s], int64 of shape (slots,), the slots of a node one after the other."""

    machine: _core.Interconnect
    nodes: NDArray[np.int64]
    slots_per_node: int

    def node_index(self, slot: int) -> int:
        """Give which of the job's nodes a slot is on, from 0."""
        return slot // self.slots_per_node


def slots_of(machine: str, nodes: NDArray[np.int64] | None = None, slots_per_node: int = 1) -> Slots:
    """Make slots on nodes: coordinates of shape (nodes, dimensions), or numbers of shape (nodes,); None: all.

    Raises ThalwegError for what is no machine or none of its nodes, and for a node that comes twice.
    """
    try:
        interconnect = _core.parse_interconnect(machine)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    if slots_per_node < 1:
        raise ThalwegError(SETTINGS, f"{slots_per_node} slots a node", "give at least one")
    numbers = np.arange(interconnect.nodes) if nodes is None else _numbered(interconnect, np.asarray(nodes))
    if np.unique(numbers).size < numbers.size:
        raise ThalwegError(SETTINGS, "a node comes twice", "name each once, and give the number of slots a node")
    return Slots(interconnect, np.repeat(numbers.astype(np.int64), slots_per_node), slots_per_node)


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


def _numbered(machine: _core.Interconnect, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    if not np.issubdtype(nodes.dtype, np.integer) or nodes.ndim not in (1, 2):
        raise ThalwegError(SETTINGS, f"nodes of type {nodes.dtype}, {nodes.ndim} dimensions", "give whole numbers")
    extents = np.asarray(machine.extents, dtype=np.int64)
    if nodes.ndim == 1 or (nodes.shape[1] == 1 and extents.size != 1):
        limits, nodes = np.array([machine.nodes]), nodes.reshape(-1, 1)
    elif nodes.shape[1] == extents.size:
        limits = extents
    else:
        raise ThalwegError(
            SETTINGS,
            f"nodes with {nodes.shape[1]} coordinates on {machine.name}",
            f"give {extents.size}, or a node's number" if extents.size else "give a node's number",
        )
    outside = np.flatnonzero(((nodes < 0) | (nodes >= limits)).any(axis=1))
    if outside.size:
        where = " ".join(map(str, nodes[outside[0]]))
        raise ThalwegError(SETTINGS, f"node {where} is outside of {machine.name}", "nodes count from 0")
    strides = np.concatenate(([1], np.cumprod(limits)[:-1]))
    numbers: NDArray[np.int64] = (nodes.astype(np.int64) * strides).sum(axis=1)
    return numbers
