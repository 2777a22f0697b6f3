# SPDX-License-Identifier: BSD-3-Clause
"""A machine, and what a job has of it: thalweg.Machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from thalweg import _core
from thalweg.call_arguments import checked
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.notebook_html import facts_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from thalweg.notebook_figure import NotebookFigure


class Machine:
    """An interconnect, and the nodes of it that a job has, in the order of the ranks on them.

    interconnect  what lies between all of the machine's nodes
    nodes         the job's, by number, int64 of shape (nodes,)
    slots         the node of each slot, int64 of shape (slots,); none where slots_per_node was not given
    slots_per_node  as it was given: one number, or one for each node, in a row
    """

    @checked
    def __init__(self, name: str, nodes: ArrayLike | None = None, *, slots_per_node: ArrayLike | None = None) -> None:
        """Take a machine such as "torus:25x32x24", "tree:16^3" or "graph:FILE" (docs/machines.md), and nodes of it.

        nodes           their numbers, of shape (nodes,), or on meshes and tori coordinates: (nodes, dimensions), and
                        one more where a switch has several nodes, the node's number there; None: all that take ranks,
                        the first coordinate fastest
        slots_per_node  how many ranks each may have, a number or one for each node, from 0; None: all equally many

        Raises ThalwegError where the machine is none, or a node is outside of it, there twice, or takes no ranks.
        """
        try:
            self.interconnect = _core.Interconnect(name)
            self._nodes = None if nodes is None else self._numbered(np.asarray(nodes))
            self.slots_per_node = None if slots_per_node is None else _whole(slots_per_node, self.interconnect)
            self.slots = self._slots()
        except _core.Error as error:
            raise ThalwegError(SETTINGS, *error.args) from error

    def __repr__(self) -> str:
        """Say what it is without its arrays."""
        slots = "" if self.slots is None else f", {self.slots.size} slots"
        return f"<Machine {self.name}: {self.node_count} nodes{slots}, {self.interconnect.diameter} hops across>"

    def _repr_html_(self) -> str:
        """Show its figures in a notebook."""
        shape = self.interconnect
        return facts_html(
            self.name,
            [
                ("nodes of the job", f"{self.node_count:,}"),
                ("nodes", f"{shape.nodes:,}"),
                ("links of the job", f"{self.links:,}, each one way"),
                ("diameter", f"{shape.diameter} hops"),
                ("mean hops", f"{shape.mean_hops:.2f}"),
                *([("slots", f"{self.slots.size:,}")] if self.slots is not None else []),
            ],
        )

    def plot(self) -> NotebookFigure:
        """Draw its switches, nodes and links if they are few, and how many nodes are how far from the first.

        Raises ThalwegError where there is no matplotlib.
        """
        from thalweg.machine.figures import machine_figure  # noqa: PLC0415 - slow, and few programs draw

        return machine_figure(self.interconnect)

    @property
    def name(self) -> str:
        """Name the machine."""
        return self.interconnect.name

    @property
    def grid(self) -> _core.Grid | None:
        """Give the mesh or torus of its switches, if they are on one."""
        return self.interconnect.grid

    @property
    def nodes(self) -> NDArray[np.int64]:
        """Number the job's nodes."""
        try:
            return self.interconnect.nodes_for_ranks() if self._nodes is None else self._nodes
        except _core.Error as error:
            raise ThalwegError(SETTINGS, *error.args) from error

    @property
    def node_count(self) -> int:
        """Count the job's nodes."""
        return self.interconnect.rank_nodes if self._nodes is None else self._nodes.size

    @property
    def links(self) -> int:
        """Count the links that the job has to itself, as far as its part of the machine's nodes goes."""
        if self.grid is not None and self.interconnect.vertices == self.interconnect.nodes:
            return 2 * sum(extent > 1 for extent in self.grid.extents) * self.node_count
        return self.interconnect.links * self.node_count // self.interconnect.nodes

    @checked
    def places_of(self, ranks: int) -> NDArray[np.int64]:
        """Give the node of each rank, of shape (ranks,): the first slots, or equally many ranks on each node.

        Raises ThalwegError if there are too few slots, or the nodes cannot have equally many.
        """
        if self.slots is not None:
            if ranks > self.slots.size:
                remedy = "give nodes more slots, or more nodes"
                raise ThalwegError(SETTINGS, f"{ranks} ranks on {self.slots.size} slots", remedy)
            return self.slots[:ranks]
        if self.node_count == 0 or ranks % self.node_count:
            raise ThalwegError(
                SETTINGS,
                f"{ranks} ranks on {self.node_count} nodes",
                "give as many nodes as ranks, so many that each has equally many, or slots_per_node",
            )
        return np.repeat(self.nodes, ranks // self.node_count)

    @checked
    def order(self, ranks: int) -> NDArray[np.int32]:
        """Give the ranks in an order in which neighbors are near.

        On meshes and tori along Hilbert curves, from piece to piece; on other machines by the numbers of nodes. Of
        shape (ranks,). A communicator in this order is made by MPI_Comm_split with a rank's place in it as key.
        """
        places = self.places_of(ranks)
        if self.grid is None:
            return np.argsort(places, kind="stable").astype(np.int32)
        return _core.tour(self.grid, self.interconnect.switch_places(places))

    @checked
    def hops(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Count the links between nodes, pair by pair; both arrays are broadcast to one shape."""
        one, other = _alike(_node_numbers(a), _node_numbers(b))
        try:
            return self.interconnect.hops(_flat(one), _flat(other)).reshape(one.shape)
        except _core.Error as error:
            raise ThalwegError(SETTINGS, *error.args) from error

    @checked
    def link_loads(self, a: ArrayLike, b: ArrayLike, sent_bytes: ArrayLike) -> NDArray[np.float64]:
        """Sum what each link carries of the bytes that nodes `a` send to nodes `b`, of shape (links,).

        On adaptive and spread routes these are expected loads. Time is a load over interconnect.capacity(link).
        """
        one, other, sent = _alike(_node_numbers(a), _node_numbers(b), np.asarray(sent_bytes, np.float64))
        if not ((sent >= 0) & (sent <= _core.amount_max)).all():
            remedy = f"give numbers from 0 to {_core.amount_max:g}"
            raise ThalwegError(SETTINGS, "bytes below 0, or that are no numbers", remedy)
        try:
            return self.interconnect.link_loads(_flat(one), _flat(other), np.ascontiguousarray(sent).ravel())
        except _core.Error as error:
            raise ThalwegError(SETTINGS, *error.args) from error

    def _slots(self) -> NDArray[np.int64] | None:
        """Give the node of each slot, having checked the nodes."""
        if self.slots_per_node is not None:
            return _core.slots(self.interconnect, self.nodes, self.slots_per_node)
        if self._nodes is not None:
            _core.slots(self.interconnect, self._nodes, np.ones(1, np.int32))
        return None

    def _numbered(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Turn coordinates into numbers; numbers are as they are."""
        if nodes.size and not np.issubdtype(nodes.dtype, np.integer):
            _refuse(nodes, self.interconnect)
        if nodes.ndim == 1:
            return np.ascontiguousarray(nodes, dtype=np.int64)
        if self.grid is None or nodes.ndim != 2:
            _refuse(nodes, self.interconnect)
        per_switch = self.interconnect.nodes // self.grid.places
        extents = np.asarray([*self.grid.extents, *([per_switch] if per_switch > 1 else [])], dtype=np.int64)
        if nodes.shape[1] != extents.size:
            _refuse(nodes, self.interconnect)
        outside = np.flatnonzero(((nodes < 0) | (nodes >= extents)).any(axis=1))
        if outside.size:
            raise ThalwegError(
                SETTINGS,
                f"node {outside[0]} is at {_text(nodes[outside[0]])}, outside of {self.name}",
                "coordinates count from 0",
            )
        sides = self.grid.extents
        strides = per_switch * np.concatenate(([1], np.cumprod(np.asarray(sides, np.int64))[:-1]))
        weights = np.concatenate((strides, [1])) if per_switch > 1 else strides
        places: NDArray[np.int64] = (nodes.astype(np.int64) * weights).sum(axis=1)
        first, counts = np.unique(places, return_index=True, return_counts=True)[1:]
        if (counts > 1).any():
            raise ThalwegError(
                SETTINGS,
                f"the node at {_text(nodes[first[counts > 1][0]])} comes twice",
                "name each node once: how many ranks it takes is slots_per_node",
            )
        return places


def _whole(slots: ArrayLike, interconnect: _core.Interconnect) -> NDArray[np.int32]:
    numbers = np.atleast_1d(np.asarray(slots))
    info = np.iinfo(np.int32)
    fits = np.issubdtype(numbers.dtype, np.integer) and numbers.ndim == 1
    if not fits or (numbers.size and (numbers.min() < info.min or numbers.max() > info.max)):
        message = f"slots of shape {numbers.shape} and type {numbers.dtype} for nodes of {interconnect.name}"
        raise ThalwegError(SETTINGS, message, "give a whole number for all nodes, or one each")
    return np.ascontiguousarray(numbers, dtype=np.int32)


def _node_numbers(nodes: ArrayLike) -> NDArray[np.int64]:
    numbers = np.asarray(nodes)
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise ThalwegError(SETTINGS, f"nodes of type {numbers.dtype}", "give whole numbers")
    return numbers.astype(np.int64)


def _alike(*arrays: NDArray[Any]) -> Sequence[NDArray[Any]]:
    """Broadcast arrays to one shape."""
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError as error:
        shapes = " and ".join(str(one.shape) for one in arrays)
        raise ThalwegError(SETTINGS, f"arrays of shapes {shapes}", "give as many of each, or one for all") from error


def _flat(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.ascontiguousarray(nodes).ravel()


def _refuse(nodes: NDArray[np.int64], interconnect: _core.Interconnect) -> NoReturn:
    raise ThalwegError(
        SETTINGS,
        f"nodes of shape {nodes.shape} and type {nodes.dtype} on {interconnect.name}",
        "give whole numbers: a node's, or on meshes and tori its coordinates",
    )


def _text(node: NDArray[np.int64]) -> str:
    return " ".join(str(number) for number in node)
