# SPDX-License-Identifier: BSD-3-Clause
"""Patterns as JSON: what `write_pattern` makes of one, and the report of a run that recorded its own.

    {"format": "thalweg-pattern", "version": 1, "ranks": 3,
     "phases": [{"name": "1", "repeats": 100, "sent": [[0, 1, 8192, 1]]}],
     "sites": [{"name": "MPI_Isend halo.c:42 (exchange)", "sent": [[0, 1, 819200]]}]}

What a phase sends is of one time: from, to, bytes, messages. What a call site sent is of all times: from, to, bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from thalweg.documents import REPORT, Document, document_of
from thalweg.placement.pattern import Pattern, Sent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_PATTERN = "thalweg-pattern"
_VERSION = 1


def to_text(pattern: Pattern) -> str:
    """Write a pattern, a phase and a call site a line."""
    parts = [
        f'"format": "{_PATTERN}", "version": {_VERSION}, "ranks": {pattern.tasks}',
        _list("phases", [(one.name, one.repeats, one[2:]) for one in pattern.phases]),
    ]
    if sent := pattern.sent:
        columns = [[column[sent.sites == site] for column in sent[1:4]] for site in range(len(sent.names))]
        parts.append(_list("sites", [(name, None, of) for name, of in zip(sent.names, columns, strict=True)]))
    return "{" + ",\n ".join(parts) + "}\n"


def _list(key: str, entries: Sequence[tuple[str, float | None, Sequence[NDArray[Any]]]]) -> str:
    """Write what was sent by phases or sites: names, repeats where there are any, and columns."""
    lines = [
        json.dumps(
            {
                "name": name,
                **({} if repeats is None else {"repeats": repeats}),
                "sent": list(zip(*(column.tolist() for column in columns), strict=True)),
            }
        )
        for name, repeats, columns in entries
    ]
    return f'"{key}": [' + ",\n  ".join(lines) + "]"


def read(path: str, text: str) -> Pattern | str:
    """Read a pattern; of a report give the path of the file that its run recorded. Raises ValueError."""
    document = document_of(text, path)
    form = document.text("format")
    if form == REPORT:
        return _file_of_report(path, document)
    if form != _PATTERN or document.number("version") != _VERSION:
        message = f"it is a {form!r}, and no {_PATTERN} of version {_VERSION} nor a {REPORT}"
        raise ValueError(message)
    return _pattern_of(document)


def _file_of_report(path: str, report: Document) -> str:
    """Find what the run recorded: where it was kept, or beside the report if both were carried elsewhere."""
    if report.value("pattern") is None:
        message = "its run recorded no pattern: run it with thalweg run --record"
        raise ValueError(message)
    kept = Path(report.part("pattern").text("file"))
    found = next((one for one in (kept, Path(path).parent / kept.name) if one.is_file()), None)
    if found is None:
        message = f"what its run recorded is not in {kept}, nor beside the report"
        raise ValueError(message)
    return str(found)


def _pattern_of(document: Document) -> Pattern:
    pattern = Pattern(tasks=document.whole_number("ranks"))
    for one in document.parts("phases"):
        senders, receivers, sizes, messages = _rows_of(one, 4, pattern.tasks).T
        ends = (senders.astype(np.int64), receivers.astype(np.int64))
        shape = (pattern.tasks, pattern.tasks)
        traffic, counts = (sparse.coo_array((figures, ends), shape=shape) for figures in (sizes, messages))
        pattern.add_phase(one.text("name"), traffic, repeats=one.number("repeats"), messages=counts)
    if document.value("sites") is not None:
        sites = document.parts("sites")
        tables = [_rows_of(one, 3, pattern.tasks) for one in sites]
        table = np.concatenate([np.empty((0, 3)), *tables])
        numbers = np.repeat(np.arange(len(tables)), [len(one) for one in tables])
        ends32 = table[:, :2].astype(np.int32)
        pattern.sent = Sent([one.text("name") for one in sites], ends32[:, 0], ends32[:, 1], table[:, 2], numbers)
    return pattern


def _rows_of(document: Document, width: int, ranks: int) -> NDArray[np.float64]:
    """Give what was sent, as rows of numbers whose first two are ranks."""
    rows = document.value("sent")
    try:
        table = np.array(rows or np.empty((0, width)), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        table = np.empty(0)
    if not isinstance(rows, list) or table.ndim != 2 or table.shape[1] != width:
        raise document.without("sent", f"list of rows of {width} numbers")
    ends = table[:, :2]
    if not ((ends >= 0) & (ends < ranks) & (ends == np.floor(ends))).all():
        raise document.without("sent", f"rows that begin with two ranks below {ranks}")
    return table
