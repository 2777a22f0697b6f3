# SPDX-License-Identifier: BSD-3-Clause
"""Streams, also those of objects: what went through them, phase by phase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg.pages.charts import Bar
from thalweg.pages.render import bytes_text, ns_text, percent
from thalweg.report.lenient import count, item, number, objects, text
from thalweg.units import count_text

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport

STREAMS_MAX = 24
PHASES_MAX = 48


class Stream(NamedTuple):
    """A stream: what it is, figures, and bars of its phases."""

    title: str
    facts: list[tuple[str, str]]
    phases: list[Bar]
    remarks: list[str]
    candidates: list[tuple[str, str]]


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
    return Stream(title, facts, _phases(objects(one, "phases")), said[:12], choice)


def _times(candidate: dict[str, Any]) -> str:
    said = [
        f"{word} {ns_text(1e9 * number(candidate, key))}"
        for word, key in (("predicted", "predicted_s"), ("measured", "measured_s"))
        if number(candidate, key) > 0
    ]
    return ", ".join([*said, *([text(candidate, "note")] if text(candidate, "note") else [])])


def _phases(phases: list[dict[str, Any]]) -> list[Bar]:
    """Show how long phases took, and how full their buffers were."""
    shown = phases[:PHASES_MAX]
    if len(shown) < 2:
        return []
    longest = max(number(one, "max_of_a_rank", "duration_ns") for one in shown) or 1.0
    return [
        Bar(
            f"phase {count(one, 'number')}",
            (("compute", round(100 * number(one, "max_of_a_rank", "duration_ns") / longest, 2)),),
            f"{ns_text(number(one, 'max_of_a_rank', 'duration_ns'))}, "
            f"{bytes_text(number(one, 'total', 'delivered_bytes'))}, buffers {percent(number(one, 'fill'))} full",
        )
        for one in shown
    ]
