"""A machine's network from a name or from a file of any kind that Thalweg reads."""

import os
from pathlib import Path
from typing import NamedTuple

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.readers import hwloc, infiniband, slurm
from thalweg.machine.readers.graphs import Graph, text_of


class Reading(NamedTuple):
    """What was read."""

    kind: str
    """For people: "name", "Slurm's topology"."""
    interconnect: _core.Interconnect
    graph: str
    """The text of a graph's file; empty where a name says all."""


def read_machine(source: str, *, tables: str = "", nodes: int = 0) -> Reading:
    """Read a network: a name (docs/machines.md), or a file, whose kind is seen from what is in it.

    `tables` is a file of forwarding tables, for InfiniBand; `nodes` completes names such as star. Raises ThalwegError.
    """
    try:
        if not os.path.isfile(source):
            if "/" in source and ":" not in source:
                raise ThalwegError(SETTINGS, f"there is no file {source}", "name a file, or a network: torus:4x4")
            return Reading("name", _core.Interconnect(source, nodes), "")
        text = _text(source)
        if slurm.looks_so(text):
            return _graph("Slurm's topology", slurm.read(text, source), source)
        if infiniband.looks_so(text):
            graph = infiniband.read(text, source, _text(tables) if tables else "")
            return _graph("InfiniBand fabric", graph, source)
        if hwloc.looks_so(text):
            found = hwloc.read(text, source)
            if isinstance(found, str):
                return Reading("hwloc's topology of a node", _core.Interconnect(found), "")
            return _graph("hwloc's topology of a node", found, source)
        return Reading("graph", _core.parse_graph(text, source), text)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def _graph(kind: str, graph: Graph, source: str) -> Reading:
    text = text_of(graph)
    return Reading(kind, _core.parse_graph(text, source), text)


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ThalwegError(SETTINGS, f"{path}: {reason}", "name a readable file of text") from error
