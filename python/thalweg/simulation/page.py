# SPDX-License-Identifier: BSD-3-Clause
"""A simulation as a page: how long it takes and why, what ranks do over time, and which links have the most to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg.pages.charts import Bar, Gantt
from thalweg.pages.plain import Figure, Page, Section, Table, Tile
from thalweg.pages.render import bytes_text, ns_text, percent
from thalweg.simulation.simulate import kinds
from thalweg.units import count_text

if TYPE_CHECKING:
    from thalweg.simulation.results import Simulation

ROWS_MAX = 64
SEGMENTS_MAX = 60_000
LINKS_MAX = 64
KINDS = 8
"""Classes of the style for kinds of segments."""


def simulation_page(found: Simulation, subject: str, costs: str, waiting: float) -> str:
    """Write the page; `waiting` is the part of the time in which processors have nothing to do."""
    tiles = [
        Tile(ns_text(found.finish), "until the last rank has finished"),
        Tile(
            percent(waiting), "waiting", "Of the ranks' processors: the part of the time that they have nothing to do."
        ),
        Tile(f"{found.messages:,}", "messages"),
        Tile(f"rank {found.last_rank}", "is the last"),
    ]
    sections = [_why(found), _over_time(found), _links(found)]
    where = f" on {found.network.name}" if found.network else ""
    return Page(
        kind="simulation",
        title=subject,
        origin=f"{count_text(found.ranks, 'rank')}{where}, level {found.level}, {costs}",
        tiles=tiles,
        sections=[one for one in sections if one is not None],
    ).text()


def _why(found: Simulation) -> Section | None:
    costs = sorted(((ticks, kind) for kind, ticks in found.why.items() if ticks > 0), reverse=True)
    if not costs:
        return None
    whole = max(found.finish, 1)
    bars = [
        Bar(kind, (("compute", round(100 * ticks / costs[0][0], 2)),), f"{ns_text(ticks)}, {percent(ticks / whole)}")
        for ticks, kind in costs
    ]
    return Section("Why this time", "The critical path, by kind of cost.", bars=bars)


def _over_time(found: Simulation) -> Section | None:
    """Draw what the first ranks' processors do, and the critical path; nothing where there is too much of it."""
    line = found.timeline
    drawn = np.flatnonzero(line.ranks < ROWS_MAX)
    if not drawn.size or drawn.size > SEGMENTS_MAX or found.finish <= 0:
        return None
    scale = 1000 / found.finish
    paths: dict[int, list[str]] = {}
    for place in drawn:
        begin, length = line.begins[place] * scale, (line.ends[place] - line.begins[place]) * scale
        row = int(line.ranks[place])
        paths.setdefault(int(line.kinds[place]), []).append(
            f"M{begin:.2f} {row + 0.12:.2f}h{length:.2f}v.76h-{length:.2f}z"
        )
    names = kinds()
    classes = {kind: f"k{1 + kind % KINDS}" for kind in paths}
    rows = min(found.ranks, ROWS_MAX)
    gantt = Gantt(
        rows=rows,
        paths=[(classes[kind], "".join(parts)) for kind, parts in sorted(paths.items())],
        legend=[(classes[kind], names[kind]) for kind in sorted(paths)],
        ends=[ns_text(found.finish * part / 4) for part in range(5)],
        label=f"What {count_text(rows, 'rank')} do until {ns_text(found.finish)}",
        line=_critical_path(found, scale),
    )
    return Section("Over time", "What each rank's processor does; the line is the critical path.", gantt=gantt)


def _critical_path(found: Simulation, scale: float) -> str:
    on_path = np.flatnonzero(found.path.ranks < ROWS_MAX)[: SEGMENTS_MAX // 10]
    points = [
        f"{float(at) * scale:.2f} {int(found.path.ranks[place]) + 0.5}"
        for place in on_path
        for at in (found.path.begins[place], found.path.ends[place])
    ]
    return "M" + "L".join(points) if points else ""


def _links(found: Simulation) -> Section | None:
    if not found.links.numbers.size:
        return None
    columns = (column[:LINKS_MAX] for column in found.links)
    rows = []
    for link, size, busy in zip(*columns, strict=True):
        share = float(busy) / max(found.finish, 1)
        bar = Bar("", (("transfer", round(100 * min(1.0, share), 2)),))
        rows.append(
            (
                found.link_name(int(link)),
                Figure(float(size), bytes_text(float(size))),
                Figure(share, percent(share)),
                bar,
            )
        )
    note = f"The {len(rows)} of {found.links.numbers.size} links with the most to do."
    return Section("Links", note, table=Table(("link", "bytes", "busy", "part of the time"), rows))
