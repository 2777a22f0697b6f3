# SPDX-License-Identifier: BSD-3-Clause
"""Advice on allocations as a page: the best one, and what the others take beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thalweg.pages.charts import Bar
from thalweg.pages.plain import Figure, Page, Section, Table, Tile
from thalweg.units import count_text, size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.placement.advice import Advice

_BARS_MAX = 12
_HEADS = (
    "allocation", "nodes", "ranks a node", "spare", "time", "ranks in order", "hops a byte", "busiest link carries",
    "hottest link",
)  # fmt: skip


def advice_page(found: Sequence[Advice], pattern: str, machine: str) -> str:
    """Write the page of allocations, the fastest first; `pattern` is the file's name."""
    best = found[0]
    longest = max(one.seconds for one in found) or 1.0
    bars = [
        Bar(
            _name(one),
            (("after" if one is best else "before", round(100 * one.seconds / longest, 2)),),
            time_text(one.seconds),
        )
        for one in found[:_BARS_MAX]
    ]
    tiles = [
        Tile(best.shape, "is the fastest allocation"),
        Tile(time_text(best.seconds), "for its communication", "Predicted, with the best placement that was found."),
        Tile(f"{longest / best.seconds:.2f}x" if best.seconds else "1x", "faster than the slowest"),
    ]
    left = len(found) - len(bars)
    return Page(
        kind="allocations",
        title=pattern,
        origin=f"{count_text(len(found), 'allocation')} of {machine}",
        tiles=tiles,
        sections=[
            Section("Predicted time", f"{count_text(left, 'slower one')} left out." if left else "", bars=bars),
            Section("Allocations", table=Table(_HEADS, [_row(one) for one in found])),
        ],
    ).text()


def _name(one: Advice) -> str:
    spare = f", {one.spare} spare" if one.spare else ""
    return f"{one.shape}, {count_text(one.ranks_per_node, 'rank')} a node{spare}"


def _row(one: Advice) -> tuple[str | Figure, ...]:
    return (
        one.shape,
        Figure(one.nodes, str(one.nodes)),
        Figure(one.ranks_per_node, str(one.ranks_per_node)),
        Figure(one.spare, str(one.spare)),
        Figure(one.seconds, time_text(one.seconds)),
        Figure(one.seconds_in_order, time_text(one.seconds_in_order)),
        Figure(one.hops_per_byte, f"{one.hops_per_byte:.3g}"),
        Figure(one.link_max, size_text(round(one.link_max))),
        one.hottest or "-",
    )
