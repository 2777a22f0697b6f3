# SPDX-License-Identifier: BSD-3-Clause
"""What network devices cost, found from barriers: fits of known costs, and jobs without devices."""

import random
from collections.abc import Sequence
from typing import Any, cast

import pytest

from thalweg import _core
from thalweg.machine.probe_devices import fit_devices, hops_of, measure_devices
from thalweg.trials.places import NOWHERE, Place
from thalweg.trials.session import Job, Samples, Session

_PLACE = Place(NOWHERE, frozenset(), NOWHERE, NOWHERE)


class _Devices:
    """A job whose barriers take so many microseconds to start, for each hop, and to wake."""

    def __init__(self, job: Job, costs_us: tuple[float, float, float], *, has_devices: bool = True) -> None:
        self.job, self._costs_us, self._has_devices = job, costs_us, has_devices

    def has_devices(self) -> bool:
        return self._has_devices

    def measure(self, operation: str, size: int, names: Sequence[str], *, batches: int) -> dict[str, Samples]:
        assert size == 0
        start, hop, wake = self._costs_us

        def samples(name: str) -> Samples:
            time = wake if operation == "ibarrier" else start + hops_of(self.job, name) * hop + wake
            return Samples((time,) * batches, (0.0,) * batches, 10, waited_us=(time,) * batches)

        return {name: samples(name) for name in names}


def _job(nodes: int, leaves: tuple[int, ...] = ()) -> Job:
    hosts = tuple(f"h{node}" for node in range(nodes))
    return Job(nodes, tuple(range(nodes)), 1, (), (_PLACE,) * nodes, hosts, "", leaves)


def _measured(job: Job, costs_us: tuple[float, float, float], **words: Any) -> _core.DeviceCosts:
    return measure_devices(cast("Session", _Devices(job, costs_us, **words)))


def test_costs_are_found_from_barriers_of_several_depths() -> None:
    generator = random.Random(5)
    for _ in range(50):
        costs = (generator.uniform(0, 30), generator.uniform(1, 50), generator.uniform(0, 30))
        nodes = generator.choice((8, 9, 40))
        leaves = generator.choice(((), tuple(node % 2 for node in range(nodes))))
        found = _measured(_job(nodes, leaves), costs)
        figures = [figure.value * 1e6 for figure in (found.start, found.hop, found.wake)]
        assert figures == pytest.approx(costs, abs=1e-6)


def test_two_hosts_give_no_time_to_the_start() -> None:
    found = _measured(_job(2), (4, 10, 3))
    assert found.start.value == 0
    assert found.wake.value == pytest.approx(3e-6)
    assert 2 * found.hop.value == pytest.approx(24e-6)


def test_hops_are_those_of_the_tree_that_the_job_has() -> None:
    assert [hops_of(_job(8), f"nic:radix={radix}") for radix in (2, 4, 8)] == [6, 4, 2]
    in_turns = tuple(node % 2 for node in range(8))
    assert [hops_of(_job(8, in_turns), f"nic:radix={radix}") for radix in (2, 4, 8)] == [6, 4, 4]


def test_what_takes_as_long_whatever_the_tree_is_has_no_hops() -> None:
    """As where cards share few cores. Nothing is negative then either."""
    found = fit_devices([6, 4, 2], [(50.0, 50.0), (60.0, 60.0), (70.0, 70.0)], [80.0, 80.0])
    assert (found.start.value, found.hop.value) == (0, 0)
    assert found.wake.value == pytest.approx(59e-6, rel=0.05)
    assert found.is_known


@pytest.mark.parametrize(("nodes", "has_devices"), [(1, True), (8, False)])
def test_jobs_without_devices_have_no_costs(nodes: int, has_devices: bool) -> None:  # noqa: FBT001
    assert not _measured(_job(nodes), (4, 10, 3), has_devices=has_devices).is_known


def test_a_spread_is_that_of_the_samples() -> None:
    rows = [[30.0, 33.0, 36.0] * 5, [20.0, 22.0, 24.0] * 5]
    found = fit_devices([4, 2], rows, [1.0, 1.1, 1.2] * 5)
    assert found.hop.low < found.hop.value < found.hop.high
    assert found.wake.low < found.wake.value < found.wake.high
