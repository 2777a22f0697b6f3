# SPDX-License-Identifier: BSD-3-Clause
"""The files that patterns come in: Matrix Market, METIS graphs, and tables of bytes, JSON, QAPLIB's instances."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import io, sparse

from thalweg.call_arguments import checked
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.placement import json_patterns, metis
from thalweg.placement.base_load import bytes_in
from thalweg.placement.pattern import Pattern, Sent
from thalweg.text_files import Place, lines_of, read_text, shown, write_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike


@checked
def read_pattern(path: str | PathLike[str]) -> Pattern:
    """Read a pattern, by its ending: .pattern, .json, .mtx, .graph, .metis, .csv, .txt or .dat. Raises ThalwegError.

    With another ending, as pipes have it, it is what its first line says. Lines of numbers alone are a table. What
    people should know of how it was read is in the pattern's `remarks`.
    """
    path = os.fspath(path)
    try:
        text = _text_of(path)
        read = next((read for endings, read in _READERS.items() if path.lower().endswith(endings)), None)
        found = (read or _reader_of(text))(path, text)
        return found if isinstance(found, Pattern) else Pattern(found)
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no such text"
        raise ThalwegError(SETTINGS, f"{path}: {reason}", "name a readable file") from error
    except (ValueError, IndexError, OverflowError) as error:
        raise ThalwegError(SETTINGS, f"{path}: {error}", "see docs/placement.md for what it may hold") from error
    except ThalwegError as error:
        if path in error.message:
            raise
        raise ThalwegError(error.status, f"{path}: {error.message}", error.remedy) from error


def _text_of(path: str) -> str:
    if not path.lower().endswith(".gz"):
        return read_text(path)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read()


def _reader_of(text: str) -> Callable[[str, str], sparse.coo_array | np.ndarray | Pattern]:
    """Tell what a text holds by its beginning."""
    for beginning, read in ((_RECORDED, _recorded), ("%%MatrixMarket", _matrix_market), ("{", _json)):
        if text.lstrip().startswith(beginning):
            return read
    return _table


_RECORDED = "thalweg-pattern"
"""The first word of a recorded pattern."""

_DIGITS_MAX = 18
"""Of numbers that are counts or places."""

_ORDINARY = re.compile(
    r"%%MatrixMarket\s+matrix\s+(?:coordinate|array)\s+(real|double|integer|unsigned-integer|pattern)\s", re.IGNORECASE
)


def _matrix_market(path: str, text: str) -> sparse.coo_array:
    """Of a symmetric file each entry goes both ways."""
    _check_matrix_market(path, text)
    # SciPy 1.17 reads on behind a last line that ends in a blank, or not at all.
    tidy = "\n".join(" ".join(line.split()) for line in text.split("\n")) + "\n"
    try:
        return sparse.coo_array(io.mmread(BytesIO(tidy.encode())))
    except (ValueError, OverflowError) as error:
        match = re.match(r"Line (\d+): (.*)", str(error))
        if match is None:
            raise
        Place(path, int(match[1])).refuse(match[2], "write rows, columns and bytes as the first lines say")


def _check_matrix_market(path: str, text: str) -> None:
    """Refuse with the line what is no square matrix of bytes."""
    lines = list(enumerate(text.split("\n"), 1))
    if not _ORDINARY.match(lines[0][1] + " "):
        remedy = "begin with %%MatrixMarket matrix coordinate real general, or the like"
        Place(path, 1).refuse(f"'{shown(lines[0][1])}' is no matrix of bytes", remedy)
    body = [(number, line.split()) for number, line in lines[1:] if line.strip() and not line.startswith("%")]
    if not body:
        Place(path, len(lines)).refuse("no line with the matrix' size", "write rows, columns and entries")
    number, size = body[0]
    if not all(_is_whole(word) for word in size):
        Place(path, number).refuse(f"'{shown(' '.join(size))}' is no size", "write rows, columns and entries in digits")
    if len(size) < 2 or size[0] != size[1]:
        Place(path, number).refuse(f"a matrix of {' x '.join(size[:2])}", "give a square one: a row for each rank")
    is_pattern, is_array = lines[0][1].lower().split()[3] == "pattern", lines[0][1].lower().split()[2] == "array"
    if len(size) != (2 if is_array else 3):
        Place(path, number).refuse(f"a size of {len(size)} numbers", "write rows, columns and, but for arrays, entries")
    expected = 1 if is_array else 2 if is_pattern else 3
    for number, words in body[1:]:
        if len(words) != expected:
            problem = f"{len(words)} words, where {expected} are expected"
            Place(path, number).refuse(problem, "write a row, a column and bytes, as the first line says")
        if not is_array and not all(_is_whole(word) for word in words[:2]):
            problem = f"'{shown(' '.join(words[:2]))}' is no row and column"
            Place(path, number).refuse(problem, "write whole numbers from 1")
        if not is_pattern:
            bytes_in(words[-1], Place(path, number))


def _is_whole(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= _DIGITS_MAX


def _rows_in(path: str, text: str) -> list[tuple[Place, list[float]]]:
    """Read the numbers of each line that has some."""
    return [(line.place, [bytes_in(word, line.place) for word in line.words]) for line in lines_of(text, path)]


def _table(path: str, text: str) -> np.ndarray:
    """Read a row of bytes for each sender, with commas or blanks between."""
    rows = _rows_in(path, text)
    if not rows:
        Place(path, 1).refuse("no numbers in it", "write a row of bytes for each sender")
    for place, row in rows:
        if len(row) != len(rows):
            place.refuse(f"{len(row)} numbers, where there are {len(rows)} rows", "write as many as there are rows")
    return np.array([row for _, row in rows], dtype=np.float64)


def _qaplib(path: str, text: str) -> Pattern:
    """Read the flows of an instance: its second matrix, as the first has the distances of places."""
    words = [(place, word) for place, row in _rows_in(path, text) for word in row]
    size = words[0][1] if words else -1
    if size < 0 or size != int(size):
        Place(path, 1).refuse("no size at the beginning", "write the size, then two matrices of it")
    count = int(size) ** 2
    if len(words) - 1 != 2 * count:
        problem = f"{len(words)} numbers, where a size and two matrices of it are expected"
        words[-1][0].refuse(problem, f"write {1 + 2 * count} numbers")
    first, second = (
        np.array([word for _, word in words[1 + begin : 1 + begin + count]]).reshape(int(size), int(size))
        for begin in (0, count)
    )
    pattern = Pattern(second)
    pattern.remarks.append(f"{path}: the second matrix is taken as the flows, the first as distances")
    if _looks_like_distances(second) and not _looks_like_distances(first):
        pattern.remarks.append(f"{path}: but it is the second one that looks like distances: exchange the two if it is")
    return pattern


def _looks_like_distances(matrix: np.ndarray) -> bool:
    """Tell whether a matrix is symmetric, nothing is away from itself, and no way round is shorter."""
    size = len(matrix)
    apart = matrix[~np.eye(size, dtype=bool)]
    if size < 3 or (matrix != matrix.T).any() or matrix.diagonal().any() or (apart <= 0).any():
        return False
    return all((matrix <= matrix[:, [via]] + matrix[[via], :] + 1e-9).all() for via in range(size))


def _recorded(path: str, text: str) -> Pattern:
    """Read what `thalweg run --record` kept: call sites added up in phases, each of one time."""
    first, *lines = text.split("\n")
    if first.split() != [_RECORDED, "1"]:
        problem = f"'{shown(first)}', and not '{_RECORDED} 1'"
        Place(path, 1).refuse(problem, "record it anew: thalweg run --record")
    ranks, phases, names = 0, list[tuple[str, float, list[tuple[int, ...]]]](), list[str]()
    for number, line in enumerate(lines, 2):
        words = line.split()
        if not words or words[0] in ("command", "seconds") or words[0].startswith("#"):
            continue
        try:
            if words[0] == "site":
                names.append(_site_name(words[2], " ".join(words[3:])))
            elif words[0] == "ranks":
                ranks = int(words[1])
            elif words[0] == "phase":
                phases.append((" ".join(words[2:]), float(max(1, int(words[1]))), []))
            else:
                sender, to, size, count, site = map(int, words)
                phases[-1][2].append((sender, to, size, count, site))
        except (ValueError, IndexError):
            remedy = "write FROM TO BYTES MESSAGES SITE in whole numbers, behind a line 'phase', or record it anew"
            Place(path, number).refuse(f"'{shown(line)}' is no line of a pattern", remedy)
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
    for line in read_text(path).split("\n"):
        word, _, rest = line.strip().partition(" ")
        if word == "command":
            command = rest
        elif word == "seconds":
            seconds = float(rest)
        elif word == "phase":
            break
    return Header(command, seconds)


@checked
def write_pattern(pattern: Pattern, path: str | PathLike[str]) -> None:
    """Write a pattern by the ending of the name.

    .json holds all of it. .mtx, .graph, .metis and .csv have the sum of all phases, METIS both ways as one, in whole
    bytes from 1. Raises ThalwegError for another ending, and where the file cannot be written.
    """
    path = os.fspath(path)
    matrix = pattern.matrix()
    if path.lower().endswith(".mtx"):
        buffer = BytesIO()
        io.mmwrite(buffer, matrix)
        write_text(buffer.getvalue().decode(), path)
        return
    if path.lower().endswith((".graph", ".metis")):
        lines = metis.lines_of(pattern)
    elif path.lower().endswith(".json"):
        lines = json_patterns.to_text(pattern).splitlines()
    elif path.lower().endswith(".csv"):
        lines = [",".join(f"{size:.15g}" for size in row) for row in matrix.toarray()]
    else:
        raise ThalwegError(SETTINGS, f"{path} has none of the endings .json, .mtx, .graph, .metis, .csv", "choose one")
    write_text("\n".join(lines) + "\n", path)


def _json(path: str, text: str) -> Pattern:
    """Read a pattern, or the one that the run of a report recorded."""
    found = json_patterns.read(path, text)
    return found if isinstance(found, Pattern) else _recorded(found, read_text(found))


_READERS: dict[tuple[str, ...], Callable[[str, str], sparse.coo_array | np.ndarray | Pattern]] = {
    (".pattern",): _recorded,
    (".json",): _json,
    (".mtx", ".mtx.gz"): _matrix_market,
    (".graph", ".metis"): metis.read,
    (".csv", ".txt"): _table,
    (".dat",): _qaplib,
}
