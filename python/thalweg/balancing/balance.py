# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg.balance`: the flow of tasks that makes loads even, for numpy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.call_arguments import checked
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from thalweg.machine.machine import Machine

AUTO = "auto"


class TaskCosts(NamedTuple):
    """What a task costs, and how often all of them are worked through before loads are balanced again."""

    task_bytes: int = 1024
    task_seconds: float = 1e-3
    steps: float = 1
    hysteresis: float = _core.EvidenceLimits.hysteresis
    machine: _core.Machine | None = None


class Balance(NamedTuple):
    """The flow: message m takes tasks[m] tasks from senders[m] to receivers[m]; int32, int32 and int64.

    `loads` has the tasks of each rank behind it, int64. `candidates` are what was compared, and `scheme` one of them.
    """

    scheme: str
    reason: str
    senders: NDArray[np.int32]
    receivers: NDArray[np.int32]
    tasks: NDArray[np.int64]
    loads: NDArray[np.int64]
    chosen: _core.BalanceCandidate
    candidates: Sequence[_core.BalanceCandidate]

    def __repr__(self) -> str:
        """Say what it is without its arrays."""
        return (
            f"<Balance by {self.scheme!r}: {int(self.tasks.sum())} tasks in {self.tasks.size} messages; {self.reason}>"
        )


@checked
def balance(  # noqa: PLR0913 - the loads, and what each of a problem's sides is if it is not the usual
    loads: ArrayLike,
    *,
    scheme: str = AUTO,
    spread: str = "even",
    speeds: ArrayLike | None = None,
    order: ArrayLike | str | None = None,
    allocation: Machine | None = None,
    costs: TaskCosts | None = None,
    incumbent: str = "none",
) -> Balance:
    """Say who sends how many tasks to whom, so that all ranks have as many, or as many as their speeds ask for.

    loads       tasks of each rank, whole numbers of shape (ranks,); or what its tasks weigh together
    scheme      a name from docs/balance.md, or "auto": what the model finds best
    spread      where a remainder goes: "even", or "capped": as few messages as the rounded-up share allows
    speeds      what each rank does in the same time, whole numbers of shape (ranks,); None: all alike
    order       ranks in the order in which they serve each other: an array, "ranks" or "hilbert"; by default Hilbert's
                where the allocation is known
    allocation  where the ranks are
    costs       what tasks cost; by default 1 KiB and a millisecond each
    incumbent   the scheme in use, which is left only for one that is surely better

    Equal arguments give equal answers on all ranks. Raises ThalwegError for anything that is no such problem.
    """
    numbers = _row(loads, np.int64, "loads")
    problem, predicted = _problem(
        numbers,
        _order(order, allocation, numbers.size),
        np.empty(0, np.int64) if speeds is None else _row(speeds, np.int64, "speeds"),
        spread,
        costs or TaskCosts(),
        allocation,
    )
    places = None if allocation is None else (allocation.interconnect, allocation.places_of(numbers.size))
    try:
        if scheme == AUTO:
            candidates, index = problem.choose(predicted, places, incumbent)
            chosen = candidates[index]
            reason = _reason(chosen, candidates, incumbent)
        else:
            if not problem.is_able(scheme):
                raise ThalwegError(SETTINGS, f"scheme {scheme} cannot serve ranks of these speeds", "choose sweep")
            chosen = problem.candidate(scheme, predicted, places)
            candidates, reason = [chosen], "it was asked for"
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    senders, receivers, tasks = chosen.flow.senders, chosen.flow.receivers, chosen.flow.tasks
    after = numbers.copy()
    np.subtract.at(after, senders, tasks)
    np.add.at(after, receivers, tasks)
    return Balance(chosen.scheme, reason, senders, receivers, tasks, after, chosen, candidates)


@checked
def task_cuts(weights: ArrayLike, amounts: ArrayLike) -> NDArray[np.int64]:
    """Cut a rank's row of tasks of different weights for its messages.

    weights  of its tasks, whole numbers of shape (tasks,)
    amounts  what each message is to weigh, of shape (messages,); together at most what the tasks weigh

    Gives int64 of shape (messages + 1,): tasks cuts[m] to cuts[m + 1] - 1 go with message m, and those from the last
    cut on stay. A message is off by the heaviest task's weight at most. Raises ThalwegError for other numbers.
    """
    tasks, wanted = _row(weights, np.int64, "weights"), _row(amounts, np.int64, "amounts")
    if min(tasks.min(initial=0), wanted.min(initial=0)) < 0 or wanted.sum() > tasks.sum():
        raise ThalwegError(
            SETTINGS,
            f"amounts of {wanted.sum()} together from tasks that weigh {tasks.sum()}",
            "give numbers from 0, and amounts that the tasks have",
        )
    return _core.task_cuts(tasks, wanted)


def _row(numbers: ArrayLike, kind: type[np.int32 | np.int64], what: str) -> NDArray[np.int64]:
    """Make a row of whole numbers, or say what is none."""
    row = np.asarray(numbers)
    if row.ndim != 1:
        raise ThalwegError(SETTINGS, f"{what} of shape {row.shape}", "give a row, one number a rank")
    if row.size and not np.issubdtype(row.dtype, np.integer):
        raise ThalwegError(SETTINGS, f"{what} of type {row.dtype}", "give whole numbers, such as int64")
    if row.size and (int(row.max()) > np.iinfo(kind).max or int(row.min()) < np.iinfo(kind).min):
        raise ThalwegError(SETTINGS, f"{what} that do not fit into {np.dtype(kind).name}", "count in a larger unit")
    return np.ascontiguousarray(row, dtype=kind)


def _order(order: ArrayLike | str | None, allocation: Machine | None, ranks: int) -> NDArray[np.int32]:
    """Give the order as an array; an empty one stands for that of the ranks."""
    wanted = order if order is not None else ("ranks" if allocation is None else "hilbert")
    if not isinstance(wanted, str):
        return _row(wanted, np.int32, "order").astype(np.int32)
    if wanted == "ranks":
        return np.empty(0, np.int32)
    if wanted != "hilbert":
        raise ThalwegError(SETTINGS, f"no order is called {wanted!r}", "choose ranks or hilbert, or give an array")
    if allocation is None:
        raise ThalwegError(SETTINGS, "the order hilbert without an allocation", "say where the ranks are")
    return allocation.order(ranks)


def _problem(  # noqa: PLR0913, PLR0917 - as many as a problem has sides
    loads: NDArray[np.int64],
    order: NDArray[np.int32],
    speeds: NDArray[np.int64],
    spread: str,
    given: TaskCosts,
    allocation: Machine | None,
) -> tuple[_core.BalanceProblem, _core.BalanceCosts]:
    factors = (given.task_bytes, given.task_seconds, given.steps, given.hysteresis)
    if not all(math.isfinite(factor) and factor >= 0 for factor in factors):
        raise ThalwegError(SETTINGS, f"a cost that is no number from 0 in {given}", "give numbers from 0")
    costs = _core.BalanceCosts(
        given.machine or _core.default_machine(),
        given.task_bytes,
        given.task_seconds,
        given.steps,
        0 if allocation is None else allocation.links,
        given.hysteresis,
    )
    try:
        return _core.BalanceProblem(loads, order, speeds, spread), costs
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def _reason(chosen: _core.BalanceCandidate, candidates: Sequence[_core.BalanceCandidate], incumbent: str) -> str:
    """Say in a sentence why the chosen scheme is."""
    if chosen.scheme == incumbent:
        best = min(candidates, key=_seconds)
        if best.scheme == incumbent:
            return f"no other takes less than {time_text(_seconds(chosen))}"
        return (
            f"{best.scheme} is predicted to take {time_text(_seconds(best))} against {time_text(_seconds(chosen))}, "
            "which is no sure gain"
        )
    former = next((one for one in candidates if one.scheme == incumbent), None)
    against = "" if former is None else f", against {time_text(_seconds(former))} with {incumbent}"
    return (
        f"{time_text(chosen.exchange_seconds)} of exchange and {time_text(chosen.work_seconds)} of work until the next "
        f"balancing{against}"
    )


def _seconds(candidate: _core.BalanceCandidate) -> float:
    return candidate.exchange_seconds + candidate.work_seconds
