# SPDX-License-Identifier: BSD-3-Clause
"""Graphs as the files that Thalweg reads (src/core/topology/graph_file.hpp)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Cable(NamedTuple):
    """A link both ways."""

    a: str
    b: str
    capacity: float = 1


class Route(NamedTuple):
    """What goes from a switch to the next vertex, over its number-th link there: the names of nodes."""

    at: str
    ahead: str
    number: int
    nodes: Sequence[str]


class Graph(NamedTuple):
    """Nodes, switches, and what is between them; names without blanks and '#'."""

    nodes: Sequence[str]
    switches: Sequence[str]
    cables: Sequence[Cable]
    routes: Sequence[Route] = ()
    comment: str = ""
    remarks: Sequence[str] = ()
    """What was left out or assumed, for people."""


def name_of(text: str) -> str:
    """Make a name of a description."""
    return "_".join(text.replace("#", " ").split()) or "_"


def unique(wanted: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Give each key the name that it wants, with the key behind it where another one has that name."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key, name in wanted:
        own = name if name not in taken else f"{name}_{key}"
        while own in taken:
            own += "_"
        names[key] = own
        taken.add(own)
    return names


def text_of(graph: Graph) -> str:
    """Write a graph's file."""
    lines = [f"# {graph.comment}"] if graph.comment else []
    lines += [f"node {node}" for node in graph.nodes]
    lines += [f"switch {switch}" for switch in graph.switches]
    lines += [
        f"link {cable.a} {cable.b}" + ("" if cable.capacity == 1 else f" {cable.capacity:g}") for cable in graph.cables
    ]
    lines += [
        f"route {route.at} {route.ahead}{f'#{route.number}' if route.number > 1 else ''} {' '.join(route.nodes)}"
        for route in graph.routes
    ]
    return "\n".join(lines) + "\n"
