# SPDX-License-Identifier: BSD-3-Clause
"""Streams, also those of objects: what went through them, phase by phase, and how even ranks' loads were."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg.pages.charts import Bar, paired
from thalweg.pages.render import bytes_text, ns_text, percent
from thalweg.report.lenient import count, item, number, numbers, objects, text
from thalweg.units import count_text

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport

STREAMS_MAX = 24
PHASES_MAX = 48
MOVED_RANKS_MAX = 16


class Stream(NamedTuple):
    """A stream: what it is, figures, bars of its phases, and of the loads that its ranks had at fences."""

    title: str
    facts: list[tuple[str, str]]
    phases: list[Bar]
    remarks: list[str]
    candidates: list[tuple[str, str]]
    loads: list[Bar]
    moved: tuple[str, list[tuple[Bar, Bar, str]]]
    """A title, and the loads of single ranks before a fence and after it; no pairs where nothing moved."""


def streams_of(report: RunReport) -> list[Stream]:
    """Give the streams that the report has."""
    return [_stream(one) for one in objects(report.document, "streams")[:STREAMS_MAX]]


def _stream(one: dict[str, Any]) -> Stream:
    total, largest = item(one, "total"), item(one, "max_of_a_rank")
    source = text(one, "source")
    name = "Messages of objects" if source == "objects" else f"Stream at {source or 'an unknown place'}"
    items = f"{count(total, 'delivered_items'):,} items of {bytes_text(number(one, 'item_bytes'))}"
    if not count(one, "item_bytes"):
        items = f"{bytes_text(number(total, 'delivered_bytes'))} of items of any size"
    far, near = number(total, "far_bytes"), number(total, "near_bytes")
    facts = [
        ("delivered", items),
        ("within nodes, between nodes", f"{bytes_text(near)}, {bytes_text(far)}"),
        ("route", f"{text(one, 'shape')}, {number(one, 'hops_per_item'):.2f} hops an item"
         if number(one, "hops_per_item") else text(one, "shape")),
        ("buffers", f"{bytes_text(number(one, 'buffer_bytes'))}, {percent(number(one, 'fill'))} full when sent"),
        ("waited for a free buffer", f"up to {ns_text(number(largest, 'waited_ns'))} a rank"),
        ("waited for ends of phases", f"up to {ns_text(number(largest, 'finish_ns'))} a rank"),
        ("memory", f"up to {bytes_text(number(largest, 'max_memory_bytes'))} a rank"),
    ]  # fmt: skip
    choice = [
        (text(candidate, "candidate"), _times(candidate)) for candidate in objects(one, "choice", "candidates")[:12]
    ]
    remarks = item(one, "remarks")
    said = [remark for remark in remarks if isinstance(remark, str)] if isinstance(remarks, list) else []
    title = f"{name}, {count_text(count(one, 'ranks'), 'rank')}, {count_text(count(largest, 'phases'), 'phase')}"
    loads = objects(one, "loads")
    phases = _phases(objects(one, "phases"), count(one, "reporting_ranks"))
    return Stream(title, facts, phases, said[:12], choice, _loads(loads, count(one, "reporting_ranks")), _moved(loads))


def _times(candidate: dict[str, Any]) -> str:
    said = [
        f"{word} {ns_text(1e9 * number(candidate, key))}"
        for word, key in (("predicted", "predicted_s"), ("measured", "measured_s"))
        if number(candidate, key) > 0
    ]
    return ", ".join([*said, *([text(candidate, "note")] if text(candidate, "note") else [])])


def _loads(loads: list[dict[str, Any]], ranks: int) -> list[Bar]:
    """Show ranks' work before each fence: the mean, and what the busiest one had above it."""
    largest = max((number(one, "max_of_a_rank", "load_ns") for one in loads), default=0.0)
    if not largest or ranks < 2:
        return []
    bars = []
    for one in loads:
        mean, peak = number(one, "total", "load_ns") / ranks, number(one, "max_of_a_rank", "load_ns")
        moved = count(one, "total", "entered")
        said = f"{ns_text(mean)}, busiest {ns_text(peak)} ({peak / mean if mean else 1:.2f}x), {moved:,} moved"
        parts = (("compute", round(100 * mean / largest, 2)), ("waiting", round(100 * (peak - mean) / largest, 2)))
        bars.append(Bar(f"fence {count(one, 'number')}", parts, said))
    return bars


def _moved(loads: list[dict[str, Any]]) -> tuple[str, list[tuple[Bar, Bar, str]]]:
    """Pair ranks' loads before the fence at which most moved with those before the next one."""
    steps = [
        (before, after)
        for before, after in pairwise(loads)
        if count(before, "total", "entered") and count(after, "number") == count(before, "number") + 1
    ]
    if not steps:
        return "", []
    before, after = max(steps, key=lambda step: count(step[0], "total", "entered"))
    was, became = (numbers(one, "load_ns_of_ranks") for one in (before, after))
    if not was or len(was) != len(became):
        return "", []
    furthest = sorted(range(len(was)), key=lambda rank: -abs(was[rank] - became[rank]))[:MOVED_RANKS_MAX]
    largest = max(*was, *became)
    pairs = [
        paired(f"rank {rank}", was[rank], became[rank], largest, f"{ns_text(was[rank])} to {ns_text(became[rank])}")
        for rank in sorted(furthest)
    ]
    return f"Ranks' loads before fence {count(before, 'number')}, and after it", pairs


def _phases(phases: list[dict[str, Any]], ranks: int) -> list[Bar]:
    """Show how long phases took, how long ranks waited for the last one in the mean, and how full buffers were."""
    shown = phases[:PHASES_MAX]
    if len(shown) < 2:
        return []
    longest = max(number(one, "max_of_a_rank", "duration_ns") for one in shown) or 1.0
    bars = []
    for one in shown:
        duration = number(one, "max_of_a_rank", "duration_ns")
        waiting = min(number(one, "total", "finish_ns") / max(ranks, 1), duration)
        parts = (
            ("compute", round(100 * (duration - waiting) / longest, 2)),
            ("waiting", round(100 * waiting / longest, 2)),
        )
        said = f"{ns_text(duration)}, {percent(waiting / duration if duration else 0)} of it for its end, "
        said += f"{bytes_text(number(one, 'total', 'delivered_bytes'))}, buffers {percent(number(one, 'fill'))} full"
        bars.append(Bar(f"phase {count(one, 'number')}", parts, said))
    return bars
