# SPDX-License-Identifier: BSD-3-Clause
"""Fits of LogGP parameters: what was put in comes out."""

import numpy as np
import pytest

from thalweg.machine.fit import Costs, Line, find_outliers, find_ranges, fit_costs, fit_line, spread

SIZES = [0, 8, 64, 256, *(1 << power for power in range(9, 21))]


def _rows(times: list[float], seed: int = 1, noise: float = 0.01) -> list[list[float]]:
    generator = np.random.default_rng(seed)
    return [list(time * generator.lognormal(0, noise, 15)) for time in times]


def _costs(
    half: list[float], send: list[float], receive: list[float], burst: list[float], **more: list[float]
) -> Costs:
    """Make measurements; without `more`, nothing is unexpected, overlap is perfect and traffic goes one way."""
    nothing = [[0.0] * 15 for _ in SIZES]
    return Costs(
        SIZES,
        _rows(half),
        _rows(send),
        _rows(receive),
        _rows(burst, noise=0.001),
        exchange=_rows(more.get("exchange", burst), noise=0.001),
        unexpected=_rows(more["unexpected"]) if "unexpected" in more else nothing,
        overlap=_rows(more["overlap"]) if "overlap" in more else nothing,
        shared=_rows(more["shared"], noise=0.001) if "shared" in more else [],
        pairs=4 if "shared" in more else 1,
    )


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
    costs = _costs(
        half,
        [send.at(size) for size in SIZES],
        [receive.at(size) for size in SIZES],
        [max(send.at(size), receive.at(size)) for size in SIZES],
    )
    ranges, burst = fit_costs(costs, is_network=False)
    assert burst == 0
    for size in (8, 4096, 1 << 20):
        one = next(one for one in ranges if size <= one.bytes_max)
        total = one.send.at(size) + one.receive.at(size) + one.latency + one.gap.per_byte * size
        assert total == pytest.approx(half[SIZES.index(size)], rel=0.1)
        assert one.send.at(size) == pytest.approx(send.at(size), rel=0.2)


def test_a_network_with_bursts_is_taken_apart() -> None:
    """Links of 25 MB/s that let 32 KiB through at once, receivers busy for as long as long messages take."""
    rate, bucket = 40e-9, 32768
    half = [13e-6 + rate * max(0, size - bucket) for size in SIZES]
    costs = _costs(
        half,
        [6e-6 + 5e-10 * size for size in SIZES],
        [min(4e-6 + 3e-10 * size, 1.0) if size <= bucket else time for size, time in zip(SIZES, half, strict=True)],
        [max(6e-6, rate * size) for size in SIZES],
    )
    ranges, burst = fit_costs(costs, is_network=True)
    assert burst == pytest.approx(bucket, rel=0.2)
    assert ranges[-1].gap.per_byte == pytest.approx(rate, rel=0.05)
    assert ranges[0].send.base == pytest.approx(6e-6, rel=0.1)
    assert ranges[-1].receive.at(1 << 20) < 0.1 * half[-1]


@pytest.mark.parametrize("is_network", [False, True])
def test_what_stands_beside_loggp_is_found(*, is_network: bool) -> None:
    """Gaps of 900 ns, 400 ns and 50 ps a byte for what comes unexpected, 700 ns by overlap, factors of 2 and 3."""
    send, receive, gap = Line(2e-7, 1e-11), Line(3e-7, 1e-11), Line(9e-7, 1e-9)
    burst = [gap.at(size) for size in SIZES]
    costs = _costs(
        [send.at(size) + receive.at(size) + 2e-6 + 1e-9 * size for size in SIZES],
        [send.at(size) for size in SIZES],
        [receive.at(size) for size in SIZES],
        burst,
        exchange=[2 * time for time in burst],
        unexpected=[4e-7 + 5e-11 * size for size in SIZES],
        overlap=[7e-7 + 2e-11 * size for size in SIZES],
        shared=[3 * time for time in burst],
    )
    ranges, _ = fit_costs(costs, is_network=is_network)
    one = ranges[0]
    assert one.gap.base == pytest.approx(9e-7, rel=0.1)
    assert one.unexpected == pytest.approx((4e-7, 5e-11), rel=0.1)
    assert one.overlapped == pytest.approx((7e-7, 2e-11), rel=0.1)
    assert (one.two_way.value, one.shared.value) == pytest.approx((2, 3), rel=0.01)
    for factor in (one.two_way, one.shared):
        assert factor.low <= factor.value <= factor.high


@pytest.mark.parametrize("seed", range(20))
def test_noise_around_nothing_gives_nothing_negative(seed: int) -> None:
    """Differences are negative as often as not; parameters and spreads never are."""
    generator = np.random.default_rng(seed)
    noise = [list(generator.normal(0, 1e-6, 15)) for _ in SIZES]
    times = [1e-6 + 1e-10 * size for size in SIZES]
    costs = _costs(times, times, times, times)._replace(unexpected=noise, overlap=noise)
    for is_network in (False, True):
        for one in fit_costs(costs, is_network=is_network)[0]:
            lines = (one.send, one.receive, one.gap, one.unexpected, one.overlapped)
            assert min(one.latency, *(min(line) for line in lines)) >= 0
            assert all(0 <= factor.low <= factor.high for factor in one.spreads.values())


def test_trips_of_several_pairs_are_times_as_long_as_alone() -> None:
    times = [1e-6 + 1e-10 * size for size in SIZES]
    rows = _rows(times)
    alone = _costs(times, times, times, times)
    assert fit_costs(alone, is_network=False)[0][0].trip_shared == (1, 1, 1)
    costs = alone._replace(
        pairs=2,
        shared=rows,
        two_way_trip=_rows([1.5 * time for time in times]),
        shared_trip=_rows([2 * time for time in times]),
        shared_two_way_trip=_rows([3 * time for time in times]),
        shared_overlap=_rows([4e-7 + 1e-11 * size for size in SIZES]),
    )
    one = fit_costs(costs, is_network=False)[0][0]
    found = [one.trip_two_way.value, one.trip_shared.value, one.trip_shared_two_way.value]
    assert found == pytest.approx([1.5, 2, 3], rel=0.02)
    assert one.overlapped_shared == pytest.approx((4e-7, 1e-11), rel=0.1)


def test_spreads_are_of_their_own_measurements() -> None:
    assert spread([[1e-6] * 9, [2e-6] * 9]) == (1, 1)
    low, high = spread([[1e-6, *[2e-6] * 9, 6e-6]])
    assert 0.4 < low <= 1 <= high < 3
    assert spread([[0.0] * 9]) == (1, 1)


def test_outliers_are_counted() -> None:
    times = [1e-6 + 1e-10 * size for size in SIZES]
    costs = _costs(times, times, times, times)
    assert find_outliers(costs).outliers == 0
    slow = [[*row[:-1], 50 * row[-1]] for row in costs.send]
    found = find_outliers(costs._replace(send=slow))
    assert found.outliers == len(SIZES)
    assert found.samples == 5 * 15 * len(SIZES)
    assert found.worst == pytest.approx(50, rel=0.1)
