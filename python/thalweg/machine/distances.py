# SPDX-License-Identifier: BSD-3-Clause
"""How far a node's cores are apart: which pairs are measured, and the classes that come of it.

A pair's distance is what a cache line takes there and back between two threads that stay on the two cores
(src/run/trial/distance.h). Virtual cores change places, so a probe looks several times.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple

from thalweg import _core
from thalweg.units import count_text, rate_text, time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from thalweg.trials.session import Session

ALL_PAIRS_MAX = 64
"""Cores up to which all pairs are measured: 0.6 s for 64."""
APART = 1.4
"""Times as long a line takes at least between cores of the next class. Single pairs of a class differ by less."""
FEW = 0.01
"""A class of fewer pairs than that part is none: a processor was away from one of its cores."""
BLOCK = 32 << 10
"""Bytes that are written for another core and read there: distance_block of src/run/trial/distance.h."""
_PAIRS_A_REQUEST = 100
_PROCESSORS_MAX = 1024
_GROUPS_SHOWN = 8
_US = 1e-6

Pair = tuple[int, int]


class Distance(NamedTuple):
    """What was measured between two cores, in seconds."""

    round_trip: float
    """Of a line."""
    write: float
    """Of a block that the other core has read before."""
    read: float
    """Of a block that the other core has written."""


def pairs_of(processors: Sequence[int]) -> list[Pair]:
    """Choose the pairs that are measured: all of a small node's, else each core with those 1, 2, 4, … after it.

    What nodes are made of comes in powers of two, so that parts of any size have pairs within.
    """
    if len(processors) <= ALL_PAIRS_MAX:
        return list(combinations(processors, 2))
    count = len(processors)
    steps = [1 << power for power in range((count - 1).bit_length())]
    return [(processors[at], processors[at + step]) for step in steps for at in range(count - step)]


def look(session: Session, pairs: Sequence[Pair]) -> dict[Pair, Distance]:
    """Measure pairs of cores of rank 0's host, one after the other; what was not to be measured is left out."""
    found = {}
    for begin in range(0, len(pairs), _PAIRS_A_REQUEST):
        part = pairs[begin : begin + _PAIRS_A_REQUEST]
        answer = session.probe("distances " + " ".join(f"{one} {other}" for one, other in part))
        for index, pair in enumerate(part):
            round_trip, write, read = (_US * value for value in answer[3 * index : 3 * index + 3])
            if round_trip > 0 and write > 0 and read > 0:
                found[pair] = Distance(round_trip, write, read)
    return found


def processors_of(session: Session) -> list[int]:
    """Number the processors of rank 0's host that a job may use."""
    return [round(number) for number in session.probe(f"processors 0 {_PROCESSORS_MAX - 1}")]


def classes_of(looks: Sequence[Mapping[Pair, Distance]]) -> _core.CoreDistances:
    """Sort pairs into classes, nearest first; cores that near pairs connect are a group.

    A pair counts by its shortest look: noise only adds. There are no classes where nothing was measured.
    """
    found = _core.CoreDistances()
    shortest = {pair: min(known) for pair in _pairs_in(looks) if (known := [one[pair] for one in looks if pair in one])}
    if not shortest:
        return found
    limits = _limits([one.round_trip for one in shortest.values()])
    members = [
        [pair for pair, one in shortest.items() if _class_of(one, limits) == index] for index in range(len(limits) + 1)
    ]
    classes, joined = [], {core: core for pair in shortest for core in pair}
    for pairs in members:
        for one, other in pairs:
            _join(joined, one, other)
        groups: dict[int, list[int]] = {}
        for core in sorted(joined):
            groups.setdefault(_root(joined, core), []).append(core)
        distances = [shortest[pair] for pair in pairs]
        classes.append(
            _core.DistanceClass(
                _spread([one.round_trip for one in distances]),
                _spread([one.write / BLOCK for one in distances]),
                _spread([one.read / BLOCK for one in distances]),
                [group for group in groups.values() if len(group) > 1],
            )
        )
    found.classes = classes
    found.looks = len(looks)
    found.changes = sum(_has_changed([one[pair].round_trip for one in looks if pair in one]) for pair in shortest)
    return found


def described_distances(distances: _core.CoreDistances) -> list[str]:
    """Tell how far cores are apart, a line for each class."""
    lines = []
    for number, one in enumerate(distances.classes):
        groups = ", ".join(_core.cores_text(group) for group in one.groups[:_GROUPS_SHOWN])
        more = ", …" if len(one.groups) > _GROUPS_SHOWN else ""
        within = "within" if number == 0 else "else within"
        lines.append(
            f"cores {within} {groups}{more}: a line there and back {time_text(one.round_trip.value)}, "
            f"written {rate_text(one.write_per_byte.value)}, read {rate_text(one.read_per_byte.value)}"
        )
    if distances.changes:
        pairs = count_text(distances.changes, "pair")
        lines.append(f"{pairs} of cores changed their distance during the probe: they are virtual, and move")
    return lines


def _has_changed(round_trips: Sequence[float]) -> bool:
    return not _core.is_same_distance(min(round_trips), max(round_trips))


def _pairs_in(looks: Iterable[Mapping[Pair, Distance]]) -> set[Pair]:
    return {pair for one in looks for pair in one}


def _limits(round_trips: Sequence[float]) -> list[float]:
    """Give the round trips at which classes end, the last one's left out."""
    values = sorted(round_trips)
    limits, begin = [], 0
    for index, (before, after) in enumerate(pairwise(values), 1):
        is_class = min(index - begin, len(values) - index) >= FEW * len(values)
        if after > APART * before and is_class:
            limits.append((before * after) ** 0.5)
            begin = index
    return limits


def _class_of(distance: Distance, limits: Sequence[float]) -> int:
    return sum(distance.round_trip > limit for limit in limits)


def _root(joined: dict[int, int], core: int) -> int:
    while joined[core] != core:
        core = joined[core]
    return core


def _join(joined: dict[int, int], one: int, other: int) -> None:
    first, second = sorted((_root(joined, one), _root(joined, other)))
    joined[second] = first


def _spread(values: Sequence[float]) -> _core.Figure:
    if len(values) == 1:
        return _core.Figure(values[0], values[0], values[0])
    tenths = quantiles(values, n=10, method="inclusive")
    return _core.Figure(median(values), tenths[0], tenths[8])
