# SPDX-License-Identifier: BSD-3-Clause
"""METIS graphs as patterns, checked as METIS' own graphchecker does: edges of both lines, with alike weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scipy import sparse

from thalweg.text_files import Place, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from thalweg.placement.pattern import Pattern

_BOTH_WAYS = "% thalweg: weights are the bytes of both ways together"
_HEAD = "write numbers of vertices and edges, and a format such as 001"
_COUNT_MAX = 1 << 40


class _Head(NamedTuple):
    """A graph's first line."""

    vertices: int
    edges: int
    skipped: int
    """Numbers before a vertex' edges: its size and weights."""
    has_weights: bool


def read(path: str, text: str) -> sparse.coo_array:
    """Read a graph: vertices from 1, weights of edges as bytes each way, or of both ways in files that say so."""
    lines = [
        (Place(path, number), line)
        for number, line in enumerate(text.removesuffix("\n").split("\n"), 1)
        if line[:1] != "%"
    ]
    first = next((index for index, (_, line) in enumerate(lines) if line.strip()), None)
    if first is None:
        Place(path, 1).refuse("no first line with the numbers of vertices and edges", _HEAD)
    head = _head(*lines[first])
    body = lines[first + 1 :]
    vertices = body[: head.vertices]
    for place, line in body[head.vertices :]:
        if line.strip():
            place.refuse(f"a line behind those of {head.vertices} vertices", "correct the first line, or leave it out")
    if len(vertices) < head.vertices:
        lines[first][0].refuse(
            f"{head.vertices} vertices, and {len(vertices)} lines follow", "write a line for each vertex"
        )
    edges: dict[tuple[int, int], tuple[float, Place]] = {}
    for vertex, (place, line) in enumerate(vertices):
        for other, weight in _edges(place, line, head):
            if other == vertex or (vertex, other) in edges:
                place.refuse(f"vertex {vertex + 1} has neighbor {other + 1} twice or is its own", "leave it out")
            edges[vertex, other] = (weight, place)
    _check(edges, head, lines[first][0])
    scale = 0.5 if _BOTH_WAYS in text[: 2 * len(_BOTH_WAYS)] else 1.0
    weights = [scale * weight for weight, _ in edges.values()]
    rows, columns = zip(*edges, strict=True) if edges else ((), ())
    return sparse.coo_array((weights, (rows, columns)), shape=(head.vertices, head.vertices))


def _head(place: Place, line: str) -> _Head:
    words = line.split()
    if not 2 <= len(words) <= 4:
        place.refuse(f"'{shown(line)}' is no first line of a graph", _HEAD)
    vertices, edges = (_whole(place, word) for word in words[:2])
    form = words[2].zfill(3) if len(words) > 2 else "000"
    if len(form) != 3 or set(form) - {"0", "1"}:
        place.refuse(
            f"format '{shown(words[2])}'", "write three digits of 0 and 1: sizes, weights of vertices, of edges"
        )
    weights = 0 if form[1] == "0" else _whole(place, words[3]) if len(words) > 3 else 1
    return _Head(vertices, edges, weights + (form[0] == "1"), form[2] == "1")


def _edges(place: Place, line: str, head: _Head) -> Iterator[tuple[int, float]]:
    """Yield the neighbors of a vertex, from 0, and the edges' weights."""
    words = line.split()
    if len(words) < head.skipped:
        place.refuse(f"{len(words)} numbers, and {head.skipped} come before the edges", "write them all")
    for word in words[: head.skipped]:
        _whole(place, word)
    ends = words[head.skipped :]
    step = 2 if head.has_weights else 1
    if len(ends) % step:
        place.refuse("a neighbor without a weight", "write pairs of a neighbor and a weight")
    for index in range(0, len(ends), step):
        other = _whole(place, ends[index])
        if not 1 <= other <= head.vertices:
            place.refuse(f"neighbor {other} of {head.vertices} vertices", "count vertices from 1")
        weight = _whole(place, ends[index + 1]) if head.has_weights else 1
        if weight == 0:
            place.refuse(f"an edge to {other} of weight 0", "write whole numbers from 1, or leave the edge out")
        yield other - 1, float(weight)


def _check(edges: dict[tuple[int, int], tuple[float, Place]], head: _Head, first: Place) -> None:
    """See that each edge is in both of its lines, and that there are as many as promised."""
    for (a, b), (weight, place) in edges.items():
        back = edges.get((b, a))
        if back is None:
            place.refuse(
                f"neighbor {b + 1} of vertex {a + 1}, which is none of its neighbors", "write edges in both lines"
            )
        if back[0] != weight:
            problem = f"the edge to {b + 1} has weight {weight:g}, and {back[0]:g} in line {back[1].line}"
            place.refuse(problem, "write the same in both lines")
    if len(edges) != 2 * head.edges:
        first.refuse(f"{head.edges} edges, and {len(edges) // 2} follow", "write how many there are")


def _whole(place: Place, word: str) -> int:
    if not (word.isascii() and word.isdigit()) or len(word) > 18 or int(word) > _COUNT_MAX * _COUNT_MAX:
        place.refuse(f"'{shown(word)}' is no whole number", "write whole numbers from 0")
    return int(word)


def lines_of(pattern: Pattern) -> list[str]:
    """Write a pattern's graph: weights are whole numbers from 1, as METIS has them."""
    both = pattern.both_ways()
    lines = [_BOTH_WAYS, f"{pattern.tasks} {both.nnz // 2} 001"]
    for rank in range(pattern.tasks):
        row = both[[rank], :].tocoo()
        weights = zip(row.col.tolist(), row.data.tolist(), strict=True)
        lines.append(" ".join(f"{other + 1} {max(1, round(size))}" for other, size in weights))
    return lines
