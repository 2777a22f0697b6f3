# SPDX-License-Identifier: BSD-3-Clause
"""LogGP parameters by message size from measured times, the ranges of sizes found by fitting.

Kumar 2005, chapter 2: one pair of start-up and byte cost does not do, as libraries change protocols with size. Ranges
are the best piecewise linear fit by dynamic programming (Bellman 1961) with a price for each piece, errors relative.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

PIECE_PRICE = 0.02
POINTS_MIN = 3
PIECES_MAX = 5
OUTLIER_TIMES = 3
SMALL = 256
"""Bytes up to which messages cost nothing by the byte."""
NOTHING_S = 1e-12
"""What is below, also by the byte of a MiB, is a rounding error."""
DIFFERENCES = ("unexpected", "overlap")


class Line(NamedTuple):
    """Seconds at no bytes, and per byte; neither is negative."""

    base: float
    per_byte: float

    def at(self, size: float) -> float:
        """Give the time at a size."""
        return self.base + self.per_byte * size


def fit_line(sizes: Vector, times: Vector, scale: Vector | None = None) -> Line:
    """Fit by least squares of errors relative to `scale`, the times themselves where it is not given."""
    weights = 1.0 / np.maximum(times if scale is None else scale, 1e-12)
    wanted = times * weights
    matrix = np.stack([weights, sizes * weights], axis=1)
    (base, per_byte), *_ = np.linalg.lstsq(matrix, wanted, rcond=None)
    if per_byte < 0:
        return Line(max(0.0, float(np.sum(wanted * weights) / np.sum(weights**2))), 0.0)
    if base < 0:
        scaled = sizes * weights
        return Line(0.0, max(0.0, float(np.sum(wanted * scaled) / np.sum(scaled**2))))
    return Line(float(base), float(per_byte))


def error(sizes: Vector, times: Vector) -> float:
    """Sum the squared relative errors of the best line."""
    line = fit_line(sizes, times)
    return float(np.sum((1 - (line.base + line.per_byte * sizes) / np.maximum(times, 1e-12)) ** 2))


def find_ranges(sizes: Sequence[int], curves: Sequence[Sequence[float] | Vector]) -> list[slice]:
    """Cut the sizes into ranges in which all curves are lines, as few as pay."""
    points = np.asarray(sizes, dtype=np.float64)
    values = [np.asarray(curve, dtype=np.float64) for curve in curves]
    count = len(points)
    best: list[tuple[float, list[slice]]] = [(np.inf, []) for _ in range(count + 1)]
    best[0] = (0.0, [])
    for end in range(1, count + 1):
        for begin in range(end):
            if end - begin < min(POINTS_MIN, count) or len(best[begin][1]) >= PIECES_MAX:
                continue
            piece = slice(begin, end)
            cost = best[begin][0] + sum(error(points[piece], curve[piece]) for curve in values)
            cost += PIECE_PRICE * len(values) if begin else 0.0
            if cost < best[end][0]:
                best[end] = (cost, [*best[begin][1], piece])
    return best[count][1]


Rows = Sequence[Sequence[float]]


class Costs(NamedTuple):
    """What messages between two ranks cost, by size: seconds, a row of samples each (src/run/trial/probes.h)."""

    sizes: Sequence[int]
    half_trip: Rows
    send: Rows
    receive: Rows
    burst: Rows
    exchange: Rows
    """Each of two bursts that meet."""
    unexpected: Rows
    """Differences, which noise makes negative."""
    overlap: Rows
    """Likewise."""
    shared: Rows
    """The slowest of bursts of several pairs; empty where there was one pair only."""
    pairs: int
    two_way_trip: Rows = ()
    """Exchanges in which both send at once."""
    shared_trip: Rows = ()
    """The slowest of trips of several pairs at once; empty where there was one pair only."""
    shared_two_way_trip: Rows = ()
    shared_overlap: Rows = ()
    posted: Rows = ()
    """Trips of 16 bytes, a row for each number of posted receives (slopes.POSTED), not for each size."""


BY_SIZE = tuple(name for name in Costs._fields if name not in {"sizes", "pairs", "posted"})
"""The measurements that have a row for each size."""


class Factor(NamedTuple):
    """How many times as long, with a tenth and nine tenths of the measurements."""

    value: float
    low: float
    high: float


ONCE = Factor(1.0, 1.0, 1.0)


class Spread(NamedTuple):
    """A tenth and nine tenths of the measurements, as factors of their medians."""

    low: float
    high: float


class Range(NamedTuple):
    """A range of sizes with its parameters in seconds and bytes."""

    bytes_max: int
    latency: float
    send: Line
    receive: Line
    gap: Line
    unexpected: Line
    overlapped: Line
    two_way: Factor
    shared: Factor
    trip_two_way: Factor
    trip_shared: Factor
    trip_shared_two_way: Factor
    overlapped_shared: Line
    spreads: Mapping[str, Spread]
    """By the name of the measurements in Costs."""


class Outliers(NamedTuple):
    """Samples that took over OUTLIER_TIMES the median of their row."""

    samples: int
    outliers: int
    worst: float
    """The slowest, as times the median."""


def without_waiting(sizes: Vector, overhead: Vector, half_trip: Vector) -> Vector:
    """Take what is not the processor's part off an overhead.

    Where a transfer does not go on by itself (rendezvous without a progress thread), the time in calls is the
    transfer's. The processor's part is then continued from the sizes whose transfer did overlap.
    """
    overlapped = overhead < 0.6 * half_trip
    if overlapped.all() or overlapped.sum() < POINTS_MIN:
        return overhead
    last = int(np.max(np.nonzero(overlapped)))
    line = fit_line(sizes[overlapped], overhead[overlapped])
    result = overhead.copy()
    result[last + 1 :] = np.minimum(overhead[last + 1 :], line.base + line.per_byte * sizes[last + 1 :])
    return result


def fit_costs(costs: Costs, *, is_network: bool) -> tuple[list[Range], float]:
    """Fit all ranges, and the bytes that a network lets through at once after a pause."""
    sizes = np.asarray(costs.sizes, dtype=np.float64)
    half, send, receive, burst = map(_medians, (costs.half_trip, costs.send, costs.receive, costs.burst))
    if is_network:
        send = without_waiting(sizes, send, half)
        receive = without_waiting(sizes, receive, half)
    steady = max(0.0, float((burst[-1] - burst[-2]) / (sizes[-1] - sizes[-2])))
    interval = float(np.median(burst[sizes <= SMALL]))
    lowest = [float(np.min(part[sizes <= SMALL])) for part in (send, receive)]
    ranges = []
    for piece in find_ranges(costs.sizes, [half, send, receive]):
        trip = fit_line(sizes[piece], half[piece])
        out, back = fit_line(sizes[piece], send[piece]), fit_line(sizes[piece], receive[piece])
        if is_network:
            # Long messages' lines are the link's: what they leave for the ends says nothing.
            out, back = out._replace(base=max(out.base, lowest[0])), back._replace(base=max(back.base, lowest[1]))
        else:
            out, back = _within(trip, out, back)
        per_byte = steady if is_network else max(0.0, trip.per_byte - out.per_byte - back.per_byte)
        latency = max(0.0, trip.base - out.base - back.base)
        # Between two messages of a row lies at most what lies between two that wait for each other.
        gap = min(max(fit_line(sizes[piece], burst[piece]).base, interval), max(interval, trip.base))
        ranges.append(_range(costs, piece, latency, (out, back, Line(gap, per_byte))))
    if not is_network or steady == 0:
        return ranges, 0.0
    small = ranges[0]
    base = small.latency + small.send.base + small.receive.base
    passed = sizes[-1] - (half[-1] - base) / steady
    return [_single(one, ranges[0]) for one in ranges], max(0.0, float(passed))


def _range(costs: Costs, piece: slice, latency: float, lines: tuple[Line, Line, Line]) -> Range:
    """Fit what stands beside LogGP's parameters: differences relative to the trip, and factors."""

    def rounded(line: Line) -> Line:
        base, per_byte = line
        return Line(base if base > NOTHING_S else 0.0, per_byte if per_byte * (1 << 20) > NOTHING_S else 0.0)

    sizes = np.asarray(costs.sizes[piece], dtype=np.float64)
    half = _medians(costs.half_trip[piece])
    send, receive, gap = lines
    names = ("half_trip", "send", "receive", "burst", *DIFFERENCES, "shared_overlap")
    rows = {name: getattr(costs, name)[piece] for name in names}
    return Range(
        bytes_max=int(costs.sizes[piece][-1]),
        latency=rounded(Line(latency, 0.0)).base,
        send=rounded(send),
        receive=rounded(receive),
        gap=rounded(gap),
        unexpected=rounded(fit_line(sizes, _sure(rows["unexpected"]), half)),
        overlapped=rounded(fit_line(sizes, np.maximum(_medians(rows["overlap"]), 0.0), half)),
        two_way=_factor(costs.exchange[piece], costs.burst[piece]),
        shared=_factor(costs.shared[piece], costs.burst[piece]) if costs.pairs > 1 else ONCE,
        trip_two_way=_trip_factor(costs.two_way_trip[piece], costs.half_trip[piece]),
        trip_shared=_trip_factor(costs.shared_trip[piece], costs.half_trip[piece]),
        trip_shared_two_way=_trip_factor(costs.shared_two_way_trip[piece], costs.half_trip[piece]),
        overlapped_shared=rounded(_shared_overlap(costs.shared_overlap[piece], sizes, half)),
        spreads={name: spread(samples) for name, samples in rows.items()},
    )


def _medians(rows: Rows) -> Vector:
    return np.asarray([np.median(row) for row in rows])


def _sure(rows: Rows) -> Vector:
    """Give the medians of differences, nothing for those that are not nearly always above it."""
    return np.asarray([np.median(row) if np.quantile(row, 0.1) > 0 else 0.0 for row in rows])


def _factor(slower: Rows, alone: Rows) -> Factor:
    """Tell how many times as long it takes, by the range's largest sizes, where the bytes count."""
    ratios = [np.asarray(row) / np.median(one) for row, one in zip(slower[-2:], alone[-2:], strict=True)]
    low, value, high = np.quantile(np.concatenate(ratios), [0.1, 0.5, 0.9])
    return Factor(float(value), float(low), float(high))


def _trip_factor(slower: Rows, alone: Rows) -> Factor:
    """Tell how many times as long trips take, by all of the range's sizes; once where that was not measured."""
    if not slower:
        return ONCE
    ratios = [np.asarray(row) / np.median(one) for row, one in zip(slower, alone, strict=True)]
    low, value, high = np.quantile(np.concatenate(ratios), [0.1, 0.5, 0.9])
    return Factor(float(value), float(low), float(high))


def _shared_overlap(rows: Rows, sizes: Vector, half: Vector) -> Line:
    return fit_line(sizes, np.maximum(_medians(rows), 0.0), half) if rows else Line(0.0, 0.0)


def _within(trip: Line, out: Line, back: Line) -> tuple[Line, Line]:
    """Shorten the ends' parts to the trip's: both may copy at the same time, so together they can be longer."""
    base = min(1.0, trip.base / max(out.base + back.base, 1e-12))
    per_byte = min(1.0, trip.per_byte / max(out.per_byte + back.per_byte, 1e-18))
    return Line(out.base * base, out.per_byte * per_byte), Line(back.base * base, back.per_byte * per_byte)


def _single(one: Range, smallest: Range) -> Range:
    """Leave to the link what a fit of single long messages took for latency."""
    return one._replace(latency=min(one.latency, 2 * smallest.latency))


def spread(rows: Rows) -> Spread:
    """Give a tenth and nine tenths of the samples, as factors of their medians; rows around nothing say nothing."""
    factors = [np.asarray(row) / np.median(row) for row in rows if np.median(row) > NOTHING_S]
    if not factors:
        return Spread(1.0, 1.0)
    low, high = np.quantile(np.concatenate(factors), [0.1, 0.9])
    return Spread(max(0.0, float(low)), float(high))


def find_outliers(costs: Costs) -> Outliers:
    """Count outliers among the samples that are times; differences have none."""
    ratios = np.concatenate(
        [
            np.asarray(row) / max(float(np.median(row)), NOTHING_S)
            for rows in (costs.half_trip, costs.send, costs.receive, costs.burst, costs.exchange, costs.shared)
            for row in rows
        ]
    )
    return Outliers(len(ratios), int(np.sum(ratios > OUTLIER_TIMES)), max(1.0, float(np.max(ratios))))
