# SPDX-License-Identifier: BSD-3-Clause
"""What further posted receives and hops add: fits of invented measurements, and which pairs are measured."""

from collections.abc import Sequence

import numpy as np
import pytest

from thalweg import _core
from thalweg.machine.slopes import (
    NONE,
    POSTED,
    described_slopes,
    measure_hops,
    measure_posted,
    pairs_by_hops,
    put_slopes,
    slope_of,
)
from thalweg.trials.places import NOWHERE, Place
from thalweg.trials.session import Job, Session

_ANYWHERE = Place(NOWHERE, frozenset(), NOWHERE, NOWHERE)


def _job(nodes: Sequence[int]) -> Job:
    hosts = tuple(f"h{node}" for node in sorted(set(nodes)))
    return Job(len(nodes), tuple(nodes), 1, ("",) * 8, (_ANYWHERE,) * len(nodes), hosts)


class _Session(Session):
    """A job that answers with what a message takes: 5 us, 3 ns a posted receive, and 2 us a hop on a ring of 8."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.requests: list[str] = []

    def probe(self, request: str) -> tuple[float, ...]:
        """Answer in microseconds."""
        self.requests.append(request)
        name, size, count, samples, *ranks = request.split()
        one, other = (self.job.nodes[int(rank)] for rank in ranks)
        apart = min(abs(one - other), 8 - abs(one - other))
        if name == "burst":
            return (float(size) * (1e-3 + 1e-4 * apart),) * int(samples)
        return (5 + 2 * apart + 3e-3 * int(count) * (name == "posted"),) * int(samples)


def test_slopes_are_found_where_lines_rise() -> None:
    rows = [[1e-6 + 4e-9 * count, 1.1e-6 + 5e-9 * count, 0.9e-6 + 6e-9 * count] for count in POSTED]
    slope = slope_of(POSTED, rows)
    assert slope.value == pytest.approx(5e-9, rel=0.01)
    assert slope.low < slope.value < slope.high
    assert slope_of((2, 2, 2), rows[:3]) == NONE


@pytest.mark.parametrize("seed", range(10))
def test_noise_has_no_slope(seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows = [list(generator.normal(1e-6, 1e-7, 15)) for _ in POSTED]
    assert slope_of(POSTED, rows) == NONE


def test_posted_receives_and_hops_are_measured_and_put_down() -> None:
    session = _Session(_job([0, 0, 1, 2, 3, 4, 5, 6, 7]))
    level = _core.default_machine().levels[-1]
    pairs = pairs_by_hops(session.job, "ring", [])
    assert list(pairs) == [3, 4, 5, 6]  # with the nodes' own links
    hops = measure_hops(session, pairs, (0, 2))
    assert hops is not None and hops.measured == 3
    put_slopes(level, measure_posted(session, (0, 2)), hops)
    assert level.per_posted.value == pytest.approx(3e-9, rel=0.01)
    assert level.hops == 3
    assert level.hop.value == pytest.approx(2e-6, rel=0.01)
    assert level.hop_per_byte.value == pytest.approx(1e-10, rel=0.01)
    machine = _core.default_machine()
    assert described_slopes(machine) == []
    machine.levels = [level]
    posted, far = described_slopes(machine)
    assert "3 ns" in posted and "2 us" in far
    assert _core.parse_machine(machine.to_text(), "again").levels[0].hop.value == pytest.approx(2e-6, rel=0.01)


def test_pairs_are_of_all_distances_that_there_are() -> None:
    job = _job([0, 1, 2, 3])
    hosts = [("h0", 0), ("h1", 5), ("h2", 1), ("h3", 4)]
    found = pairs_by_hops(job, "ring", [*hosts, *((f"x{place}", place) for place in (2, 3, 6, 7))])
    assert found == {3: [(0, 2), (1, 3)], 5: [(0, 1), (2, 3)], 6: [(0, 3), (1, 2)]}


# Nobody knows where the nodes are, or the network is another one's.
@pytest.mark.parametrize(("network", "hosts"), [("", []), ("torus:3x3", []), ("ring", [("h0", 0), ("h1", 1)])])
def test_nothing_is_measured_where_places_are_not_known(network: str, hosts: list[tuple[str, int]]) -> None:
    assert pairs_by_hops(_job([0, 1, 2, 3]), network, hosts) == {}


def test_equal_distances_say_nothing() -> None:
    session = _Session(_job([0, 1, 2, 3]))
    assert measure_hops(session, pairs_by_hops(session.job, "star", []), (0, 1)) is None
    assert not session.requests
