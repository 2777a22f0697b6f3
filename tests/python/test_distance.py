# SPDX-License-Identifier: BSD-3-Clause
"""How far cores are apart: classes of pairs, turns of trials that are alike, and what a search does with both."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import examples
from thalweg import _core
from thalweg._core import is_same_distance
from thalweg.machine.distances import ALL_PAIRS_MAX, Distance, classes_of, described_distances, pairs_of
from thalweg.trials.distance import like_turns
from thalweg.trials.session import NATIVE, Samples, Session
from thalweg.tune.guidelines import Native
from thalweg.tune.search import Effort, search

NEAR_NS, FAR_NS = 55.0, 280.0


def _distance(seconds: float) -> Distance:
    return Distance(seconds, seconds * 10, seconds * 5)


def _looked(cores: Sequence[int], group: int, noise: Sequence[float]) -> dict[tuple[int, int], Distance]:
    """Give pairs of cores that are near in groups of so many."""
    return {
        (one, other): _distance(
            (55e-9 if one // group == other // group else 280e-9) * noise[(one + other) % len(noise)]
        )
        for one, other in pairs_of(cores)
    }


@settings(max_examples=examples(30))
@given(st.integers(1, 16), st.integers(1, 12), st.lists(st.floats(1.0, 1.15), min_size=1, max_size=7))
def test_groups_of_near_cores_are_found(group: int, groups: int, noise: list[float]) -> None:
    cores = range(group * groups)
    found = classes_of([_looked(cores, group, noise), _looked(cores, group, noise[::-1])])
    expected = (group > 1) + (groups > 1)
    assert (len(found.classes), found.changes) == (expected, 0)
    if group > 1:
        assert found.classes[0].groups == [list(cores[begin : begin + group]) for begin in cores[::group]]
    if groups > 1:
        assert found.classes[-1].groups == [list(cores)]
    for one, other in combinations(cores, 2):
        known = found.between(one, other)
        assert known is not None
        assert (known.round_trip.value < 100e-9) == (one // group == other // group)


def test_cores_that_change_places_are_counted_and_count_by_their_nearest_look() -> None:
    looks = [
        {(0, 1): _distance(55e-9), (2, 3): _distance(280e-9)},
        {(0, 1): _distance(280e-9), (2, 3): _distance(290e-9)},
    ]
    found = classes_of(looks)
    assert [one.groups for one in found.classes] == [[[0, 1]], [[0, 1], [2, 3]]]
    assert (found.looks, found.changes) == (2, 1)
    assert "1 pair of cores changed" in described_distances(found)[-1]
    assert not classes_of([{}]).is_known


def test_of_many_cores_pairs_at_all_steps_are_measured() -> None:
    cores = list(range(3, 3 + 4 * ALL_PAIRS_MAX))
    chosen = pairs_of(cores)
    assert len(chosen) == len(set(chosen)) < 2100
    assert {other - one for one, other in chosen} == {1 << power for power in range(8)}
    assert {core for pair in chosen for core in pair} == set(cores)
    found = classes_of([_looked(cores, 3 + 4 * ALL_PAIRS_MAX, [1.0])])
    assert [one.groups for one in found.classes] == [[cores]]


def test_distances_are_kept_in_the_machine_file() -> None:
    machine = _core.default_machine()
    machine.distances = classes_of([_looked(range(16), 4, [1.0, 1.1])])
    text = machine.to_text()
    again = _core.parse_machine(text, "test")
    assert again.to_text() == text
    assert 'cores = ["0-3", "4-7", "8-11", "12-15"]' in text
    near, far = again.distances.between(0, 3), again.distances.between(3, 4)
    assert near is not None
    assert far is not None
    assert near.round_trip.value < far.round_trip.value
    assert again.distances.between(0, 16) is None


def test_turns_at_one_distance_are_alike() -> None:
    near, far = NEAR_NS, FAR_NS
    assert like_turns([near] * 5) == ([0, 1, 2, 3], near)
    assert like_turns([near, near, near, far, far]) == ([0, 1], near)
    assert like_turns([far, near, far, near]) == ([], 0)
    assert like_turns([0, 0, 0]) == ([0, 1], 0)
    turns, distance = like_turns([near, 0, near * 1.2, far])
    assert turns == [0, 1]
    assert distance == pytest.approx(near * 1.1)


@settings(max_examples=examples(200))
@given(st.lists(st.sampled_from((0.0, 50.0, 60.0, 200.0, 280.0)), min_size=2, max_size=40))
def test_no_two_turns_that_count_are_of_different_distance(distances: list[float]) -> None:
    turns, distance = like_turns(distances)
    seen = [distances[turn + end] for turn in turns for end in (0, 1)]
    assert all(is_same_distance(one, other) for one in seen for other in seen)
    assert all(is_same_distance(distance, one) for one in seen)


class Answers(Session):
    """A job whose answers are there already."""

    def __init__(self, trials: Sequence[Sequence[float]], batches: int) -> None:  # starts nothing
        self.trials = list(trials)
        self.asked = 0
        self.batches = batches
        self.lines: list[dict[str, Any] | str] = []

    def _ask(self, request: str) -> None:
        del request
        distances = self.trials[self.asked]
        self.asked += 1
        turns = [float(100 * self.asked + turn) for turn in range(self.batches)]
        of_candidate = {"candidate": NATIVE, "calls": 1, "completion_us": turns, "cpu_us": turns}
        self.lines = [{"distances_ns": distances}, of_candidate, "done"] if distances else [of_candidate, "done"]

    def _answer(self) -> dict[str, Any] | str:
        return self.lines.pop(0)


def test_trials_in_which_cores_moved_are_repeated() -> None:
    near, far = NEAR_NS, FAR_NS
    quiet = Answers([[near] * 5], 4).measure("barrier", 0, [NATIVE], batches=4)[NATIVE]
    assert (quiet.completion_us, quiet.distance_ns) == ((100, 101, 102, 103), near)
    session = Answers([[near, near, far, near, far], [far] * 5], 4)
    again = session.measure("barrier", 0, [NATIVE], batches=4)[NATIVE]
    assert (session.asked, again.completion_us, again.distance_ns) == (2, (200, 201, 202, 203), far)
    restless = Answers([[near, far] * 2 + [near], [near, near, far, near, far], [far, near] * 2 + [far]], 4)
    most = restless.measure("barrier", 0, [NATIVE], batches=4)[NATIVE]
    assert (restless.asked, most.completion_us, most.cpu_us, most.distance_ns) == (3, (200,), (200,), near)
    unknown = Answers([[]], 4).measure("barrier", 0, [NATIVE], batches=4)[NATIVE]
    assert (unknown.completion_us, unknown.distance_ns) == ((100, 101, 102, 103), 0)


@pytest.mark.parametrize("begins_far", [False, True])
def test_a_search_whose_cores_move_finds_what_is_best_beside_native(begins_far: bool) -> None:  # noqa: FBT001
    costs = {NATIVE: 200.0} | {f"c{index}": 210.0 - 10 * index for index in range(9)}
    rounds = 0

    def measure(names: Sequence[str], batches: int, limit: float) -> Mapping[str, Samples]:
        nonlocal rounds
        del limit
        rounds += 1
        is_far = (rounds > 1) != begins_far
        scale, distance = (3.0, FAR_NS) if is_far else (1.0, NEAR_NS)
        times = {name: tuple(costs[name] * scale + turn % 3 for turn in range(batches)) for name in names}
        return {name: Samples(one, one, 1, distance_ns=distance) for name, one in times.items()}

    found = search([f"c{index}" for index in range(9)], measure, Effort())
    assert found.pick == "c8"
    assert found.distance_changes > 0
    assert min(found.medians, key=found.medians.__getitem__) == "c8"


def test_guidelines_hold_calls_of_one_distance_against_each_other() -> None:
    asked: list[str] = []

    class Moves(Answers):
        def measure(self, operation: str, size: int, candidates: Sequence[str], **_: Any) -> dict[str, Samples]:
            del size
            asked.append(operation)
            distance = FAR_NS if len(asked) == 2 else NEAR_NS
            return {name: Samples((1.0,), (1.0,), 1, distance_ns=distance) for name in candidates}

    native = Native(Moves([], 1))
    native.make_alike([("reduce", 8), ("allreduce", 8)])
    assert asked == ["reduce", "allreduce"] * 2
    native.make_alike([("reduce", 8), ("allreduce", 8)])
    assert len(asked) == 4
