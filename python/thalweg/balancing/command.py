# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg balance`: reads loads, chooses a scheme, prints who sends how many tasks to whom."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg import _core
from thalweg.answers.answer import answered
from thalweg.balancing.balance import Balance, TaskCosts, balance
from thalweg.balancing.files import read_loads, read_numbers
from thalweg.errors import SETTINGS, USAGE, ThalwegError
from thalweg.machine import files
from thalweg.machine.machine import Machine
from thalweg.machine.node_files import read_nodes
from thalweg.terminal import print_table
from thalweg.units import count_text, time_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHOWN = 12
_FIGURES = ("receives_max", "tasks_received_max", "sends_max", "tasks_sent_max", "messages", "tasks")


def print_flow(
    loads: str,
    *,
    ranks: int | None,
    order: str,
    network: str,
    nodes: str,
    speeds: str,
    scheme: str,
    spread: str,
    incumbent: str,
    machine_file: str,
    task_bytes: int,
    task_time: str,
    steps: float,
    is_whole: bool,
    json_file: str,
) -> None:
    """Print who sends how many tasks to whom, as a table or as JSON; the table of `is_whole` has all messages.

    Files that are not named are empty texts, and so is a network that is not known.

    Raises ThalwegError for files that cannot be read, and for a network that does not have the nodes.
    """
    costs = _task_costs(machine_file, task_bytes, task_time, steps)
    counts = read_loads(loads, ranks, costs.task_seconds)
    allocation = _allocation(network, nodes)
    found = balance(
        counts,
        scheme=scheme,
        spread=spread,
        speeds=read_numbers(speeds, counts.size) if speeds else None,
        order=order or None,
        allocation=allocation,
        costs=costs,
        incumbent=incumbent,
    )
    used = order or ("ranks" if allocation is None else "hilbert")
    if not answered("balance", as_data(counts, found, used), json_file):
        _print(counts, found, used, allocation, found.tasks.size if is_whole else SHOWN)


def _allocation(network: str, nodes_file: str) -> Machine | None:
    if not nodes_file:
        return Machine(network) if network else None
    nodes = read_nodes(nodes_file)
    named = "torus:" + "x".join(map(str, nodes.extents)) if nodes.extents else ""
    if not network and not named:
        raise ThalwegError(USAGE, f"thalweg balance: {nodes_file} does not name the network", "add --network torus:…")
    if network and named and network.partition(":")[2] != named.partition(":")[2]:
        message = f"thalweg balance: the network is {network}, and {nodes_file} is of {named}"
        raise ThalwegError(USAGE, message, "leave one out")
    return nodes.on(network or named)


def _task_costs(machine_file: str, task_bytes: int, task_time: str, steps: float) -> TaskCosts:
    try:
        task_seconds = _core.parse_seconds(task_time)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    path = machine_file or files.newest(os.environ)
    return TaskCosts(task_bytes, task_seconds, steps, machine=files.load(path) if path else _core.default_machine())


def as_data(loads: NDArray[np.int64], found: Balance, order: str) -> dict[str, Any]:
    """Write an answer as plain data; times in seconds."""
    return {
        "ranks": loads.size,
        "tasks": int(loads.sum()),
        "order": order,
        "scheme": found.scheme,
        "reason": found.reason,
        "load_max_before": int(loads.max()),
        "load_max_after": int(found.loads.max()),
        "candidates": [
            {
                "scheme": one.scheme,
                **{name: getattr(one.figures, name) for name in _FIGURES},
                "hop_tasks": one.hop_tasks,
                "exchange_seconds": one.exchange_seconds,
                "work_seconds": one.work_seconds,
            }
            for one in found.candidates
        ],
        "transfers": np.column_stack((found.senders, found.receivers, found.tasks)).tolist(),
    }


def _print(loads: NDArray[np.int64], found: Balance, order: str, allocation: Machine | None, shown: int) -> None:
    tasks = int(loads.sum())
    ranks = count_text(int(loads.size), "rank")
    print(f"{ranks} with {tasks} tasks, {tasks / loads.size:.6g} each; at most {loads.max()} on a rank")
    where = "" if allocation is None else f" on {count_text(allocation.node_count, 'node')} of {allocation.name}"
    print(f"order: {order}{where}\n")
    print_table(
        ["  scheme", "messages", "tasks", "received by one", "sent by one", "task hops", "exchange", "work"],
        [_row(one, chosen=one.scheme == found.scheme, with_hops=allocation is not None) for one in found.candidates],
    )
    entry = next(one for one in _core.schemes() if one.name == found.scheme)
    print(f"\n{entry.name}, {entry.summary}; wins when {entry.wins_when}")
    print(f"chosen: {found.reason}; then at most {found.loads.max()} tasks on a rank")
    if found.tasks.size:
        _print_transfers(found, shown)


def _row(one: _core.BalanceCandidate, *, chosen: bool, with_hops: bool) -> list[str]:
    figures = one.figures
    return [
        f"{'*' if chosen else ' '} {one.scheme}",
        str(figures.messages),
        str(figures.tasks),
        f"{figures.tasks_received_max} in {figures.receives_max}",
        f"{figures.tasks_sent_max} in {figures.sends_max}",
        str(one.hop_tasks) if with_hops else "-",
        time_text(one.exchange_seconds),
        time_text(one.work_seconds),
    ]


def _print_transfers(found: Balance, shown: int) -> None:
    columns = (found.senders[:shown], found.receivers[:shown], found.tasks[:shown])
    print()
    print_table(["from", "to", "tasks"], [[str(each) for each in row] for row in zip(*columns, strict=True)], texts=())
    if found.tasks.size > shown:
        print(f"and {found.tasks.size - shown} more messages: --all prints them, --json too")
