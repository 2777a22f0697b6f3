"""The files of `thalweg balance`: numbers by rank, and nodes by their coordinates.

Numbers come in the order of the ranks, with blanks, commas or line ends between them. `RANK:NUMBER` goes on from that
rank. Nodes have a line each. A first line may name the machine instead: its extents, and the number of nodes. What
follows a # is a comment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from thalweg.documents import REPORT, read_document
from thalweg.errors import SETTINGS, ThalwegError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

NUMBER_MAX = 1 << 61
_DIGITS_MAX = 19
_RANKS_MAX = 1 << 31


class Nodes(NamedTuple):
    """Coordinates of shape (nodes, dimensions), and the extents that the file's first line names, if it does."""

    coordinates: NDArray[np.int64]
    extents: tuple[int, ...]


class _Place(NamedTuple):
    """A line of a file, for errors."""

    path: str
    line: int

    def refuse(self, problem: str, remedy: str) -> NoReturn:
        raise ThalwegError(SETTINGS, f"{self.path}:{self.line}: {problem}", remedy)

    def number(self, text: str) -> int:
        """Read a whole number from 0 to NUMBER_MAX."""
        if not (text.isascii() and text.isdigit()):
            self.refuse(f"{text[:40]!r} is no number of tasks or the like", "write whole numbers from 0")
        if len(text) > _DIGITS_MAX or int(text) > NUMBER_MAX:
            self.refuse(f"{text[:40]} is over {NUMBER_MAX}", "count in a larger unit")
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
    for place, words in _lines(path):
        for word in words:
            first, colon, number = word.rpartition(":")
            if colon:
                rank = place.number(first)
            if rank >= limit:
                place.refuse(f"a number for rank {rank} of {limit}", "leave it out, or give the number of ranks")
            if rank in found:
                place.refuse(f"a second number for rank {rank}", "give each rank one")
            found[rank] = place.number(number)
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
    lines = [(place, [place.number(word) for word in words]) for place, words in _lines(path)]
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
    return Nodes(np.array([numbers for _, numbers in lines], dtype=np.int64), extents)


def _lines(path: str) -> Iterator[tuple[_Place, list[str]]]:
    """Yield the words of each line that has some."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ThalwegError(SETTINGS, f"{path}: {reason}", "name a readable file of numbers") from error
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split("#", 1)[0].replace(",", " ").split()
        if words:
            yield _Place(path, number), words
