"""Where a job's ranks are on a mesh or torus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Allocation:
    """Nodes of a grid, in the order of the ranks on them: each has the same number of ranks, one after the other."""

    def __init__(self, machine: str, nodes: ArrayLike | None = None) -> None:
        """Put nodes on a machine such as "torus:25x32x24".

        `nodes` are coordinates, whole numbers of shape (nodes, dimensions); None: all places, the first coordinate
        fastest. Raises ThalwegError where the machine is none, or a node is outside of it or there twice.
        """
        try:
            self.grid = _core.Grid(machine)
        except _core.Error as error:
            raise ThalwegError(SETTINGS, *error.args) from error
        self._numbers = None if nodes is None else self._numbered(np.asarray(nodes))

    @property
    def node_count(self) -> int:
        """Count the nodes."""
        return self.grid.places if self._numbers is None else self._numbers.size

    @property
    def links(self) -> int:
        """Count the links that leave the nodes, one each way in each dimension."""
        return 2 * sum(extent > 1 for extent in self.grid.extents) * self.node_count

    def places_of(self, ranks: int) -> NDArray[np.int64]:
        """Give the place of each rank, of shape (ranks,). Raises ThalwegError if the nodes cannot have equally many."""
        if self.node_count == 0 or ranks % self.node_count:
            raise ThalwegError(
                SETTINGS,
                f"{ranks} ranks on {self.node_count} nodes",
                "give as many nodes as ranks, or so many that each has equally many",
            )
        numbers = np.arange(self.node_count, dtype=np.int64) if self._numbers is None else self._numbers
        return np.repeat(numbers, ranks // self.node_count)

    def order(self, ranks: int) -> NDArray[np.int32]:
        """Give the ranks in an order in which neighbors are near: along Hilbert curves, from piece to piece.

        Of shape (ranks,). A communicator in this order is made by MPI_Comm_split with a rank's place in it as key.
        """
        return _core.tour(self.grid, self.places_of(ranks))

    def _numbered(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        extents = np.asarray(self.grid.extents, dtype=np.int64)
        if nodes.ndim != 2 or nodes.shape[1] != extents.size or not np.issubdtype(nodes.dtype, np.integer):
            raise ThalwegError(
                SETTINGS,
                f"nodes of shape {nodes.shape} and type {nodes.dtype} on {self.grid.name}",
                f"give {extents.size} whole numbers a node",
            )
        outside = np.flatnonzero(((nodes < 0) | (nodes >= extents)).any(axis=1))
        if outside.size:
            raise ThalwegError(
                SETTINGS,
                f"node {outside[0]} is at {_text(nodes[outside[0]])}, outside of {self.grid.name}",
                "coordinates count from 0",
            )
        strides = np.concatenate(([1], np.cumprod(extents)[:-1]))
        places: NDArray[np.int64] = (nodes.astype(np.int64) * strides).sum(axis=1)
        first, counts = np.unique(places, return_index=True, return_counts=True)[1:]
        if (counts > 1).any():
            node = first[counts > 1][0]
            raise ThalwegError(
                SETTINGS,
                f"the node at {_text(nodes[node])} comes twice",
                "name each node once: its ranks follow from their number",
            )
        return places


def _text(node: NDArray[np.int64]) -> str:
    return " ".join(str(number) for number in node)
