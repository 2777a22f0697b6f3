# SPDX-License-Identifier: BSD-3-Clause
"""Placement: against Scotch and the published heuristics, on QAPLIB's instances, and how it scales.

Allocations are a cube in a torus, and the nodes that other jobs' boxes leave of a busy torus. Seconds are a thread's
own time, as a busy machine would count others' too.
"""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.machine.node_files import read_nodes
from thalweg.placement.machine import Slots, slots_of
from thalweg.placement.mapping import Budget, Sharing, map_ranks
from thalweg.rows import Row, geometric_mean, make_row, write_rows
from thalweg_labs.bench.balance import busy_torus
from thalweg_labs.bench.partitioners import installed, node_of_ranks
from thalweg_labs.bench.patterns import PATTERNS, box, stencil
from thalweg_labs.bench.place_jobs import JobRequest, job_rows
from thalweg_labs.bench.place_metrics import metric_rows
from thalweg_labs.bench.scotch import program, scotch_map

if TYPE_CHECKING:
    from collections.abc import Iterator

    from thalweg.placement.pattern import Pattern

_EXACT_MAX = 15
_EXACT_SECONDS = 60.0
_CUBE = 16
_PUBLISHED_MAX = 300
_SHARED = ("stencil", "mesh", "aug2d")
_RANKS_A_SLOT = 16
_IMBALANCE = 0.03
_NODES = {32: 32, 64: 16}
"""Ranks a node, by nodes."""
_NETWORKS = ("torus:8x8x4", "xgft:8x8x8:1x4x4", "dragonfly:4x8x4")


class Request(NamedTuple):
    """What to measure."""

    sizes: list[int]
    seconds: list[float]
    qaplib: str
    qaplib_seconds: float
    allocations: str
    """A folder of files irr_64.alloc and the like; "" for made ones."""
    scale: list[int]
    scale_seconds: float


def _allocations(size: int, folder: str) -> Iterator[tuple[str, Slots]]:
    side = box(size)
    torus = "torus:" + "x".join(str(max(_CUBE, extent)) for extent in side)
    yield "cube", slots_of(torus, np.stack(np.unravel_index(np.arange(size), side, order="F"), axis=1))
    path = os.path.join(folder, f"irr_{size}.alloc")
    if folder and os.path.exists(path):
        read = read_nodes(path)
        yield "irregular", slots_of("torus:" + "x".join(map(str, read.extents)), read.coordinates)
    else:
        made = busy_torus(size, 1)
        yield "irregular", slots_of(made.name, made.places_of(size))


def peer_rows(request: Request) -> Iterator[Row]:
    """Compare hop-bytes and the most loaded link with Scotch's, for each budget; ratios by their geometric mean."""
    gmap = program()
    if gmap is None:
        print("Scotch's gmap is not installed: no rows against it")
        return
    for size in request.sizes:
        for where, slots in _allocations(size, request.allocations):
            ratios: dict[tuple[str, float], list[float]] = {}
            for name, make in PATTERNS.items():
                pattern = make(size)
                slot_of, spent = scotch_map(gmap, pattern, slots)
                peer = _core.placement_metrics(pattern.core, slots.machine, slots.nodes, slot_of, np.empty(0))
                for seconds in request.seconds:
                    case = f"{name}, {size} on {where}, {seconds} s (Scotch {spent:.2f} s)"
                    for objective in ("hop-bytes", "link"):
                        found = _found(pattern, slots, objective, seconds)
                        values = (
                            (found.hops_per_byte, peer.hops_per_byte)
                            if objective == "hop-bytes"
                            else (found.link_max, peer.link_max)
                        )
                        unit = "hops per byte" if objective == "hop-bytes" else "bytes"
                        yield make_row(case, objective, unit, *values, "scotch")
                        ratios.setdefault((objective, seconds), []).append(values[0] / values[1])
            for (objective, seconds), values_ in ratios.items():
                case = f"geometric mean of {len(values_)} patterns, {size} on {where}, {seconds} s"
                yield make_row(case, f"{objective} over Scotch's", "ratio", geometric_mean(values_), 1.0, "scotch")


def _found(pattern: Pattern, slots: Slots, objective: str, seconds: float) -> _core.PlacementMetrics:
    budget = Budget(seconds, cpu_time=True)
    return map_ranks(pattern, slots, objective=objective, budget=budget, bounds=False).placed


def published_rows(request: Request) -> Iterator[Row]:
    """Compare a tenth of a second with the published heuristics, by hop-bytes."""
    for size in [size for size in request.sizes if size <= _PUBLISHED_MAX]:
        for where, slots in _allocations(size, request.allocations):
            for name, make in PATTERNS.items():
                pattern = make(size)
                ours = _found(pattern, slots, "hop-bytes", 0.1).hops_per_byte
                for heuristic in _core.published_heuristics():
                    slot_of = _core.map_as_published(heuristic, pattern.core, slots.machine, slots.nodes)
                    peer = _core.placement_metrics(pattern.core, slots.machine, slots.nodes, slot_of, np.empty(0))
                    case = f"{name}, {size} on {where}"
                    yield make_row(case, "hop-bytes", "hops per byte", ours, peer.hops_per_byte, heuristic)


def sharing_rows(request: Request) -> Iterator[Row]:
    """Compare with Scotch where ranks outnumber slots, by hop-bytes; nobody's fullest slot is far above the mean."""
    gmap = program()
    if gmap is None:
        return
    for size in [size for size in request.sizes if size <= _PUBLISHED_MAX]:
        for where, slots in _allocations(size, request.allocations):
            for name in _SHARED:
                pattern = PATTERNS[name](_RANKS_A_SLOT * size)
                slot_of, spent = scotch_map(gmap, pattern, slots, _IMBALANCE)
                peer = _core.placement_metrics(pattern.core, slots.machine, slots.nodes, slot_of, np.empty(0))
                counts = np.bincount(slot_of, minlength=size)
                over = counts.max() / counts.mean() - 1
                for seconds in request.seconds:
                    budget = Budget(seconds, cpu_time=True)
                    found = map_ranks(pattern, slots, budget=budget, bounds=False, sharing=Sharing(None, _IMBALANCE))
                    case = (
                        f"{name}, {pattern.tasks} ranks on {size} slots of {where}, {found.seconds:.1f} s, fullest "
                        f"{found.imbalance:.2f} above the mean (Scotch {spent:.2f} s, {over:.2f})"
                    )
                    yield make_row(case, "hop-bytes", "bytes", found.placed.hop_bytes, peer.hop_bytes, "scotch")


def node_rows(request: Request) -> Iterator[Row]:
    """Compare hop-bytes with partitioners where nodes have several slots; ratios to the best of them, by network."""
    for network in _NETWORKS:
        for nodes, ranks_per_node in _NODES.items():
            alone = slots_of(network, np.arange(nodes))
            slots = slots_of(network, np.arange(nodes), ranks_per_node)
            ratios: dict[float, list[float]] = {}
            for name, make in PATTERNS.items():
                pattern = make(nodes * ranks_per_node)
                peers = {}
                for peer in installed():
                    node_of, spent = node_of_ranks(peer, pattern, alone, ranks_per_node)
                    found = _core.placement_metrics(pattern.core, alone.machine, alone.nodes, node_of, np.empty(0))
                    peers[peer] = (found.hops_per_byte, spent)
                for seconds in request.seconds if peers else ():
                    ours = _found(pattern, slots, "hop-bytes", seconds).hops_per_byte
                    for peer, (hops, spent) in peers.items():
                        case = f"{name}, {nodes} x {ranks_per_node} on {network}, {seconds} s ({peer} {spent:.2f} s)"
                        yield make_row(case, "hop-bytes", "hops per byte", ours, hops, peer)
                    best = min(hops for hops, _ in peers.values())
                    ratios.setdefault(seconds, []).append(ours / best if best else 1.0)
            for seconds, values in ratios.items():
                case = f"geometric mean of {len(values)} patterns, {nodes} x {ranks_per_node} on {network}, {seconds} s"
                yield make_row(
                    case, "hop-bytes over the best peer's", "ratio", geometric_mean(values), 1.0, "partitioners"
                )


def qaplib_rows(folder: str, seconds: float) -> Iterator[Row]:
    """Solve the instances of a folder: with proof up to 15 tasks, else by tabu search; against the best known."""
    for path in sorted(glob.glob(os.path.join(folder, "*.qap"))):
        with open(path, encoding="utf-8") as file:
            words = file.read().split()
        size = int(words[0])
        # Of an instance without proof the header has the bound too, below 0.
        known = max(int(word) for word in words[1 : len(words) - 2 * size * size])
        numbers = np.array(words[-2 * size * size :], dtype=np.int64)
        flows, distances = numbers[: size * size].copy(), numbers[size * size :].copy()
        if size <= _EXACT_MAX:
            cost, bound = _core.quadratic_exact(size, flows, distances, _EXACT_SECONDS, 1)[1:]
            proof = "proven" if cost == bound else f"bound {bound}"
        else:
            cost, proof = _core.quadratic_tabu(size, flows, distances, seconds, 1)[1], f"{seconds} s"
        yield make_row(os.path.basename(path), f"cost ({proof})", "cost", cost, known, "best known")


def scale_rows(request: Request) -> Iterator[Row]:
    """Map a shuffled stencil onto its cube; 1 hop per byte is the optimum."""
    for size in request.scale:
        pattern = stencil(size, shuffled=True)
        slots = slots_of("mesh:" + "x".join(map(str, box(size)[::-1])))
        budget = Budget(request.scale_seconds, cpu_time=True)
        found = map_ranks(pattern, slots, budget=budget, bounds=False)
        yield make_row(
            f"shuffled stencil, {size} ranks, {found.seconds:.1f} s ({found.method})",
            "hop-bytes",
            "hops per byte",
            found.placed.hops_per_byte,
            1.0,
            "optimum",
        )


def run(request: Request, on_labs: JobRequest, json_file: str) -> None:
    """Measure, print, and write all rows."""
    rows = []
    makers = [scale_rows(request), job_rows(on_labs), metric_rows(on_labs)]
    if request.sizes:
        makers += [peer_rows(request), sharing_rows(request), node_rows(request), published_rows(request)]
    if request.qaplib:
        makers.append(qaplib_rows(request.qaplib, request.qaplib_seconds))
    for maker in makers:
        for row in maker:
            rows.append(row)
            print(
                f"{row['case']}: {row['metric']} {row['ours']:.6g} {row['unit']}, {row['peer_name']} "
                f"{row['peer']:.6g}: {row['ratio']:.2f}",
                flush=True,
            )
    if json_file:
        write_rows(rows, json_file)
