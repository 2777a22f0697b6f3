"""The files that patterns come in: Matrix Market, METIS graphs, and tables of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import io, sparse

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.placement.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable


def read_pattern(path: str) -> Pattern:
    """Read a pattern, by the ending of its name: .mtx, .graph or .metis, .csv. Raises ThalwegError with the remedy."""
    for endings, read in _READERS.items():
        if path.lower().endswith(endings):
            try:
                return Pattern(read(path))
            except (OSError, UnicodeDecodeError) as error:
                reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no such text"
                raise ThalwegError(SETTINGS, f"{path}: {reason}", "name a readable file") from error
            except (ValueError, IndexError, OverflowError) as error:
                raise ThalwegError(
                    SETTINGS, f"{path}: {error}", "see docs/placement.md for what it may hold"
                ) from error
    known = ", ".join(ending for endings in _READERS for ending in endings)
    raise ThalwegError(SETTINGS, f"{path} has none of the endings {known}", "name it by what it holds")


def _matrix_market(path: str) -> sparse.coo_array:
    """Of a symmetric file each entry goes both ways."""
    return sparse.coo_array(io.mmread(path))


def _table(path: str) -> np.ndarray:
    """Read a row of bytes for each sender, with commas or blanks between."""
    with open(path, encoding="utf-8") as file:
        rows = [line.replace(",", " ").split() for line in file if line.strip() and not line.startswith("#")]
    if not rows or any(len(row) != len(rows) for row in rows):
        lengths = sorted({len(row) for row in rows})
        message = f"{len(rows)} rows of {lengths} numbers, where as many as rows are expected"
        raise ValueError(message)
    return np.array(rows, dtype=np.float64)


def _metis(path: str) -> sparse.coo_array:
    """Read a graph as METIS has it: vertices from 1, weights of edges as bytes; each edge is in both lines."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("%")]
    if not lines or len(lines[0]) < 2:
        message = "no first line with the numbers of vertices and edges"
        raise ValueError(message)
    vertices, form = int(lines[0][0]), (lines[0][2] if len(lines[0]) > 2 else "0").zfill(3)
    skipped = (1 if form[0] == "1" else 0) + (int(lines[0][3]) if len(lines[0]) > 3 else 1 if form[1] == "1" else 0)
    step = 2 if form[2] == "1" else 1
    rows, columns, weights = [], [], []
    body = lines[1 : vertices + 1]
    if vertices < 0 or len(body) < vertices:
        message = f"{len(body)} lines of vertices, and {vertices} were promised"
        raise ValueError(message)
    for vertex, words in enumerate(body):
        edges = words[skipped:]
        if len(edges) % step:
            message = f"vertex {vertex + 1} has a neighbor without a weight"
            raise ValueError(message)
        for index in range(0, len(edges), step):
            other = int(edges[index]) - 1
            if not 0 <= other < vertices:
                message = f"vertex {vertex + 1} has neighbor {other + 1} of {vertices}"
                raise ValueError(message)
            rows.append(vertex)
            columns.append(other)
            weights.append(float(edges[index + 1]) if step == 2 else 1.0)
    return sparse.coo_array((weights, (rows, columns)), shape=(vertices, vertices))


_READERS: dict[tuple[str, ...], Callable[[str], sparse.coo_array | np.ndarray]] = {
    (".mtx", ".mtx.gz"): _matrix_market,
    (".graph", ".metis"): _metis,
    (".csv", ".txt"): _table,
}
