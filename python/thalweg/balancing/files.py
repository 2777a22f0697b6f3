# SPDX-License-Identifier: BSD-3-Clause
"""The files of `thalweg balance`: numbers by rank, and nodes by their coordinates.

Numbers come in the order of the ranks, with blanks, commas or line ends between them. `RANK:NUMBER` goes on from that
rank. Nodes have a line each. A first line may name the machine instead: its extents, and the number of nodes. What
follows a # is a comment.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg.documents import REPORT, read_document
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.machine import Machine
from thalweg.machine.readers.hostlists import expand
from thalweg.text_files import Place, lines_of, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from thalweg.text_files import Line

NUMBER_MAX = 1 << 61
_DIGITS_MAX = 19
_RANKS_MAX = 1 << 31


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


_TASKS = "number of tasks or the like"
_COORDINATE = "node's number or coordinate"


def _number(place: Place, text: str, what: str = _TASKS) -> int:
    """Read a whole number from 0 to NUMBER_MAX."""
    if not (text.isascii() and text.isdigit()):
        place.refuse(f"{shown(text)!r} is no {what}", "write whole numbers from 0")
    if len(text) > _DIGITS_MAX or int(text) > NUMBER_MAX:
        place.refuse(f"{shown(text)} is over {NUMBER_MAX}", "count in a larger unit")
    return int(text)


def read_numbers(path: str, ranks: int | None = None) -> NDArray[np.int64]:
    """Read a number for each rank. With the number of ranks given, those that the file leaves out have 0.

    Gives int64 of shape (ranks,). Raises ThalwegError with the file, the line and the remedy.
    """
    if ranks is not None and not 0 < ranks < _RANKS_MAX:
        raise ThalwegError(SETTINGS, f"{ranks} ranks", f"choose 1 to {_RANKS_MAX - 1}")
    limit = _RANKS_MAX - 1 if ranks is None else ranks
    found: dict[int, int] = {}
    rank = 0
    for line in _lines(path):
        place = line.place
        for word in line.words:
            first, colon, number = word.rpartition(":")
            if colon:
                rank = _number(place, first)
            if rank >= limit:
                place.refuse(f"a number for rank {rank} of {limit}", "leave it out, or give the number of ranks")
            if rank in found:
                place.refuse(f"a second number for rank {rank}", "give each rank one")
            found[rank] = _number(place, number)
            rank += 1
    if not found and ranks is None:
        raise ThalwegError(SETTINGS, f"{path}: no numbers in it", "write one for each rank")
    return _filled(path, found, ranks)


def read_loads(path: str, ranks: int | None, task_seconds: float) -> NDArray[np.int64]:
    """Read the tasks of each rank: as read_numbers(), or of a run's report (.json).

    Of a report they are the time that the rank spent outside of MPI, over that of a task. Raises ThalwegError.
    """
    if not path.lower().endswith(".json"):
        return read_numbers(path, ranks)
    try:
        report = read_document(path)
        if report.text("format") != REPORT:
            raise report.without("format", repr(REPORT))
        rows = report.parts("ranks")
        spent_s = {one.whole_number("rank"): 1e-9 * (one.number("wall_ns") - one.number("mpi_ns")) for one in rows}
        tasks = {rank: max(round(seconds / task_seconds), 0) for rank, seconds in spent_s.items()}
    except (OSError, ValueError, OverflowError, ZeroDivisionError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ThalwegError(SETTINGS, f"{path}: {reason}", "name what thalweg run --report wrote") from error
    limit = len(tasks) if ranks is None else ranks
    if not tasks or len(tasks) != len(rows) or not 0 <= min(tasks) <= max(tasks) < limit:
        problem = f"{path}: {len(rows)} ranks, numbered otherwise than from 0 to {limit - 1}"
        raise ThalwegError(SETTINGS, problem, "give the number of ranks: --ranks")
    if max(tasks.values()) > NUMBER_MAX:
        raise ThalwegError(SETTINGS, f"{path}: over {NUMBER_MAX} tasks", "give the time of a task: --task-time")
    return _filled(path, tasks, ranks)


def _filled(path: str, found: dict[int, int], ranks: int | None) -> NDArray[np.int64]:
    if ranks is None:
        ranks = max(found) + 1
        if ranks > len(found):
            missing = next(rank for rank in range(ranks) if rank not in found)
            raise ThalwegError(SETTINGS, f"{path}: no number for rank {missing}", "give the number of ranks: --ranks")
    numbers = np.zeros(ranks, dtype=np.int64)
    numbers[np.fromiter(found.keys(), np.int64, len(found))] = np.fromiter(found.values(), np.int64, len(found))
    return numbers


def read_nodes(path: str) -> Nodes:
    """Read the nodes of an allocation. Raises ThalwegError with the file, the line and the remedy."""
    lines = [(line.place, [_number(line.place, word, _COORDINATE) for word in line.words]) for line in _lines(path)]
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


def read_names(path: str) -> list[Named]:
    """Read nodes that are given by names or lists of them, none where the file has numbers. Raises ThalwegError."""
    words = [(word, line.place) for line in _lines(path) for word in line.text.split()]
    if all(word.replace(",", "").isdigit() for word, _ in words):
        return []
    return [Named(name, place) for word, place in words for name in expand(word, place)]


def _lines(path: str) -> Iterator[Line]:
    """Yield the lines that have words."""
    for line in lines_of(read_text(path, "name a readable file of numbers"), path):
        if line.words:
            yield line
