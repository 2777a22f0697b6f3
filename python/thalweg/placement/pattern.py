# SPDX-License-Identifier: BSD-3-Clause
"""Who sends whom how much: `thalweg.Pattern`, on numpy and scipy.sparse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from thalweg import _core
from thalweg.call_arguments import checked
from thalweg.errors import SETTINGS, ThalwegError

if TYPE_CHECKING:
    from numpy.typing import NDArray


TASKS_MAX = 1 << 26
"""Of a pattern; sums of phases have a word for each."""


class Phase(NamedTuple):
    """What is sent at once: rows of one length, int32 ranks, and float64 bytes and messages; `repeats` times."""

    name: str
    repeats: float
    senders: NDArray[np.int32]
    receivers: NDArray[np.int32]
    bytes: NDArray[np.float64]
    messages: NDArray[np.float64]


class Sent(NamedTuple):
    """What places in a program send, all phases together: rows of one length, int32 ranks, float64 bytes.

    `sites` has the index in `names` of each row.
    """

    names: list[str]
    senders: NDArray[np.int32]
    receivers: NDArray[np.int32]
    bytes: NDArray[np.float64]
    sites: NDArray[np.int64]


class Pattern:
    """The communication of a program's ranks, as phases that follow each other."""

    def __init__(self, traffic: Any = None, *, tasks: int | None = None) -> None:
        """Take bytes from rank i to rank j as entry i, j of a matrix of numpy or scipy.sparse, as the only phase.

        Without a matrix it is a pattern of `tasks` ranks that send nothing until phases are added. Raises ThalwegError
        for a matrix that is not square, and entries below 0 or that are no numbers.
        """
        if traffic is None and tasks is None:
            raise ThalwegError(SETTINGS, "a pattern of nothing", "give a matrix, or the number of tasks")
        matrix = None if traffic is None else _square(traffic)
        self.tasks = whole_number(matrix.shape[0] if matrix is not None else tasks, "tasks", 0, TASKS_MAX)
        if matrix is not None and tasks is not None and tasks != self.tasks:
            raise ThalwegError(SETTINGS, f"{tasks} tasks, and a matrix of {self.tasks}", "leave the number out")
        try:
            self._core = _core.TrafficPattern(self.tasks)
        except (TypeError, _core.Error) as error:
            raise ThalwegError(SETTINGS, f"a pattern of {self.tasks} tasks", "give their number") from error
        self.phases: list[Phase] = []
        self.sent: Sent | None = None
        """Of a program that was recorded: from which source lines the bytes are."""
        self.remarks: list[str] = []
        """How it was read, where people should know."""
        if matrix is not None:
            self.add_phase("all", matrix)

    @checked
    def add_phase(self, name: str, traffic: Any, *, repeats: float = 1, messages: Any = None) -> None:
        """Add what is sent at once, as for the constructor; `messages` is such a matrix too, by default one a pair."""
        matrix = _square(traffic)
        if matrix.shape[0] != self.tasks:
            raise ThalwegError(
                SETTINGS, f"phase {name} of {matrix.shape[0]} tasks in a pattern of {self.tasks}", "give all the same"
            )
        counts = np.ones(matrix.nnz) if messages is None else _counts(matrix, messages)
        if not 0 <= repeats <= _core.amount_max:
            raise ThalwegError(SETTINGS, f"phase {name} with {repeats} repeats", "give a number from 0")
        phase = Phase(
            name,
            float(repeats),
            matrix.row.astype(np.int32),
            matrix.col.astype(np.int32),
            matrix.data,
            counts,
        )
        try:
            self._core.add_phase(*phase)
        except _core.Error as error:
            raise ThalwegError(SETTINGS, *error.args) from error
        self.phases.append(phase)

    @property
    def core(self) -> _core.TrafficPattern:
        """Give what the C++ side takes."""
        return self._core

    def matrix(self) -> sparse.csr_array:
        """Sum up all phases, with their repeats: bytes by sender and receiver, without those to oneself."""
        total = sparse.csr_array((self.tasks, self.tasks))
        for phase in self.phases:
            entries = (phase.repeats * phase.bytes, (phase.senders, phase.receivers))
            total = total + sparse.csr_array(entries, shape=(self.tasks, self.tasks))
        total.setdiag(0)
        total.eliminate_zeros()
        return total

    def both_ways(self) -> sparse.csr_array:
        """Give the bytes of each pair, both ways together, in both of its entries."""
        total = self.matrix()
        return sparse.csr_array(total + total.T)


def whole_number(value: Any, what: str, minimum: int, maximum: int) -> int:
    """Give a number that a program has passed. Raises ThalwegError for what is none, or out of its range."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not minimum <= value <= maximum:
        raise ThalwegError(SETTINGS, f"{what}: {value!r} is no whole number from {minimum} to {maximum}", "give one")
    return int(value)


def _holds_numbers(kind: np.dtype[Any]) -> bool:
    return bool(np.issubdtype(kind, np.number) or np.issubdtype(kind, np.bool_))


def _square(traffic: Any) -> sparse.coo_array:
    try:
        matrix = sparse.coo_array(traffic)
    except (TypeError, ValueError) as error:
        raise ThalwegError(
            SETTINGS, f"a pattern that is no matrix: {error}", "give numbers in two dimensions"
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not _holds_numbers(matrix.dtype):
        raise ThalwegError(
            SETTINGS, f"a pattern of shape {matrix.shape} and type {matrix.dtype}", "give a square matrix of numbers"
        )
    if np.issubdtype(matrix.dtype, np.complexfloating):
        raise ThalwegError(SETTINGS, "a pattern of complex numbers", "give bytes")
    # First wider numbers, then sums: those of a narrow type would be cut off.
    wide: sparse.coo_array = matrix.astype(np.float64)
    wide.sum_duplicates()
    return wide


def _counts(matrix: sparse.coo_array, messages: Any) -> NDArray[np.float64]:
    counts = sparse.csr_array(_square(messages))
    if counts.shape != matrix.shape:
        raise ThalwegError(SETTINGS, f"messages of shape {counts.shape}, bytes of {matrix.shape}", "give one shape")
    if matrix.nnz == 0:  # scipy gives no row of none
        return np.empty(0)
    return np.asarray(counts[matrix.row, matrix.col], dtype=np.float64).ravel()
