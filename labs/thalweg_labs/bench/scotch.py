# SPDX-License-Identifier: BSD-3-Clause
"""Scotch's mapper as a peer, where it is installed: its program gmap, on the job's nodes alone."""

import os
import resource
import shutil
import subprocess
import tempfile

import numpy as np
from numpy.typing import NDArray

from thalweg import _core
from thalweg.placement.machine import Slots
from thalweg.placement.pattern import Pattern


def program() -> str | None:
    """Find gmap."""
    return next((path for name in ("gmap", "scotch_gmap") if (path := shutil.which(name))), None)


def scotch_map(
    gmap: str, pattern: Pattern, slots: Slots, imbalance: float | None = None
) -> tuple[NDArray[np.int32], float]:
    """Map one rank a node with Scotch; gives slots and the CPU seconds of the program.

    With `imbalance` ranks share nodes: by how much of the mean the fullest may be above it. Of a box it is asked twice,
    with the box as a mesh and as a part of the machine: the better one counts.
    """
    tries = []
    with tempfile.TemporaryDirectory() as folder:
        graph, target, out = (os.path.join(folder, name) for name in ("graph.grf", "machine.tgt", "mapping.map"))
        _write_graph(graph, pattern)
        for text in _targets(slots):
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([gmap, f"-b{imbalance or 0}", graph, target, out], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            slot_of = _read_slots(out, pattern.tasks, slots, are_shared=imbalance is not None)
            found = _core.placement_metrics(pattern.core, slots.machine, slots.nodes, slot_of, np.empty(0))
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            tries.append((found.hop_bytes, spent, slot_of))
    best = min(tries, key=lambda one: one[0])
    return best[2], best[1]


def _write_graph(path: str, pattern: Pattern) -> None:
    """Write the pattern with whole numbers as weights."""
    both = pattern.both_ways()
    scale = max(float(both.data.max(initial=1.0)) / 1e5, 1e-9)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"0\n{both.shape[0]} {both.nnz}\n0 010\n")
        for row in range(both.shape[0]):
            begin, end = both.indptr[row], both.indptr[row + 1]
            words = [
                f"{max(round(weight / scale), 1)} {column}"
                for weight, column in zip(both.data[begin:end], both.indices[begin:end], strict=True)
            ]
            file.write(" ".join([str(end - begin), *words]) + "\n")


def _targets(slots: Slots) -> list[str]:
    """Describe the nodes: as a list, and a box as the mesh that it is."""
    extents = np.asarray(slots.extents)
    strides = np.concatenate(([1], np.cumprod(extents)[:-1]))
    coordinates = slots.nodes[:, None] // strides % extents
    spans = np.ptp(coordinates, axis=0) + 1
    kind = "torus" if slots.machine.name.startswith("torus") else "mesh"
    nodes = " ".join(map(str, slots.nodes.tolist()))
    found = [f"sub {slots.nodes.size} {nodes}\n{kind}{extents.size}D {' '.join(map(str, extents.tolist()))}\n"]
    within = ((coordinates - coordinates.min(axis=0)) * np.concatenate(([1], np.cumprod(spans)[:-1]))).sum(axis=1)
    if np.array_equal(within, np.arange(spans.prod())):
        found.append(f"mesh{spans.size}D {' '.join(map(str, spans.tolist()))}\n")
    return found


def _read_slots(path: str, ranks: int, slots: Slots, *, are_shared: bool) -> NDArray[np.int32]:
    """Read the mapping: Scotch numbers a part's nodes as they are listed."""
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file.read().splitlines()[1:]]
    found = np.full(ranks, -1, dtype=np.int32)
    for task, terminal in rows:
        found[int(task)] = int(terminal)
    if (np.unique(found).size < ranks and not are_shared) or not 0 <= int(found.min()) <= int(
        found.max()
    ) < slots.nodes.size:
        message = "Scotch did not give each rank a node of its own"
        raise ValueError(message)
    return found
