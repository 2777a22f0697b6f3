# SPDX-License-Identifier: BSD-3-Clause
"""Balancing: how long a flow takes to find, how far its tasks go, and the figures of Sudheer Kumar 2012's table 5.1.

The peer is the alias method as published. Loads are the source's: 24 tasks a rank, at most 4 more or less. Where ranks
are is a file, or made: the nodes that other jobs' boxes leave of a torus that is 77 % busy. Cases take turns, so that
ours and the peer's times are from the same moment. What moving costs a program is measured in jobs (balance_jobs.py).
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg import _core
from thalweg.balancing.balance import balance
from thalweg.balancing.optimum import hop_tasks_min
from thalweg.machine.machine import Machine
from thalweg.machine.node_files import read_nodes
from thalweg.rows import Row, make_row, paired_row, write_rows
from thalweg_labs.bench.balance_jobs import JobRequest, job_rows

PEER = "alias-printed"
SCHEMES = ("sweep", "alias", "nested-sweep", "nested-alias", "alias-queued")
_FIGURES = ("receives_max", "tasks_received_max", "sends_max", "tasks_sent_max", "messages", "tasks")
_MEAN, _SPREAD = 24, 4
_EXTENTS = (25, 32, 24)
_FREE = 1.1


class Request(NamedTuple):
    """What to measure."""

    ranks: int
    """Whose flow is timed."""
    nodes: int
    """Of the made allocation."""
    nodes_file: str
    rounds: int
    optimum: bool
    """Compare with the optimum too, which takes a minute a round."""


def loads_of(ranks: int, seed: int) -> NDArray[np.int64]:
    """Make loads whose sum is a multiple of the ranks, of shape (ranks,)."""
    random = np.random.default_rng(seed)
    loads = random.integers(_MEAN - _SPREAD, _MEAN + _SPREAD + 1, ranks)
    while excess := int(loads.sum()) - _MEAN * ranks:
        step = 1 if excess > 0 else -1
        changeable = np.flatnonzero(loads != _MEAN - step * _SPREAD)
        loads[random.permutation(changeable)[: abs(excess)]] -= step
    return loads


def busy_torus(nodes: int, seed: int) -> Machine:
    """Give so many of the nodes that other jobs' boxes leave free of a torus, in the order of a scheduler's list."""
    random = np.random.default_rng(seed)
    free = np.ones(_EXTENTS, dtype=bool)
    while free.sum() > _FREE * nodes:
        corner, sides = random.integers(0, _EXTENTS), random.integers(2, 9, 3)
        box = [(first + np.arange(side)) % extent for first, side, extent in zip(corner, sides, _EXTENTS, strict=True)]
        if (free.sum() - free[np.ix_(*box)].sum()) >= nodes:
            free[np.ix_(*box)] = False
    return Machine("torus:" + "x".join(map(str, _EXTENTS)), np.argwhere(free.transpose())[:nodes, ::-1])


def _seconds(problem: _core.BalanceProblem, scheme: str) -> float:
    """Take the thread's own time, as a busy machine would count several times."""
    begin = time.thread_time()
    problem.flow(scheme)
    return time.thread_time() - begin


def time_rows(request: Request) -> Iterator[Row]:
    """Time each scheme and the peer in turns; milliseconds of a core, from loads to the flow."""
    none = np.empty(0, np.int64)
    problem = _core.BalanceProblem(loads_of(request.ranks, 0), none.astype(np.int32), none, "even")
    pairs: dict[str, list[tuple[float, float]]] = {scheme: [] for scheme in SCHEMES}
    for _ in range(request.rounds):
        for scheme in SCHEMES:
            pairs[scheme].append((_seconds(problem, scheme) * 1e3, _seconds(problem, PEER) * 1e3))
    for scheme in SCHEMES:
        yield paired_row(f"{request.ranks} ranks", f"flow by {scheme}", "ms", pairs[scheme], PEER)


def flow_rows(request: Request, allocation: Callable[[int], Machine]) -> Iterator[Row]:
    """Compare hop-tasks, and the figures of table 5.1, over loads of different seeds."""
    hops: dict[str, list[tuple[float, float]]] = {scheme: [] for scheme in SCHEMES}
    optimal: dict[str, list[tuple[float, float]]] = {scheme: [] for scheme in SCHEMES}
    figures: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for seed in range(request.rounds):
        nodes = allocation(seed)
        grid, ranks = nodes.grid, nodes.node_count
        assert grid is not None
        loads = loads_of(ranks, seed)
        peer = balance(loads, scheme=PEER, allocation=nodes).chosen
        best = hop_tasks_min(grid, nodes.places_of(ranks), loads - _MEAN) if request.optimum else 0
        for scheme in SCHEMES:
            found = balance(loads, scheme=scheme, allocation=nodes).chosen
            hops[scheme].append((found.hop_tasks, peer.hop_tasks))
            optimal[scheme].append((found.hop_tasks, best))
            for figure in _FIGURES:
                pair = (getattr(found.figures, figure), getattr(peer.figures, figure))
                figures.setdefault((scheme, figure), []).append(pair)
        case = f"{ranks} nodes of {grid.name}"
    for scheme in SCHEMES:
        yield paired_row(case, f"hop-tasks of {scheme}", "hop-tasks", hops[scheme], PEER)
        if request.optimum:
            yield paired_row(case, f"hop-tasks of {scheme}", "hop-tasks", optimal[scheme], "optimum")
    for (scheme, figure), pairs in figures.items():
        yield paired_row(case, f"{figure} of {scheme}", "count", pairs, PEER)


def tight_rows(sizes: Sequence[int] = (10, 100, 1000)) -> Iterator[Row]:
    """Compare on the source's two tight examples (section 5.4)."""
    for n in sizes:
        first = np.array([n - 1] * (n - 1) + [2, 2 * n - 2] + [n + 1] * (n - 1))
        second = np.array([1] + [n + 1] * (n - 1))
        for name, loads in (("first", first), ("second", second)):
            peer = balance(loads, scheme=PEER).chosen.figures
            for scheme in SCHEMES:
                found = balance(loads, scheme=scheme).chosen.figures
                for figure in _FIGURES:
                    yield make_row(
                        f"{name} tight example, {loads.size} ranks",
                        f"{figure} of {scheme}",
                        "count",
                        getattr(found, figure),
                        getattr(peer, figure),
                        PEER,
                    )


def run(request: Request, jobs: JobRequest, json_file: str) -> None:
    """Measure, print what the aims are about, and write all rows."""
    read = read_nodes(request.nodes_file) if request.nodes_file else None

    def allocation(seed: int) -> Machine:
        if read is None:
            return busy_torus(request.nodes, seed)
        return Machine("torus:" + "x".join(map(str, read.extents)), read.coordinates)

    rows = []
    for row in (*time_rows(request), *flow_rows(request, allocation), *job_rows(jobs)):
        rows.append(row)
        if row["unit"] != "count":
            ours = f"{row['case']}: {row['metric']} {row['ours']:.6g} {row['unit']}"
            part = row["ours"] / max(row["peer"], 1e-6)
            print(f"{ours}, {row['peer_name']} {row['peer']:.6g}: {part:.2f} of it")
    if json_file:
        write_rows([*rows, *tight_rows()], json_file)
