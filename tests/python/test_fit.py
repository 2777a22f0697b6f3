"""Fits of LogGP parameters: what was put in comes out."""

import numpy as np
import pytest

from thalweg.machine.fit import Costs, Line, find_ranges, fit_costs, fit_line

SIZES = [0, 8, 64, 256, *(1 << power for power in range(9, 21))]


def _rows(times: list[float], seed: int = 1, noise: float = 0.01) -> list[list[float]]:
    generator = np.random.default_rng(seed)
    return [list(time * generator.lognormal(0, noise, 15)) for time in times]


def test_a_line_is_found() -> None:
    sizes = np.asarray(SIZES, dtype=float)
    line = fit_line(sizes, 2e-6 + 1e-9 * sizes)
    assert line == pytest.approx((2e-6, 1e-9), rel=1e-6)


def test_lines_never_go_below_nothing() -> None:
    sizes = np.asarray([1.0, 2, 3, 4])
    assert fit_line(sizes, np.asarray([4.0, 3, 2, 1])).per_byte == 0
    assert fit_line(sizes, sizes - 0.9).base == 0


def test_a_change_of_protocol_is_found_where_it_is() -> None:
    times = [(1e-6 + 1e-10 * size) if size <= 4096 else (6e-6 + 3e-11 * size) for size in SIZES]
    ranges = find_ranges(SIZES, [times])
    assert [SIZES[piece][-1] for piece in ranges] == [4096, 1 << 20]


def test_one_line_is_one_range() -> None:
    assert len(find_ranges(SIZES, [[1e-6 + 1e-10 * size for size in SIZES]])) == 1


def test_a_node_is_taken_apart() -> None:
    send, receive, latency, gap = Line(2e-7, 1e-10), Line(3e-7, 2e-10), 1e-7, 5e-11
    half = [send.at(size) + receive.at(size) + latency + gap * size for size in SIZES]
    costs = Costs(
        SIZES,
        _rows(half),
        _rows([send.at(size) for size in SIZES]),
        _rows([receive.at(size) for size in SIZES]),
        _rows([max(send.at(size), receive.at(size)) for size in SIZES]),
    )
    ranges, burst = fit_costs(costs, is_network=False)
    assert burst == 0
    for size in (8, 4096, 1 << 20):
        one = next(one for one in ranges if size <= one.bytes_max)
        total = one.send.at(size) + one.receive.at(size) + one.latency + one.gap.at(size)
        assert total == pytest.approx(half[SIZES.index(size)], rel=0.1)
        assert one.send.at(size) == pytest.approx(send.at(size), rel=0.2)


def test_a_network_with_bursts_is_taken_apart() -> None:
    """Links of 25 MB/s that let 32 KiB through at once, receivers busy for as long as long messages take."""
    rate, bucket = 40e-9, 32768
    half = [13e-6 + rate * max(0, size - bucket) for size in SIZES]
    costs = Costs(
        SIZES,
        _rows(half),
        _rows([6e-6 + 5e-10 * size for size in SIZES]),
        _rows(
            [min(4e-6 + 3e-10 * size, 1.0) if size <= bucket else time for size, time in zip(SIZES, half, strict=True)]
        ),
        _rows([max(6e-6, rate * size) for size in SIZES], noise=0.001),
    )
    ranges, burst = fit_costs(costs, is_network=True)
    assert burst == pytest.approx(bucket, rel=0.2)
    assert ranges[-1].gap.per_byte == pytest.approx(rate, rel=0.05)
    assert ranges[0].send.base == pytest.approx(6e-6, rel=0.1)
    assert ranges[-1].receive.at(1 << 20) < 0.1 * half[-1]
