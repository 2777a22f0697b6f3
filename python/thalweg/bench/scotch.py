"""Scotch's mapper as a peer, where it is installed: its program gmap, on the job's nodes alone."""

import os
import resource
import shutil
import subprocess
import tempfile

import numpy as np
from numpy.typing import NDArray

from thalweg.placement.machine import Slots
from thalweg.placement.pattern import Pattern


def program() -> str | None:
    """Find gmap."""
    return next((path for name in ("gmap", "scotch_gmap") if (path := shutil.which(name))), None)


def scotch_map(gmap: str, pattern: Pattern, slots: Slots) -> tuple[NDArray[np.int32], float]:
    """Map one rank a node with Scotch; gives slots and the CPU seconds of the program."""
    both = pattern.both_ways()
    with tempfile.TemporaryDirectory() as folder:
        graph, target, out = (os.path.join(folder, name) for name in ("graph.grf", "machine.tgt", "mapping.map"))
        scale = max(float(both.data.max(initial=1.0)) / 1e5, 1e-9)
        with open(graph, "w", encoding="utf-8") as file:
            file.write(f"0\n{both.shape[0]} {both.nnz}\n0 010\n")
            for row in range(both.shape[0]):
                begin, end = both.indptr[row], both.indptr[row + 1]
                words = [
                    f"{max(round(weight / scale), 1)} {column}"
                    for weight, column in zip(both.data[begin:end], both.indices[begin:end], strict=True)
                ]
                file.write(" ".join([str(end - begin), *words]) + "\n")
        with open(target, "w", encoding="utf-8") as file:
            file.write(_target(slots))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([gmap, "-b0", graph, target, out], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(out, encoding="utf-8") as file:
            rows = [line.split() for line in file.read().splitlines()[1:]]
    found = np.zeros(both.shape[0], dtype=np.int32)
    for task, terminal in rows:
        found[int(task)] = int(terminal)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return _slots_of_terminals(found, slots), spent


def _target(slots: Slots) -> str:
    """Describe the nodes: a box that no way leaves as the mesh that it is, which Scotch maps better, or a list."""
    extents = np.asarray(slots.machine.extents)
    strides = np.concatenate(([1], np.cumprod(extents)[:-1]))
    coordinates = slots.nodes[:, None] // strides % extents
    spans = np.ptp(coordinates, axis=0) + 1
    within = ((coordinates - coordinates.min(axis=0)) * np.concatenate(([1], np.cumprod(spans)[:-1]))).sum(axis=1)
    if (within == np.arange(slots.nodes.size)).all() and within.size == spans.prod() and (2 * spans <= extents).all():
        return f"mesh{spans.size}D {' '.join(map(str, spans.tolist()))}\n"
    kind = "torus" if slots.machine.name.startswith("torus") else "mesh"
    nodes = " ".join(map(str, slots.nodes.tolist()))
    return f"sub {slots.nodes.size} {nodes}\n{kind}{extents.size}D {' '.join(map(str, extents.tolist()))}\n"


def _slots_of_terminals(found: NDArray[np.int32], slots: Slots) -> NDArray[np.int32]:
    """Scotch numbers a sub-machine's nodes as they are listed."""
    if np.unique(found).size < found.size or int(found.max()) >= slots.nodes.size:
        message = "Scotch did not give each rank a node of its own"
        raise ValueError(message)
    return found
