# SPDX-License-Identifier: BSD-3-Clause
"""The timeline of a simulation: what ranks' processors did, when they waited, and the messages between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg.errors import USAGE, ThalwegError
from thalweg.simulation.simulate import kinds
from thalweg.timeline.model import COMPUTE, TRANSFER, WAITING, Arrow, Row, Slice, Timeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from thalweg.simulation.results import Segments, Simulation

SEGMENTS_MAX = 4_000_000
_PATH = "critical path"


def timeline_of_simulation(found: Simulation, title: str) -> Timeline:
    """Give a row to each rank, and one to the critical path; raises ThalwegError where there is nothing to write."""
    line = found.timeline
    if not line.ranks.size or line.ranks.size > SEGMENTS_MAX:
        raise ThalwegError(
            USAGE, f"the simulation has {line.ranks.size} segments to write", "simulate fewer ranks or operations"
        )
    rows = [Row(0, rank, 0, f"rank {rank}") for rank in range(found.ranks)]
    made = Timeline(title, found.ranks, {0: "simulated"}, rows)
    names = kinds()
    for rank in range(found.ranks):
        made.slices += _of_rank(line, line.ranks == rank, rank, names)
    sent = found.deliveries
    columns = (sent.senders, sent.begins, sent.receivers, sent.ends, sent.tags, sent.bytes)
    made.arrows = [
        Arrow(sender, begin, receiver, end, tag, size, 0)
        for sender, begin, receiver, end, tag, size in zip(*(column.tolist() for column in columns), strict=True)
    ]
    if found.folded and not found.rounds:
        made.remarks.append(f"rank 0 stands for all {found.ranks}, which are alike; it has no messages")
    if found.path.ranks.size:
        rows.append(Row(0, found.ranks, 0, _PATH))
        on_path = (found.path.ranks, found.path.kinds, found.path.begins, found.path.ends)
        for rank, kind, begin, end in zip(*(column.tolist() for column in on_path), strict=True):
            made.slices.append(Slice(found.ranks, begin, end, names[kind], _kind(names[kind]), {"rank": rank}))
        made.slices.sort(key=lambda one: (one.row, one.begin))
    return made


def _kind(name: str) -> str:
    return COMPUTE if name == "compute" else TRANSFER


def _of_rank(line: Segments, own: np.ndarray, rank: int, names: list[str]) -> Iterator[Slice]:
    """Give what a rank's processors did in its order, and the gaps; what overlaps is cut at the next one's begin."""
    order = np.argsort(line.begins[own], kind="stable")
    columns = (line.kinds[own][order], line.begins[own][order], line.ends[own][order])
    at = 0
    for kind, begin, end in zip(*(column.tolist() for column in columns), strict=True):
        first = max(begin, at)
        if first > at:
            yield Slice(rank, at, first, "waiting", WAITING, {})
        if end > first:
            yield Slice(rank, first, end, names[kind], _kind(names[kind]), {})
            at = end
