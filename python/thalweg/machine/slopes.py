# SPDX-License-Identifier: BSD-3-Clause
"""What a message takes longer for each receive that is posted, and for each hop: lines through measurements.

Kumar 2005, sections 2.1.1 (table 2.2) and 2.1.2 (table 2.8).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.machine.cables import cabled
from thalweg.units import count_text, rate_text, time_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from thalweg.trials.session import Job, Session

POSTED = (1, 5, 9, 17, 33, 65)
"""Receives that a rank has posted, as the source has them."""
_POSTED_BYTES = 16
_HOP_BYTES = 8
_ROW_BYTES = 1 << 18
_ROW_MESSAGES = 4
_SAMPLES = 15
_PAIRS_MAX = 4
"""Of nodes at each distance."""
_US = 1e-6

Pair = tuple[int, int]
Rows = list[list[float]]


class Slope(NamedTuple):
    """What each further one adds, in seconds; all are 0 where that is not sure."""

    value: float
    low: float
    high: float


NONE = Slope(0.0, 0.0, 0.0)


class Hops(NamedTuple):
    """Trips and rows of messages between pairs of nodes, a row of samples each, in seconds a message."""

    counts: tuple[int, ...]
    trips: Rows
    rows: Rows
    measured: int
    """Hops between the nodes of the level's own pair."""


def slope_of(counts: Sequence[int], rows: Sequence[Sequence[float]]) -> Slope:
    """Fit a line, by least squares, through the first samples, the second ones, … of all counts.

    The slope is the median of the lines', and nothing unless nine in ten rise.
    """
    if len(set(counts)) < 2:
        return NONE
    along = np.asarray(counts, dtype=np.float64)
    samples = np.asarray([list(row)[: min(map(len, rows))] for row in rows], dtype=np.float64)
    slopes = np.polyfit(along, samples, 1)[0]
    low, value, high = (float(one) for one in np.quantile(slopes, [0.1, 0.5, 0.9]))
    return Slope(value, low, high) if low > 0 else NONE


def measure_posted(session: Session, pair: Pair) -> Rows:
    """Measure a short message's trip while both ends have posted so many receives; seconds."""
    words = f"{_SAMPLES} {pair[0]} {pair[1]}"
    return [
        [value * _US for value in session.probe(f"posted {_POSTED_BYTES} {receives} {words}")] for receives in POSTED
    ]


def pairs_by_hops(job: Job, network: str, hosts: Sequence[tuple[str, int]]) -> dict[int, list[Pair]]:
    """Choose pairs of ranks on nodes that are so many hops apart, by hops; none where the nodes' places are not known.

    Hops count nodes' own links too. Without `hosts` the job's nodes are the network's, in their order.
    """
    if not network:
        return {}
    interconnect = _core.Interconnect(cabled(network, len(hosts) or len(job.hosts)))
    places = [_place_of(host, hosts) for host in job.hosts] if hosts else list(range(len(job.hosts)))
    if min(places) < 0 or max(places) >= interconnect.nodes or not (hosts or len(places) == interconnect.nodes):
        return {}
    speakers = [job.nodes.index(node) for node in range(len(places))]
    found: dict[int, list[Pair]] = {}
    for one, other in combinations(range(len(places)), 2):
        hops = int(interconnect.hops(np.array([places[one]]), np.array([places[other]]))[0])
        chosen = found.setdefault(hops, [])
        if len(chosen) < _PAIRS_MAX:
            chosen.append((speakers[one], speakers[other]))
    return dict(sorted(found.items()))


def _place_of(host: str, hosts: Sequence[tuple[str, int]]) -> int:
    return next((place for name, place in hosts if _core.is_same_host(host, name)), -1)


def measure_hops(session: Session, pairs: Mapping[int, Sequence[Pair]], own: Pair) -> Hops | None:
    """Measure pairs of nodes by their hops; nothing where all are equally far apart, or the level's pair is of none."""
    if len(pairs) < 2:
        return None
    nodes = session.job.nodes
    ends = {frozenset((nodes[a], nodes[b])): hops for hops, chosen in pairs.items() for a, b in chosen}
    measured = ends.get(frozenset(nodes[rank] for rank in own), 0)
    if not measured:
        return None
    counts: list[int] = []
    trips: Rows = []
    rows: Rows = []
    for hops, chosen in pairs.items():
        for a, b in chosen:
            counts.append(hops)
            trips.append([value * _US for value in session.probe(f"pingpong {_HOP_BYTES} 10 {_SAMPLES} {a} {b}")])
            burst = session.probe(f"burst {_ROW_BYTES} {_ROW_MESSAGES} {_SAMPLES} {a} {b}")
            rows.append([value * _US / _ROW_BYTES for value in burst])
    return Hops(tuple(counts), trips, rows, measured)


def put_slopes(level: _core.LevelCosts, posted: Sequence[Sequence[float]], hops: Hops | None) -> None:
    """Put into a level what each further receive and hop add."""
    level.per_posted = _core.Figure(*slope_of(POSTED, posted))
    if hops is not None:
        level.hops = hops.measured
        level.hop = _core.Figure(*slope_of(hops.counts, hops.trips))
        level.hop_per_byte = _core.Figure(*slope_of(hops.counts, hops.rows))


def described_slopes(machine: _core.Machine) -> list[str]:
    """Say in a line each what further receives and hops add, where that was measured."""
    lines = []
    for level in machine.levels:
        name = str(level.level).rpartition(".")[2].replace("_", " ")
        if level.per_posted.value > 0:
            lines.append(f"{name}: each further posted receive adds {time_text(level.per_posted.value)} to a message")
        if level.hops > 0:
            further = [time_text(level.hop.value)] if level.hop.value > 0 else []
            if level.hop_per_byte.value > 0:
                alone = level.ranges[-1].gap_per_byte.value
                slower = rate_text(alone + level.hop_per_byte.value)
                further.append(f"{slower} instead of {rate_text(alone)}")
            said = " and ".join(further) or "nothing that is sure"
            lines.append(f"{name}: each hop beyond {count_text(level.hops, 'hop')} adds {said}")
    return lines
