# SPDX-License-Identifier: BSD-3-Clause
"""The guided search, on costs that are made up: what it finds, what it tries, and when it ends."""

import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import examples
from thalweg.trials.cases import NONBLOCKING, cases
from thalweg.trials.session import NATIVE, Samples
from thalweg.tune.objective import completion, held_up, is_not_worse, is_worth_its_work
from thalweg.tune.run import devices_first
from thalweg.tune.search import EXHAUSTIVE, Check, Effort, search
from thalweg.tune.statistics import is_faster


class World:
    """Candidates with true costs in microseconds, measured with noise."""

    def __init__(self, costs: Mapping[str, float], noise: float = 0.02, seed: int = 1) -> None:
        self.costs = costs
        self.noise = noise
        self.random = random.Random(seed)
        self.measured: list[str] = []

    def measure(self, names: Sequence[str], batches: int, limit: float) -> Mapping[str, Samples]:
        fastest = min(self.costs[name] for name in names)
        self.measured += names
        results = {}
        for name in names:
            count = 1 if limit and self.costs[name] > limit * fastest else batches
            times = [self.costs[name] * self.random.lognormvariate(0, self.noise) for _ in range(count)]
            results[name] = Samples(tuple(times), tuple(times), 1)
        return results


def _costs(count: int, native: float) -> dict[str, float]:
    return {NATIVE: native} | {f"c{index}": 100.0 + 10 * index for index in range(count)}


def test_the_best_is_picked_and_little_is_tried() -> None:
    world = World(_costs(60, native=200))
    found = search([f"c{index}" for index in range(60)], world.measure, Effort())
    assert found.pick == "c0"
    assert found.seconds == pytest.approx(100e-6, rel=0.05)
    assert found.native_seconds == pytest.approx(200e-6, rel=0.05)
    assert len(found.tried) <= 16
    assert found.space == 60


def test_native_stays_where_nothing_is_surely_faster() -> None:
    world = World(_costs(20, native=100.5), noise=0.05)
    assert search([f"c{index}" for index in range(1, 20)], world.measure, Effort()).pick == NATIVE


def test_where_devices_run_calls_one_of_their_candidates_is_tried_first() -> None:
    order = ["ring", "tree:radix=4", "nic:radix=4", "nic:radix=8,where=card", "direct"]
    assert devices_first(order, "allreduce") == [order[2], *order[:2], *order[3:]]
    assert devices_first(order[:2], "allreduce") == order[:2]
    assert devices_first([*order, "nic"], "allreduce") == ["nic", *order]
    assert devices_first(order, "alltoall") == order


def test_exhaustive_tries_all() -> None:
    names = [f"c{index}" for index in range(23)]
    found = search(list(reversed(names)), World(_costs(23, native=500)).measure, EXHAUSTIVE)
    assert found.pick == "c0"
    assert sorted(found.tried) == sorted(names)


def test_variations_of_the_leading_strategies_are_tried_after_patience_ends() -> None:
    costs = {NATIVE: 500.0} | {f"c{index}": 100.0 + 10 * index for index in range(40)}
    costs |= {"c1:segment=8KiB": 60.0, "c1:segment=16KiB": 50.0, "c39:segment=8KiB": 10.0}
    order = [*(f"c{index}" for index in range(40)), "c1:segment=8KiB", "c1:segment=16KiB", "c39:segment=8KiB"]
    found = search(order, World(costs).measure, Effort())
    assert found.pick == "c1:segment=16KiB"
    assert "c39:segment=8KiB" not in found.tried, "it is no variation of a leading strategy"
    assert len(found.tried) < 20


def test_different_strategies_come_first() -> None:
    order = [f"{name}:radix={radix}" for name in ("a", "b", "c", "d", "e") for radix in (2, 3, 4)]
    found = search(order, World({NATIVE: 500.0} | dict.fromkeys(order, 100.0)).measure, EXHAUSTIVE)
    assert found.tried[:6] == ["a:radix=2", "b:radix=2", "c:radix=2", "d:radix=2", "a:radix=3", "a:radix=4"]


def test_variations_go_on_while_they_gain() -> None:
    costs = {NATIVE: 500.0} | {f"c{index}": 98.0 + 2 * (index > 0) for index in range(40)}
    costs |= {f"c0:segment={index}KiB": 90.0 - index for index in range(1, 20)}
    order = [*(f"c{index}" for index in range(40)), *(f"c0:segment={index}KiB" for index in range(1, 20))]
    found = search(order, World(costs, noise=0.001).measure, Effort())
    assert found.pick == "c0:segment=19KiB"


def test_the_budget_ends_a_search_after_a_round() -> None:
    names = [f"c{index}" for index in range(40)]
    found = search(list(reversed(names)), World(_costs(40, native=500)).measure, Effort(), is_over=lambda: True)
    assert len(found.tried) == Effort().round_size
    assert found.pick in found.tried


def test_no_candidates_leave_native() -> None:
    found = search([], World({NATIVE: 10}).measure, Effort())
    assert (found.pick, found.space, found.tried) == (NATIVE, 0, [])


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.floats(10, 1000), min_size=1, max_size=40), st.floats(10, 1000), st.integers(0, 1000))
def test_whatever_is_picked_was_tried_and_is_no_worse_than_native(costs: list[float], native: float, seed: int) -> None:
    world = World({NATIVE: native} | {f"c{index}": cost for index, cost in enumerate(costs)}, seed=seed)
    found = search([f"c{index}" for index in range(len(costs))], world.measure, Effort())
    assert found.pick == NATIVE or found.pick in found.tried
    assert world.costs[found.pick] <= native * 1.03
    assert len(set(found.tried)) == len(found.tried)


def test_faster_means_surely_faster() -> None:
    generator = random.Random(3)
    slow = [generator.gauss(100, 5) for _ in range(21)]
    fast = [generator.gauss(80, 5) for _ in range(21)]
    same = [generator.gauss(100, 5) for _ in range(21)]
    assert is_faster(fast, slow)
    assert not is_faster(slow, fast)
    assert not is_faster(same, slow) or not is_faster(slow, same)
    assert not is_faster(fast, slow, min_gain=0.3)


def test_what_loses_alone_is_not_picked() -> None:
    """A pick has to win in rows of calls, and may not lose where each call is made alone."""
    world = World({"ring": 50, "native": 100})

    def alone(ring_us: float) -> str:
        def measure(names: Sequence[str], batches: int, limit: float) -> Mapping[str, Samples]:
            assert list(names) == [NATIVE, "ring"]
            assert limit == 0
            return {name: Samples((ring_us if name == "ring" else 100.0,) * batches, (0.0,), 1) for name in names}

        return search(["ring"], world.measure, Effort(), alone=Check(measure, is_not_worse(completion))).pick

    assert alone(90) == "ring"
    assert alone(110) == NATIVE


def test_nonblocking_picks_do_not_cost_more_than_they_save() -> None:
    """Four ranks that are held up 50 us less may cost 200 us of processor time, on whatever processor."""
    native = _held_up((80.0, 70.0, 150.0), (20.0, 20.0, 50.0), (10.0,))

    def holds(exposed_us: float, lost_us: float, cpu_us: float) -> bool:
        return is_worth_its_work(4)(_held_up((exposed_us,), (lost_us,), (cpu_us,)), native)

    assert holds(30, 20, 10)
    assert holds(30, 20, 210)
    assert not holds(30, 20, 211)
    assert holds(0, 50, 210), "by exposed time or by lost time, is all the same"
    assert not holds(101, 0, 0)
    assert not holds(1, 100, 0), "a wait that is hidden at the computation's cost"


def _held_up(exposed_us: tuple[float, ...], lost_us: tuple[float, ...], cpu_us: tuple[float, ...]) -> Samples:
    return Samples((1000.0,) * len(exposed_us), cpu_us, 1, exposed_us, lost_us)


@settings(max_examples=examples(30), deadline=None)
@given(st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.floats(1, 500), st.floats(0, 500)), min_size=1))
def test_what_holds_computations_up_is_never_picked_for_its_completion(costs: dict[str, tuple[float, float]]) -> None:
    """Completion times say the opposite; the search by overlap heeds the sum of both figures only."""
    native = (200.0, 50.0)

    def measure(names: Sequence[str], batches: int, limit: float) -> Mapping[str, Samples]:
        del limit
        both = {name: native if name == NATIVE else costs[name] for name in names}
        return {
            name: Samples((1000 - sum(one),) * batches, (1.0,), 1, (one[0],) * batches, (one[1],) * batches)
            for name, one in both.items()
        }

    found = search(list(costs), measure, EXHAUSTIVE, figure=held_up)
    best = min(costs, key=lambda name: sum(costs[name]))
    assert found.pick in {NATIVE, *(name for name in costs if sum(costs[name]) == sum(costs[best]))}
    assert (found.pick == NATIVE) == (sum(costs[best]) >= sum(native) / 1.03)


def test_the_thread_is_picked_only_where_it_pays() -> None:
    """Against the same strategy without it, as against native."""

    def pick(costs: dict[str, float]) -> str:
        return search(list(costs), World({NATIVE: 200.0} | costs).measure, Effort(finalists=1)).pick

    assert pick({"ring": 100.0, "ring+thread": 50.0}) == "ring+thread"
    assert pick({"ring": 100.0, "ring+thread": 99.0}) == "ring"
    assert pick({"ring": 199.0, "ring+thread": 198.0}) == NATIVE
    assert pick({"ring:segment=8KiB": 100.0, "ring:segment=8KiB+thread": 60.0}) == "ring:segment=8KiB+thread"


def test_nonblocking_calls_are_tuned_last() -> None:
    found = cases([*NONBLOCKING, "allreduce"], [8, 64, 1024])
    assert [case.name for case in found[:3]] == ["allreduce 8 B", "allreduce 1 KiB", "allreduce 64 B"]
    assert all(case.is_nonblocking for case in found[3:])
    assert {(case.operation, case.call) for case in found[3:]} == set(NONBLOCKING.items())
    assert [case.size for case in found if case.operation == "ibarrier"] == [0]
