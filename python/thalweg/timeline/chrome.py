# SPDX-License-Identifier: BSD-3-Clause
"""Timelines in the Trace Event Format, which ui.perfetto.dev opens; written, and several put one above the other."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.timeline.model import WAITING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from thalweg.timeline.model import Timeline

_COLORS = {"compute": "generic_work", WAITING: "terrible", "transfer": "good", "thalweg": "olive"}
_PROCESSES_OF_ONE = 1_000_000
"""Numbers of processes that a timeline may have, so that those of several differ."""
Event = dict[str, Any]


def write_chrome(timeline: Timeline, path: str) -> None:
    """Write a timeline to a file, compressed where its name ends in .gz. Raises ThalwegError where it cannot."""
    threads = 1 + max((row.thread for row in timeline.rows), default=0)
    places = [(row.process + 1, row.rank * threads + row.thread + 1) for row in timeline.rows]
    _write(path, _events(timeline, places), {"title": timeline.title, "remarks": timeline.remarks})


def read_chrome(path: str) -> dict[str, Any]:
    """Read such a file; raises ThalwegError for another."""
    try:
        with gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb") as file:
            document = json.load(file)
    except (OSError, ValueError, EOFError) as error:
        remedy = "name a file of thalweg run --timeline or thalweg simulate --timeline"
        raise ThalwegError(SETTINGS, f"{path}: no timeline: {error}", remedy) from error
    if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
        raise ThalwegError(SETTINGS, f"{path}: no timeline: there are no traceEvents", "name a timeline in JSON")
    return document


def stack_chrome(paths: Iterable[str], path: str) -> None:
    """Put timelines one above the other, in their order, in one file."""
    documents = [(one, read_chrome(one)) for one in paths]
    titles = [str(one.get("otherData", {}).get("title", name)) for name, one in documents]
    remarks = [remark for _, one in documents for remark in one.get("otherData", {}).get("remarks", [])]
    events = (
        _moved(event, number, titles[number])
        for number, (_, document) in enumerate(documents)
        for event in document["traceEvents"]
    )
    _write(path, events, {"title": "; ".join(titles), "remarks": remarks})


def _moved(event: Event, number: int, title: str) -> Event:
    moved = event | {"pid": event["pid"] + number * _PROCESSES_OF_ONE}
    if "id" in event:
        moved["id"] = f"{number}.{event['id']}"
    if event["ph"] == "M" and event["name"] == "process_name":
        moved["args"] = {"name": f"{title}: {event['args']['name']}"}
    elif event["ph"] == "M" and event["name"] == "process_sort_index":
        moved["args"] = {"sort_index": event["args"]["sort_index"] + number * _PROCESSES_OF_ONE}
    return moved


def _write(path: str, events: Iterable[Event], about: dict[str, Any]) -> None:
    encode = json.JSONEncoder(separators=(",", ":")).encode
    other = about | {"format": "thalweg-timeline", "version": 1}
    try:
        with (
            gzip.open(path, "wt", encoding="utf-8")
            if path.endswith(".gz")
            else open(path, "w", encoding="utf-8") as file
        ):
            file.write(f'{{"displayTimeUnit":"ns","otherData":{encode(other)},"traceEvents":[')
            for number, event in enumerate(events):
                file.write(",\n" if number else "\n")
                file.write(encode(event))
            file.write("\n]}\n")
    except OSError as error:
        raise ThalwegError(SETTINGS, f"{path} cannot be written: {error.strerror}", "name another file") from error


def _events(timeline: Timeline, places: list[tuple[int, int]]) -> Iterator[Event]:
    yield from _names(timeline, places)
    for row, begin, end, name, kind, details, _ in timeline.slices:
        process, thread = places[row]
        event = {"ph": "X", "pid": process, "tid": thread, "ts": begin / 1e3, "dur": (end - begin) / 1e3, "name": name}
        event["cat"] = kind
        if kind in _COLORS:
            event["cname"] = _COLORS[kind]
        if details:
            event["args"] = details
        yield event
    yield from _arrows(timeline, places)
    yield from _requests(timeline, places)


def _names(timeline: Timeline, places: list[tuple[int, int]]) -> Iterator[Event]:
    for number, name in timeline.processes.items():
        about = {"ph": "M", "pid": number + 1, "tid": 0, "ts": 0}
        yield about | {"name": "process_name", "args": {"name": name}}
        yield about | {"name": "process_sort_index", "args": {"sort_index": number}}
    for (process, thread), row in zip(places, timeline.rows, strict=True):
        about = {"ph": "M", "pid": process, "tid": thread, "ts": 0}
        yield about | {"name": "thread_name", "args": {"name": row.name}}
        yield about | {"name": "thread_sort_index", "args": {"sort_index": thread}}


def _arrows(timeline: Timeline, places: list[tuple[int, int]]) -> Iterator[Event]:
    """Give both ends of messages; each lies in the slice of its call."""
    for number, arrow in enumerate(timeline.arrows, 1):
        about = {"name": "message", "cat": "message", "id": str(number)}
        process, thread = places[arrow.from_row]
        details = {"bytes": arrow.bytes, "tag": arrow.tag}
        yield about | {"ph": "s", "pid": process, "tid": thread, "ts": arrow.sent / 1e3, "args": details}
        process, thread = places[arrow.to_row]
        yield about | {"ph": "f", "bp": "e", "pid": process, "tid": thread, "ts": (arrow.received - 1) / 1e3}


def _requests(timeline: Timeline, places: list[tuple[int, int]]) -> Iterator[Event]:
    """Give what was in flight; in it, the parts in which its row was in calls for it."""
    for request in timeline.requests:
        process, thread = places[request.row]
        about = {"cat": "request", "pid": process, "tid": thread}
        about["id"] = f"{timeline.rows[request.row].rank}.{request.number}"
        spans = [(request.begin, request.end, request.name), *((*part, "exposed") for part in request.exposed)]
        (begin, end, name), *inner = spans
        yield about | {"ph": "b", "ts": begin / 1e3, "name": name, "args": request.details}
        for first, last, inner_name in inner:
            yield about | {"ph": "b", "ts": first / 1e3, "name": inner_name}
            yield about | {"ph": "e", "ts": last / 1e3, "name": inner_name}
        yield about | {"ph": "e", "ts": end / 1e3, "name": name}
