# SPDX-License-Identifier: BSD-3-Clause
"""The files of `thalweg balance`: numbers by rank, and reports of runs.

Numbers come in the order of the ranks, with blanks, commas or line ends between them. `RANK:NUMBER` goes on from that
rank. What follows a # is a comment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg.documents import REPORT, read_document
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.text_files import NUMBER_MAX, number_lines, whole_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RANKS_MAX = 1 << 31
_TASKS = "number of tasks or the like"


def read_numbers(path: str, ranks: int | None = None) -> NDArray[np.int64]:
    """Read a number for each rank. With the number of ranks given, those that the file leaves out have 0.

    Gives int64 of shape (ranks,). Raises ThalwegError with the file, the line and the remedy.
    """
    if ranks is not None and not 0 < ranks < _RANKS_MAX:
        raise ThalwegError(SETTINGS, f"{ranks} ranks", f"choose 1 to {_RANKS_MAX - 1}")
    limit = _RANKS_MAX - 1 if ranks is None else ranks
    found: dict[int, int] = {}
    rank = 0
    for line in number_lines(path):
        place = line.place
        for word in line.words:
            first, colon, number = word.rpartition(":")
            if colon:
                rank = whole_number(place, first, _TASKS)
            if rank >= limit:
                place.refuse(f"a number for rank {rank} of {limit}", "leave it out, or give the number of ranks")
            if rank in found:
                place.refuse(f"a second number for rank {rank}", "give each rank one")
            found[rank] = whole_number(place, number, _TASKS)
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
