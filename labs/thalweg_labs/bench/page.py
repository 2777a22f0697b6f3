# SPDX-License-Identifier: BSD-3-Clause
"""Rows that a benchmark wrote with --json, as a page: a table that a click sorts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from thalweg.documents import parse_json
from thalweg.errors import USAGE, ThalwegError
from thalweg.pages.plain import Figure, Page, Section, Table
from thalweg.pages.render import bytes_text
from thalweg.pages.writing import write_page
from thalweg.text_files import read_text
from thalweg.units import time_text

if TYPE_CHECKING:
    from thalweg.pages.plain import Cell

REMEDY = "thalweg bench NAME --json FILE writes rows"


def run(rows_file: str, output: str) -> None:
    """Write the page, beside the rows if nobody names it, and print where it is."""
    rows = read_rows(rows_file)
    print(write_page(rows_page(rows, rows_file), output or f"{rows_file.removesuffix('.json')}.html"))


def read_rows(path: str) -> list[dict[str, Any]]:
    """Read rows. Raises ThalwegError for a file that holds something else."""
    value = parse_json(read_text(path, REMEDY), path, REMEDY)
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        raise ThalwegError(USAGE, f"{path} holds no rows of a benchmark", REMEDY)
    return value


def rows_page(rows: list[dict[str, Any]], title: str) -> str:
    """Write the page of some rows: a column for each key that any of them has."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    figures = {key for key in keys if all(_is_number(row[key]) for row in rows if key in row)}
    cells = [[_cell(key, row.get(key), is_figure=key in figures) for key in keys] for row in rows]
    table = Table([key.replace("_", " ") for key in keys], cells)
    return Page(kind="benchmark", title=title, sections=[Section("Rows", table=table)]).text()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(key: str, value: Any, *, is_figure: bool) -> Cell:
    if is_figure:
        return Figure(value or 0.0, _figure_text(key, value))
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def _figure_text(key: str, value: float | None) -> str:
    if value is None:
        return ""
    for ending, scale in (("_ns", 1e-9), ("_us", 1e-6), ("_ms", 1e-3), ("_s", 1.0), ("seconds", 1.0)):
        if key.endswith(ending) and value >= 0:
            return time_text(value * scale)
    if key.endswith("bytes") and value >= 0:
        return bytes_text(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
