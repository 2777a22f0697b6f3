# SPDX-License-Identifier: BSD-3-Clause
"""What this machine is made of, from hwloc: sockets, caches, cores and memory."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from thalweg.trials.places import NOWHERE, Place
from thalweg.units import size_text

MISSING = "hwloc is not installed (Debian: apt install hwloc-nox)"
_CACHES = ("L4Cache", "L3Cache", "L2Cache", "L1Cache")


class Cache(NamedTuple):
    """Caches of one kind."""

    name: str
    """As processors' makers call them: L3, L1d."""
    number: int
    size_bytes: int
    cores: int
    """That share one."""


class Parts(NamedTuple):
    """A node, as hwloc sees it."""

    sockets: int
    memory_nodes: int
    memory_bytes: int
    caches: tuple[Cache, ...]
    """Farthest from the cores first."""
    cores: int
    core_of: Mapping[int, int]
    """The core, numbered from 0, of each processor (hardware thread) that Linux numbers so."""


def parse_parts(text: str) -> Parts:
    """Read hwloc's XML. Raises ValueError where it is none, or has no cores."""
    try:
        root = ET.fromstring(text)  # noqa: S314 - from hwloc on this machine
    except ET.ParseError as error:
        raise ValueError(f"hwloc wrote what is no XML: {error}") from error
    cores = _of(root, "Core") or _of(root, "PU")
    if not cores:
        raise ValueError("hwloc tells of no cores")
    core_of = {int(unit.get("os_index", NOWHERE)): n for n, core in enumerate(cores) for unit in _of(core, "PU")}
    memory = _of(root, "NUMANode")
    caches = []
    for kind in _CACHES:
        if found := _of(root, kind):
            name = kind.removesuffix("Cache") + ("d" if kind == "L1Cache" else "")
            sharing = max(len(_of(cache, "Core") or _of(cache, "PU")) for cache in found)
            caches.append(Cache(name, len(found), int(found[0].get("cache_size", 0)), sharing))
    memory_bytes = sum(int(one.get("local_memory", 0)) for one in memory)
    return Parts(len(_of(root, "Package")) or 1, len(memory) or 1, memory_bytes, tuple(caches), len(cores), core_of)


def _of(root: ET.Element, kind: str) -> list[ET.Element]:
    return [element for element in root.iter("object") if element.get("type") == kind]


def find_parts() -> Parts | str:
    """Ask hwloc of this machine; a text says why where it cannot tell."""
    program = shutil.which("lstopo-no-graphics") or shutil.which("hwloc-ls")
    if program is None:
        return MISSING
    done = subprocess.run([program, "--no-io", "--of", "xml"], capture_output=True, text=True, check=False)
    if done.returncode:
        return f"{os.path.basename(program)} failed: {done.stderr.strip()}"
    try:
        return parse_parts(done.stdout)
    except ValueError as error:
        return str(error)


def describe_node() -> str:
    """Tell in a line what this machine is made of."""
    parts = find_parts()
    return parts if isinstance(parts, str) else describe(parts)


def describe(parts: Parts) -> str:
    """Tell in a line what a node is made of: 2 sockets, 4 L3 of 32 MiB (4 cores each), …."""
    threads = len(parts.core_of) // parts.cores
    words = [_counted(parts.sockets, "socket")]
    for cache in parts.caches:
        sharing = f" ({cache.cores} cores each)" if cache.cores > 1 else ""
        words.append(f"{cache.number} {cache.name} of {size_text(cache.size_bytes)}{sharing}")
    words.append(_counted(parts.cores, "core") + (f" of {threads} threads" if threads > 1 else ""))
    gigabytes = f"{parts.memory_bytes / (1 << 30):.3g} GiB"
    words.append(gigabytes + (f" in {parts.memory_nodes} NUMA nodes" if parts.memory_nodes > 1 else ""))
    return ", ".join(words)


def describe_place(place: Place, core_of: Mapping[int, int]) -> str:
    """Tell where a rank is: the core that it stays on, or the one that it was seen on among those that it may use."""
    if place.processor == NOWHERE:
        return "core not known"
    core = core_of.get(place.processor, place.processor)
    own = {core_of.get(processor, processor) for processor in place.processors}
    words = [f"core {core}" if len(own) <= 1 else f"one of {len(own)} cores (seen on {core})"]
    words += [f"core complex {place.core_complex}"] if place.core_complex != NOWHERE else []
    words += [f"socket {place.socket}"] if place.socket != NOWHERE else []
    return ", ".join(words)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def describe_ranks(nodes: Sequence[int], places: Sequence[Place], core_of: Mapping[int, int], limit: int) -> list[str]:
    """Tell where the first ranks are, a line each."""
    lines = [
        f"rank {rank}: node {node}, {describe_place(place, core_of)}"
        for rank, (node, place) in enumerate(zip(nodes[:limit], places[:limit], strict=True))
    ]
    return [*lines, f"… and {len(nodes) - limit} more ranks"] if len(nodes) > limit else lines
