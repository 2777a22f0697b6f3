"""LogGP parameters by message size from measured times, the ranges of sizes found by fitting.

Kumar 2005, chapter 2: one pair of start-up and byte cost does not do, as libraries change protocols with size. Ranges
are the best piecewise linear fit by dynamic programming (Bellman 1961) with a price for each piece, errors relative.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

PIECE_PRICE = 0.02
LEAST_POINTS = 3
PIECES_MAX = 5


class Line(NamedTuple):
    """Seconds at no bytes, and per byte; neither is negative."""

    base: float
    per_byte: float

    def at(self, size: float) -> float:
        """Give the time at a size."""
        return self.base + self.per_byte * size


def fit_line(sizes: Vector, times: Vector) -> Line:
    """Fit by least squares of relative errors."""
    weights = 1.0 / np.maximum(times, 1e-12)
    matrix = np.stack([weights, sizes * weights], axis=1)
    (base, per_byte), *_ = np.linalg.lstsq(matrix, np.ones_like(times), rcond=None)
    if per_byte < 0:
        return Line(float(np.sum(weights) / np.sum(weights**2)), 0.0)
    if base < 0:
        scaled = sizes * weights
        return Line(0.0, float(np.sum(scaled) / np.sum(scaled**2)))
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
            if end - begin < min(LEAST_POINTS, count) or len(best[begin][1]) >= PIECES_MAX:
                continue
            piece = slice(begin, end)
            cost = best[begin][0] + sum(error(points[piece], curve[piece]) for curve in values)
            cost += PIECE_PRICE * len(values) if begin else 0.0
            if cost < best[end][0]:
                best[end] = (cost, [*best[begin][1], piece])
    return best[count][1]


class Costs(NamedTuple):
    """What messages between two ranks cost, by size: seconds, a row of samples each."""

    sizes: Sequence[int]
    half_trip: Sequence[Sequence[float]]
    send: Sequence[Sequence[float]]
    receive: Sequence[Sequence[float]]
    burst: Sequence[Sequence[float]]


class Range(NamedTuple):
    """A range of sizes with its parameters; spreads are relative, low and high."""

    bytes_max: int
    latency: float
    send: Line
    receive: Line
    gap: Line
    spread: tuple[float, float]


def without_waiting(sizes: Vector, overhead: Vector, half_trip: Vector) -> Vector:
    """Take what is not the processor's part off an overhead.

    Where a transfer does not go on by itself (rendezvous without a progress thread), the time in calls is the
    transfer's. The processor's part is then continued from the sizes whose transfer did overlap.
    """
    overlapped = overhead < 0.6 * half_trip
    if overlapped.all() or overlapped.sum() < LEAST_POINTS:
        return overhead
    last = int(np.max(np.nonzero(overlapped)))
    line = fit_line(sizes[overlapped], overhead[overlapped])
    result = overhead.copy()
    result[last + 1 :] = np.minimum(overhead[last + 1 :], line.base + line.per_byte * sizes[last + 1 :])
    return result


def fit_costs(costs: Costs, *, is_network: bool) -> tuple[list[Range], float]:
    """Fit all ranges, and the bytes that a network lets through at once after a pause."""
    sizes = np.asarray(costs.sizes, dtype=np.float64)
    half, send, receive, burst = (
        np.asarray([np.median(samples) for samples in rows])
        for rows in (costs.half_trip, costs.send, costs.receive, costs.burst)
    )
    if is_network:
        send = without_waiting(sizes, send, half)
        receive = without_waiting(sizes, receive, half)
    steady = (burst[-1] - burst[-2]) / (sizes[-1] - sizes[-2])
    ranges = []
    for piece in find_ranges(costs.sizes, [half, send, receive]):
        trip = fit_line(sizes[piece], half[piece])
        out, back = fit_line(sizes[piece], send[piece]), fit_line(sizes[piece], receive[piece])
        if is_network:
            # Long messages' lines are the link's: what they leave for the ends says nothing.
            out, back = out._replace(base=max(out.base, send[0])), back._replace(base=max(back.base, receive[0]))
        else:
            out, back = _within(trip, out, back)
        rest = max(0.0, trip.per_byte - out.per_byte - back.per_byte)
        low, high = spread(costs.half_trip[piece])
        ranges.append(
            Range(
                bytes_max=int(costs.sizes[piece][-1]),
                latency=max(0.0, trip.base - out.base - back.base),
                send=out,
                receive=back,
                gap=Line(0.0, steady if is_network else rest),
                spread=(low, high),
            )
        )
    if not is_network:
        return ranges, 0.0
    small = ranges[0]
    base = small.latency + small.send.base + small.receive.base
    passed = sizes[-1] - (half[-1] - base) / steady
    return [_single(one, ranges[0]) for one in ranges], max(0.0, float(passed))


def _within(trip: Line, out: Line, back: Line) -> tuple[Line, Line]:
    """Shorten the ends' parts to the trip's: both may copy at the same time, so together they can be longer."""
    base = min(1.0, trip.base / max(out.base + back.base, 1e-12))
    per_byte = min(1.0, trip.per_byte / max(out.per_byte + back.per_byte, 1e-18))
    return Line(out.base * base, out.per_byte * per_byte), Line(back.base * base, back.per_byte * per_byte)


def _single(one: Range, smallest: Range) -> Range:
    """Leave to the link what a fit of single long messages took for latency."""
    return one._replace(latency=min(one.latency, 2 * smallest.latency))


def spread(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Give a tenth and nine tenths of the samples, as factors of their medians."""
    factors = np.concatenate([np.asarray(row) / max(float(np.median(row)), 1e-12) for row in rows])
    return float(np.quantile(factors, 0.1)), float(np.quantile(factors, 0.9))
