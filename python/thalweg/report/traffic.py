# SPDX-License-Identifier: BSD-3-Clause
"""Who talks to whom: a matrix of bytes by rank, and by node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from thalweg.pages.charts import CELLS_MAX, Matrix, groups_of, summed
from thalweg.pages.render import bytes_text, percent
from thalweg.report.lenient import count, item, number, numbers, objects, rows, text

if TYPE_CHECKING:
    from collections.abc import Callable

    from thalweg.report.run_report import RunReport


@dataclass(frozen=True)
class Traffic:
    """Matrices in one scale, and a sentence."""

    matrices: tuple[Matrix, ...]
    limits: tuple[float, float]
    summary: str


def node_of_rank(report: RunReport) -> dict[int, int]:
    """Give the node of each rank that the report names."""
    nodes = {count(one, "rank"): count(one, "node") for one in objects(report.document, "ranks")}
    for one in objects(report.document, "rank_groups"):
        first, last = count(one, "first"), count(one, "last")
        if 0 <= first <= last < first + (1 << 22):
            nodes.update(dict.fromkeys(range(first, last + 1), count(one, "node")))
    return nodes


def traffic_of(report: RunReport) -> Traffic | None:
    """Give the matrices; None where the report has no traffic."""
    found = item(report.document, "traffic")
    entries = [one for one in rows(found, 4, "entries") if min(one) >= 0 and one[2] > 0]
    if not entries:
        return None
    nodes = node_of_rank(report)
    by_node = text(found, "by") == "node"
    size = max(count(found, "size"), 1 + int(max(max(one[0], one[1]) for one in entries)))
    if size > 1 << 22:
        return None
    matrices = []
    if by_node:
        matrices.append(_matrix("by node", entries, size, lambda first, last: _names("node", first, last)))
    else:
        order = sorted(range(size), key=lambda rank: (nodes.get(rank, 0), rank))
        is_ordered = order == list(range(size))
        matrices.append(_by_rank(entries, size, nodes) if is_ordered else _by_rank_on_nodes(entries, order, nodes))
        known = sorted(set(nodes.values()))
        if 1 < len(known) < size:
            matrices.append(_by_node(entries, nodes, known))
    matrices += _placed(report, entries, size) if not by_node else []
    limits = [one.limits for one in matrices if one.cells]
    return Traffic(
        tuple(matrices), (min(low for low, _ in limits), max(high for _, high in limits)),
        _summary(found, entries, nodes, by_node=by_node),
    )  # fmt: skip


def _matrix(
    title: str, entries: list[list[float]], size: int, name: Callable[[int, int], str], bounds: tuple[int, ...] = ()
) -> Matrix:
    step = groups_of(size)
    names = tuple(name(first, min(first + step, size) - 1) for first in range(0, size, step))
    cells = summed(entries, {place: place // step for place in range(size)})
    return Matrix(title, names, cells, tuple(sorted({-(-bound // step) for bound in bounds})))


def _names(noun: str, first: int, last: int) -> str:
    return f"{noun} {first}" if first == last else f"{noun}s {first} to {last}"


def _bounds(order: list[int], nodes: dict[int, int]) -> tuple[int, ...]:
    found = [place for place in range(1, len(order)) if nodes.get(order[place]) != nodes.get(order[place - 1])]
    return tuple(found) if len(found) < CELLS_MAX // 2 else ()


def _by_rank(entries: list[list[float]], size: int, nodes: dict[int, int]) -> Matrix:
    bounds = _bounds(list(range(size)), nodes)
    return _matrix("by rank", entries, size, lambda first, last: _names("rank", first, last), bounds)


def _by_rank_on_nodes(entries: list[list[float]], order: list[int], nodes: dict[int, int]) -> Matrix:
    """Let ranks of a node stand together."""
    place_of = {rank: place for place, rank in enumerate(order)}
    placed = [[place_of[int(one[0])], place_of[int(one[1])], *one[2:]] for one in entries]

    def name(first: int, last: int) -> str:
        return _names("rank", order[first], order[last]) if first == last else f"ranks {order[first]} … {order[last]}"

    return _matrix("by rank, in the order of nodes", placed, len(order), name, _bounds(order, nodes))


def _by_node(entries: list[list[float]], nodes: dict[int, int], known: list[int]) -> Matrix:
    place_of = {node: place for place, node in enumerate(known)}
    between = [
        [place_of[nodes[int(one[0])]], place_of[nodes[int(one[1])]], *one[2:]]
        for one in entries
        if int(one[0]) in nodes and int(one[1]) in nodes
    ]
    return _matrix("by node", between, len(known), lambda first, last: _names("node", first, last))


def _placed(report: RunReport, entries: list[list[float]], size: int) -> list[Matrix]:
    """Show what a placement makes of it, where the report has one."""
    slot_of = [int(slot) for slot in numbers(report.document, "placing", "proposed")]
    if sorted(slot_of) != list(range(size)) or slot_of == list(range(size)):
        return []
    moved = [[slot_of[int(one[0])], slot_of[int(one[1])], *one[2:]] for one in entries]
    word = "as placed" if item(report.document, "placing", "adopted") is True else "as proposed"
    return [_matrix(f"by slot, {word}", moved, size, lambda first, last: _names("slot", first, last))]


def between_nodes(report: RunReport) -> float | None:
    """Give the part of bytes that leave their node; None where that is not known."""
    found = item(report.document, "traffic")
    entries = [one for one in rows(found, 4, "entries") if one[2] > 0]
    nodes = node_of_rank(report)
    whole = sum(one[2] for one in entries)
    if not whole or len(set(nodes.values())) < 2:
        return None
    by_node = text(found, "by") == "node"

    def node(place: float) -> int | None:
        return int(place) if by_node else nodes.get(int(place))

    return sum(one[2] for one in entries if node(one[0]) != node(one[1])) / whole


def _summary(found: object, entries: list[list[float]], nodes: dict[int, int], *, by_node: bool) -> str:
    total = number(found, "total_bytes") or sum(one[2] for one in entries)
    said = f"{bytes_text(total)} in {sum(one[3] for one in entries):,.0f} messages"
    if len(set(nodes.values())) > 1 and not by_node:
        far = sum(one[2] for one in entries if nodes.get(int(one[0])) != nodes.get(int(one[1])))
        said += f", {percent(far / sum(one[2] for one in entries))} of the bytes between nodes"
    share = number(found, "kept_share")
    return said + (f"; the heaviest pairs, {percent(share)} of all bytes" if 0 < share < 0.9995 else "")
