# SPDX-License-Identifier: BSD-3-Clause
"""Files of a job's nodes: by their coordinates, by their numbers, or by names.

Nodes have a line each. A first line may name the machine instead: its extents, and the number of nodes. What follows a
# is a comment.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.machine import Machine
from thalweg.networks.hostlists import expand
from thalweg.text_files import Line, Place, number_lines, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_COORDINATE = "node's number or coordinate"


class Nodes(NamedTuple):
    """Coordinates of shape (nodes, dimensions), and the extents that the file's first line names, if it does."""

    coordinates: NDArray[np.int64]
    extents: tuple[int, ...]
    places: list[Place]
    """Where each node is written."""

    def on(self, name: str, slots_per_node: int | None = None) -> Machine:
        """Make a machine with these nodes as the job's. Raises ThalwegError, with the line of the first wrong node."""
        Machine(name)  # what is wrong with it is no line's fault
        coordinates = self.coordinates if self.coordinates.shape[1] > 1 else self.coordinates.ravel()

        def error_of(count: int) -> ThalwegError | None:
            try:
                Machine(name, coordinates[:count], slots_per_node=slots_per_node)
            except ThalwegError as error:
                return error
            return None

        if error_of(len(coordinates)) is not None:
            first = bisect_left(range(1, len(coordinates)), 1, key=lambda count: int(error_of(count) is not None))
            if (error := error_of(first + 1)) is not None:
                self.places[first].refuse(error.message, error.remedy)
        return Machine(name, coordinates, slots_per_node=slots_per_node)


class Named(NamedTuple):
    """A node by its name, and where it is written."""

    name: str
    place: Place


def read_nodes(path: str) -> Nodes:
    """Read the nodes of an allocation. Raises ThalwegError with the file, the line and the remedy."""
    return _nodes(path, list(number_lines(path)))


def is_list(text: str) -> bool:
    """Tell whether an argument is itself a list of names, as n[003-017,040], and not the name of a file."""
    return bool(text) and text != "-" and "/" not in text and not os.path.exists(text)


def read_names_or_nodes(text: str) -> list[Named] | Nodes:
    """Read a file of nodes by names, or lists of them, or of numbers.

    In place of a file's name it may be such a list, as $SLURM_JOB_NODELIST is. Raises ThalwegError.
    """
    if is_list(text):
        return [Named(name, Place("the list of nodes", 1)) for name in expand(text)]
    lines = list(number_lines(text))
    words = [(word, line.place) for line in lines for word in line.text.split()]
    if all(word.replace(",", "").isdigit() for word, _ in words):
        return _nodes(text, lines)
    return [Named(name, place) for word, place in words for name in expand(word, place)]


def _nodes(path: str, given: Sequence[Line]) -> Nodes:
    lines = [(line.place, [whole_number(line.place, word, _COORDINATE) for word in line.words]) for line in given]
    extents: tuple[int, ...] = ()
    if len(lines) > 1 and len(lines[0][1]) == len(lines[1][1]) + 1:
        place, (*sides, count) = lines.pop(0)
        extents = tuple(sides)
        if count != len(lines):
            place.refuse(f"{count} nodes, and {len(lines)} follow", "let the two agree")
    if not lines:
        raise ThalwegError(SETTINGS, f"{path}: no nodes in it", "write a line of coordinates for each")
    dimensions = len(lines[0][1])
    for place, numbers in lines:
        if len(numbers) != dimensions:
            place.refuse(f"{len(numbers)} coordinates, and {dimensions} before", "give each node equally many")
    seen = set[tuple[int, ...]]()
    for place, numbers in lines:
        if tuple(numbers) in seen:
            place.refuse(f"node {' '.join(map(str, numbers))} comes twice", "name each node once")
        seen.add(tuple(numbers))
    coordinates = np.array([numbers for _, numbers in lines], dtype=np.int64)
    return Nodes(coordinates, extents, [place for place, _ in lines])
