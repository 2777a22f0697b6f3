# SPDX-License-Identifier: BSD-3-Clause
"""A machine's network from a name or from a file of any kind that Thalweg reads."""

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.networks import hwloc, infiniband, slurm
from thalweg.networks.graphs import Graph, text_of
from thalweg.text_files import read_text

_AS_GRAPH = "describe it as a graph: node, switch and link lines (docs/machines.md)"
_OTHERS = (
    (r"<platform\b", "a platform of SimGrid", _AS_GRAPH),
    (r"^\s*router\s+\d+\s+(?:router|node)\s+\d+", "a network of BookSim (anynet)", _AS_GRAPH),
    (
        r'^\s*(?:Switch|Hca|Ca)\s+\d+\s+"(?![SH]-[0-9a-f]{16}")',
        "a network of ibsim",
        "run ibsim with it, and give what ibnetdiscover prints there",
    ),
    (
        r"^\s*-?\s*topology:\s*\S",
        "Slurm's topology.yaml",
        "give what scontrol show topology prints, or a topology.conf",
    ),
    (r"^\s*(?:graph|digraph|strict)\b[^\n]*\{", "a graph of Graphviz", _AS_GRAPH),
    (r"\A\s*[{\[]", "JSON", _AS_GRAPH),
    (r"^\s*<", "XML", "give what lstopo --of xml writes"),
)
"""What files look like that are not read, what they are, and what helps."""


class Reading(NamedTuple):
    """What was read."""

    kind: str
    """For people: "name", "Slurm's topology"."""
    interconnect: _core.Interconnect
    graph: str
    """The text of a graph's file; empty where a name says all."""
    remarks: Sequence[str] = ()
    """What was left out or assumed, for people."""


def read_machine(source: str, *, tables: str = "", nodes: int = 0) -> Reading:
    """Read a network: a name (docs/machines.md), or a file, whose kind is seen from what is in it.

    `tables` is a file of forwarding tables, for InfiniBand; `nodes` completes names such as star. Raises ThalwegError.
    """
    reading = _read(source, tables, nodes)
    if tables and reading.kind != _FABRIC:
        remedy = "leave --tables out: they are of an InfiniBand fabric"
        raise ThalwegError(SETTINGS, f"forwarding tables {tables} beside {reading.kind} {source}", remedy)
    return reading


_FABRIC = "InfiniBand fabric"


def _read(source: str, tables: str, nodes: int) -> Reading:
    if not os.path.exists(source):
        if "/" in source and ":" not in source:
            raise ThalwegError(SETTINGS, f"there is no file {source}", "name a file, or a network: torus:4x4")
        with _errors():
            return Reading("name", _core.Interconnect(source, nodes), "")
    text = read_text(source)
    if slurm.looks_so(text):
        return _graph("Slurm's topology", slurm.read(text, source), source)
    if infiniband.looks_so(text):
        return _graph(_FABRIC, infiniband.read(text, source, read_text(tables) if tables else None, tables), source)
    if hwloc.looks_so(text):
        found = hwloc.read(text, source)
        if isinstance(found, str):
            return Reading("hwloc's topology of a node", _core.Interconnect(found), "")
        return _graph("hwloc's topology of a node", found, source)
    for pattern, kind, remedy in _OTHERS:
        if re.search(pattern, text, re.MULTILINE):
            raise ThalwegError(SETTINGS, f"{source} is {kind}, which is not read", remedy)
    with _errors():
        return Reading("graph", _core.parse_graph(text, source), text)


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    """Raise the core's errors as ours."""
    try:
        yield
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def _graph(kind: str, graph: Graph, source: str) -> Reading:
    """Make a network of a graph; errors in it are of no line that the user has."""
    text = text_of(graph)
    try:
        return Reading(kind, _core.parse_graph(text, source), text, graph.remarks)
    except _core.Error as error:
        problem, remedy = error.args
        raise ThalwegError(SETTINGS, re.sub(rf"^{re.escape(source)}:\d+: ", f"{source}: ", problem), remedy) from error
