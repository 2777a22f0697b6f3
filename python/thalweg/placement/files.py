"""The files that patterns come in: Matrix Market, METIS graphs, and tables of bytes, JSON, QAPLIB's instances."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import io, sparse

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.placement import json_patterns
from thalweg.placement.pattern import Pattern, Sent

if TYPE_CHECKING:
    from collections.abc import Callable


def read_pattern(path: str) -> Pattern:
    """Read a pattern, by its ending: .pattern, .json, .mtx, .graph, .metis, .csv or .dat. Raises ThalwegError."""
    for endings, read in _READERS.items():
        if path.lower().endswith(endings):
            try:
                found = read(path)
                return found if isinstance(found, Pattern) else Pattern(found)
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


def _qaplib(path: str) -> np.ndarray:
    """Read the flows of an instance: its second matrix, as the first has the distances of places."""
    with open(path, encoding="utf-8") as file:
        words = file.read().replace(",", " ").split()
    size = int(words[0]) if words else -1
    if size < 0 or len(words) - 1 != 2 * size * size:
        message = f"{len(words)} numbers, where a size and two matrices of it are expected"
        raise ValueError(message)
    return np.array(words[1 + size * size :], dtype=np.float64).reshape(size, size)


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


def _recorded(path: str) -> Pattern:
    """Read what `thalweg run --record` kept: call sites added up in phases, each of one time."""
    with open(path, encoding="utf-8") as file:
        lines = iter([line.split() for line in file])
    if next(lines, None) != ["thalweg-pattern", "1"]:
        message = "no recorded pattern of version 1"
        raise ValueError(message)
    ranks, phases, names = 0, list[tuple[str, float, list[tuple[int, ...]]]](), list[str]()
    for words in lines:
        if not words or words[0] in ("command", "seconds") or words[0].startswith("#"):
            continue
        if words[0] == "site":
            names.append(_site_name(words[2], " ".join(words[3:])))
        elif words[0] == "ranks":
            ranks = int(words[1])
        elif words[0] == "phase":
            phases.append((" ".join(words[2:]), float(max(1, int(words[1]))), []))
        else:
            phases[-1][2].append(tuple(map(int, words[:5])))
    pattern = Pattern(tasks=ranks)
    for name, repeats, sent in phases:
        table = np.array(sent, dtype=np.float64).reshape(-1, 5)
        places = (table[:, 0].astype(np.int64), table[:, 1].astype(np.int64))
        sizes, messages = (
            sparse.coo_array((table[:, column] / repeats, places), shape=(ranks, ranks)) for column in (2, 3)
        )
        pattern.add_phase(name, sizes, repeats=repeats, messages=messages)
    rows = np.array([row for _, _, sent in phases for row in sent], dtype=np.int64).reshape(-1, 5)
    if rows.size and not 0 <= rows[:, 4].min() <= rows[:, 4].max() < len(names):
        message = f"messages of call site {rows[:, 4].max()}, where there are {len(names)}"
        raise ValueError(message)
    ends = rows[:, :2].astype(np.int32)
    pattern.sent = Sent(names, ends[:, 0], ends[:, 1], rows[:, 2].astype(np.float64), rows[:, 4])
    return pattern


def _site_name(by: str, text: str) -> str:
    """Name a call site: collectives of the library are counted as if sent some way."""
    return text if by in ("call", "schedule") else f"{text} [{by}]"


class Header(NamedTuple):
    """What a recording says of its run; the seconds are 0 where it does not."""

    command: str
    seconds: float


def recorded_header(path: str) -> Header:
    """Read it from what `thalweg run --record` kept; of a file that read_pattern() has read."""
    command, seconds = "", 0.0
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, _, rest = line.strip().partition(" ")
            if word == "command":
                command = rest
            elif word == "seconds":
                seconds = float(rest)
            elif word == "phase":
                break
    return Header(command, seconds)


def write_pattern(pattern: Pattern, path: str) -> None:
    """Write a pattern by the ending of the name.

    .json holds all of it. .mtx, .graph, .metis and .csv have the sum of all phases, METIS both ways as one. Raises
    ThalwegError for another ending.
    """
    matrix = pattern.matrix()
    if path.lower().endswith(".mtx"):
        io.mmwrite(path, matrix)
        return
    if path.lower().endswith((".graph", ".metis")):
        both = pattern.both_ways()
        lines = [f"{pattern.tasks} {both.nnz // 2} 001"]
        for rank in range(pattern.tasks):
            row = both[[rank], :].tocoo()
            lines.append(" ".join(f"{other + 1} {size:.0f}" for other, size in zip(row.col, row.data, strict=True)))
    elif path.lower().endswith(".json"):
        lines = json_patterns.to_text(pattern).splitlines()
    elif path.lower().endswith(".csv"):
        lines = [",".join(f"{size:.0f}" for size in row) for row in matrix.toarray()]
    else:
        raise ThalwegError(SETTINGS, f"{path} has none of the endings .json, .mtx, .graph, .metis, .csv", "choose one")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


_READERS: dict[tuple[str, ...], Callable[[str], sparse.coo_array | np.ndarray | Pattern]] = {
    (".pattern",): _recorded,
    (".json",): lambda path: json_patterns.read(path, _recorded),
    (".mtx", ".mtx.gz"): _matrix_market,
    (".graph", ".metis"): _metis,
    (".csv", ".txt"): _table,
    (".dat",): _qaplib,
}
