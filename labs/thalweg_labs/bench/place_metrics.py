# SPDX-License-Identifier: BSD-3-Clause
"""How well each objective of placements orders the times that mappings take: rank correlations on a lab.

One job sends each pattern under all mappings in turns. Mappings are random ones and what searches find for different
objectives.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from thalweg import _core
from thalweg.lab.hosts import bits_per_second
from thalweg.placement.machine import slots_of
from thalweg.placement.mapping import Budget, map_ranks
from thalweg.rows import Row, make_row
from thalweg.trials.compiler import compiled_program
from thalweg_labs.bench.lab_jobs import made_lab, output_of
from thalweg_labs.bench.patterns import PATTERNS
from thalweg_labs.bench.place_jobs import JobRequest, hosts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from thalweg.lab.hosts import Lab
    from thalweg.placement.machine import Slots
    from thalweg.placement.pattern import Pattern

PROGRAM = Path(__file__).parent / "program" / "mapped.c"
METRICS = ("hop-bytes", "link", "contention", "time")
_MESSAGE_S = 2e-5
_HOP_S = 2e-5


def metric_rows(request: JobRequest) -> Iterator[Row]:
    """Give Spearman's rank correlation of each objective with the measured times, by pattern."""
    for topology in request.topologies if request.mappings else ():
        hosts = hosts_of(topology)
        with made_lab(f"metric{os.getpid()}", hosts, topology, request.rates, 0) as lab:
            slots = slots_of(lab.network)
            for mpi in request.mpis:
                program = compiled_program("mapped", [PROGRAM], mpi, os.environ)
                for name in PATTERNS:
                    yield from _rows_of(request, lab, slots, (mpi, program, name))


def _rows_of(request: JobRequest, lab: Lab, slots: Slots, what: tuple[str, str, str]) -> Iterator[Row]:
    mpi, program, name = what
    pattern = PATTERNS[name](lab.hosts)
    scale = 4 * request.size / max(float(pattern.matrix().sum(axis=1).max()), 1.0)
    mappings = _mappings(pattern, slots, request.mappings)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(_text(pattern, scale, mappings))
        file.flush()
        printed = output_of(lab, [program, file.name, str(request.rounds)], ["--native"])
    times = [float(line) for line in printed.split()]
    link_bytes = bits_per_second(lab.rate) / 8
    figures = [_figures(pattern, slots, mapping, scale, link_bytes) for mapping in mappings]
    spread = f"{min(times) * 1e3:.0f} to {max(times) * 1e3:.0f} ms"
    case = f"{name}, {lab.hosts} hosts on {lab.topology}, {len(mappings)} mappings, {spread}, {mpi}"
    for metric, values in zip(METRICS, zip(*figures, strict=True), strict=True):
        differs = np.ptp(values) > 1e-9 * max(values)
        found = float(stats.spearmanr(np.round(values, 9), times).statistic) if differs else 0.0
        row = make_row(case, f"rank correlation of {metric}", "1", found, 1.0, "the same order")
        yield row | {"ratio": round(found, 4)}


def _mappings(pattern: Pattern, slots: Slots, count: int) -> list[NDArray[np.int32]]:
    """Give different ones, as slots of ranks."""
    random = np.random.default_rng(3)
    budget = Budget(proposals=3000)
    found = [
        map_ranks(pattern, slots, objective=objective, budget=budget, bounds=False).slot_of
        for objective in ("hop-bytes", "link", "contention")
    ]
    found.append(np.arange(pattern.tasks, dtype=np.int32))
    found += [random.permutation(pattern.tasks).astype(np.int32) for _ in range(max(0, count - len(found)))]
    return list({tuple(one.tolist()): one for one in found}.values())


def _text(pattern: Pattern, scale: float, mappings: Sequence[NDArray[np.int32]]) -> str:
    lines = [f"{len(pattern.phases)}"]
    for phase in pattern.phases:
        lines.append(f"{phase.senders.size}")
        lines += [
            f"{sender} {receiver} {max(1, round(size * scale))}"
            for sender, receiver, size in zip(phase.senders, phase.receivers, phase.bytes, strict=True)
        ]
    lines.append(f"{len(mappings)}")
    lines += [" ".join(map(str, mapping.tolist())) for mapping in mappings]
    return "\n".join(lines) + "\n"


def _figures(
    pattern: Pattern, slots: Slots, mapping: NDArray[np.int32], scale: float, link_bytes: float
) -> tuple[float, ...]:
    costs = (link_bytes / scale, _HOP_S, _MESSAGE_S)
    found = _core.placement_metrics(pattern.core, slots.machine, slots.nodes, mapping, np.empty(0), costs)
    return found.hop_bytes, found.link_max, found.phase_link_max, found.seconds
