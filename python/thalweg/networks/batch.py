# SPDX-License-Identifier: BSD-3-Clause
"""The network between the nodes of a job, as the batch system describes it: nobody has to give a file.

Slurm knows its cluster's switches or blocks if an administrator has configured topology/tree or topology/block. It is
asked (`scontrol show topology`); where it does not answer, as within a container, its configuration is read.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.networks import slurm
from thalweg.networks.graphs import Cable, Graph, text_of
from thalweg.networks.hostlists import expand
from thalweg.text_files import read_text, write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SLURM = "slurm"
"""The name of a machine that Slurm describes."""

VARIABLE = "THALWEG_BATCH_NETWORK"
"""The network for ranks: graph:FILE (src/runtime/job/knowledge.hpp)."""

_NODES = ("SLURM_JOB_NODELIST", "SLURM_NODELIST")
_CONFIGURATIONS = ("/run/slurm/conf", "/etc/slurm", "/etc/slurm-llnl", "/usr/local/etc")
"""Where Slurm's configuration is, if SLURM_CONF does not say it; the first is what nodes without files are sent."""
_TASKS = re.compile(r"(\d{1,6})(?:\(x(\d{1,6})\))?")
_PATIENCE_S = 2.0
_KEPT_S = 30 * 86400.0
_NODES_MIN = 3
"""Two nodes are as far from each other in every order."""


class Described(NamedTuple):
    """A network of the job's nodes alone, and who has described it."""

    graph: Graph
    source: str


def nodes_of_job(environment: Mapping[str, str]) -> list[str]:
    """Name the nodes that Slurm has given; none outside of a job. Raises ThalwegError for a list that is none."""
    return expand(next((environment[name] for name in _NODES if environment.get(name)), ""))


def ranks_of_nodes(environment: Mapping[str, str]) -> list[int]:
    """Give how many ranks Slurm starts on each of the job's nodes, as 4,1(x2) says; none where that is not known."""
    counts: list[int] = []
    for word in environment.get("SLURM_TASKS_PER_NODE", "").split(","):
        found = _TASKS.fullmatch(word)
        if found is None:
            return []
        counts += [int(found[1])] * int(found[2] or 1)
    return counts


def described_network(environment: Mapping[str, str], nodes: Sequence[str]) -> Described | None:
    """Find the network between nodes, all of the cluster's for none; None where Slurm does not know it.

    Raises ThalwegError where it is described, and that does not read or leaves a node out.
    """
    for text, source in _descriptions(environment):
        if slurm.looks_so(text):
            graph = slurm.read(text, source)
            return Described(pruned(graph, nodes) if nodes else graph, source)
    return None


def knows_job(environment: Mapping[str, str]) -> bool:
    """Tell whether this is within a job of Slurm, and Slurm describes the network between its nodes."""
    try:
        nodes = nodes_of_job(environment)
        return bool(nodes) and described_network(environment, nodes) is not None
    except ThalwegError:
        return False


def batch_machine(environment: Mapping[str, str], nodes: Sequence[str]) -> str:
    """Name the machine that Slurm describes, as graph:FILE, with these nodes alone; none: all of the cluster's.

    Raises ThalwegError where Slurm describes none.
    """
    found = described_network(environment, nodes)
    if found is None:
        remedy = "name the network: --machine torus:16x16x16, or a file (docs/machines.md)"
        raise ThalwegError(SETTINGS, "Slurm describes no network: scontrol show topology", remedy)
    return f"graph:{keep(found, environment)}"


def _descriptions(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    words = ("scontrol", "show", "topology")
    try:
        answer = subprocess.run(
            words, env=dict(environment), capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
        yield answer.stdout, " ".join(words)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        pass
    named = environment.get("SLURM_CONF")
    for folder in (os.path.dirname(named),) if named else _CONFIGURATIONS:
        path = os.path.join(folder, "topology.conf")
        if os.access(path, os.R_OK):
            yield read_text(path), path


def pruned(graph: Graph, nodes: Iterable[str]) -> Graph:
    """Keep of a tree these nodes and the switches above them, which all ranks of a job read.

    Raises ThalwegError where a node is not in it.
    """
    known = {*graph.nodes}
    wanted = list(dict.fromkeys(nodes))
    if missing := [node for node in wanted if node not in known]:
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        raise ThalwegError(SETTINGS, f"{graph.comment}: node {missing[0]}{more} is not in it", "update the topology")
    above: dict[str, list[Cable]] = {}
    for cable in graph.cables:
        above.setdefault(cable.a, []).append(cable)
    kept: dict[str, None] = {}
    cables: list[Cable] = []
    waiting = [*wanted]
    while waiting:
        own = waiting.pop()
        if own not in kept:
            kept[own] = None
            cables += above.get(own, [])
            waiting += [cable.b for cable in above.get(own, [])]
    return graph._replace(
        nodes=wanted, switches=[switch for switch in graph.switches if switch in kept], cables=cables, remarks=()
    )


def variables_for_ranks(environment: Mapping[str, str], *, has_list: bool) -> tuple[dict[str, str], list[str]]:
    """Give what tells ranks of the network, and remarks for the user.

    `has_list` says that the user has named a list of hosts, which comes before. Where each rank runs the command, the
    first one alone looks. Nothing here may fail a job: what goes wrong is a remark.
    """
    if has_list or VARIABLE in environment or environment.get("SLURM_PROCID", "0") != "0":
        return {}, []
    try:
        nodes = nodes_of_job(environment)
        if len(nodes) < _NODES_MIN:
            return {}, []
        found = described_network(environment, nodes)
        return ({VARIABLE: f"graph:{keep(found, environment)}"}, []) if found else ({}, [])
    except ThalwegError as error:
        return {}, [f"Slurm's topology is not used: {error.message}"]


def keep(found: Described, environment: Mapping[str, str]) -> Path:
    """Write a network into the user's cache, which all nodes are to see; old ones go. Raises ThalwegError."""
    text = text_of(found.graph)
    home = environment.get("XDG_CACHE_HOME") or os.path.join(environment.get("HOME", "/"), ".cache")
    folder = Path(home) / "thalweg" / "networks"
    path = folder / f"slurm-{hashlib.sha256(text.encode()).hexdigest()[:16]}.graph"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for other in folder.glob("slurm-*.graph"):
            if other != path and other.stat().st_mtime < time.time() - _KEPT_S:
                other.unlink(missing_ok=True)
        if path.exists():
            os.utime(path)
            return path
    except OSError as error:
        raise ThalwegError(
            SETTINGS, f"{folder}: {error.strerror}", "set XDG_CACHE_HOME to a folder of yours"
        ) from error
    write_text(text, path)
    return path
