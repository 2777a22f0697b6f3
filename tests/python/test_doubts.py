# SPDX-License-Identifier: BSD-3-Clause
"""Tuning again: what an earlier search has found stays unless it surely lost, and disturbed machines are waited for."""

import random
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg import _core
from thalweg.trials.cases import Case
from thalweg.trials.session import NATIVE, Job, Samples, Session
from thalweg.tune.doubts import known_pick, reconciled
from thalweg.tune.objective import Objective, completion
from thalweg.tune.quiet import LOOKED_AT, PATIENCE, PAUSE_S, Watch
from thalweg.tune.search import Effort, Outcome

COSTS = st.floats(1, 1000)


def measured(costs: Mapping[str, float], seed: int, noise: float = 0.02) -> object:
    draw = random.Random(seed)

    def measure(names: Sequence[str], batches: int, limit: float) -> Mapping[str, Samples]:
        assert limit == 0
        return {
            name: Samples(
                tuple(costs[name] * draw.lognormvariate(0, noise) for _ in range(batches)), (0.0,) * batches, 1
            )
            for name in names
        }

    return measure


def decided(costs: Mapping[str, float], new: str, known: str, seed: int = 1) -> str:
    outcome = Outcome(new, costs[new] * 1e-6, costs[NATIVE] * 1e-6, 21)
    return reconciled(outcome, known, measured(costs, seed), Effort(), completion).pick  # type: ignore[arg-type]


@given(seed=st.integers(0, 1 << 30), native=COSTS, known=COSTS, new=COSTS)
def test_of_two_picks_the_surely_faster_one_stays(seed: int, native: float, known: float, new: float) -> None:
    pick = decided({NATIVE: native, "known": known, "new": new}, "new", "known", seed)
    if new < 0.8 * known:
        assert pick == "new"
    if known < 0.8 * native and known < 1.05 * new:
        assert pick == "known"


@given(seed=st.integers(0, 1 << 30), native=COSTS)
def test_tuning_twice_gives_one_answer_where_both_are_equally_fast(seed: int, native: float) -> None:
    costs = {NATIVE: native, "known": native / 2, "new": native / 2}
    assert decided(costs, "new", "known", seed) == "known"
    assert decided(costs, NATIVE, "known", seed) == "known"


def test_a_pick_that_native_beats_by_now_goes() -> None:
    assert decided({NATIVE: 10, "known": 20}, NATIVE, "known") == NATIVE
    assert decided({NATIVE: 20, "new": 10}, "new", NATIVE) == "new"
    assert decided({NATIVE: 20, "new": 19.9}, "new", NATIVE) == NATIVE


def test_only_a_search_on_such_a_job_counts() -> None:
    job = Job(4, (0, 0, 1, 1), 1, (), ())

    def pick(**fields: object) -> _core.Pick:
        made = _core.Pick()
        known = {"call": "alltoall", "ranks": 4, "nodes": 2, "bytes": 64, "use": "direct", "source": "tune"} | fields
        for name, value in known.items():
            setattr(made, name, value)
        return made

    def found(**fields: object) -> str:
        tuning = _core.Tuning()
        tuning.picks = [pick(**fields)]
        return known_pick([tuning], job, Case("alltoall", 64), Objective.TIME)

    assert found() == "direct"
    for other in ({"ranks": 8}, {"nodes": 1}, {"bytes": 8}, {"call": "allgather"}, {"source": "online"}):
        assert found(**other) == ""


class Cores:
    """A job whose cores are away for the parts that it is told, look by look."""

    def __init__(self, parts: Sequence[float], ranks: int = 2) -> None:
        self.parts = list(parts)
        self.asked: list[int] = []
        self.job = SimpleNamespace(ranks=ranks, nodes=(0,) * ranks)

    def probe(self, request: str) -> tuple[float, ...]:
        self.asked.append(int(request.split()[2]))
        part = self.parts.pop(0) if self.parts else 0.0
        return (5000.0, 100.0, 5000.0 * part) if part else (5000.0,)


def watch(cores: Cores, *, budget_s: float = 60, of_node: int = 2) -> tuple[Watch, list[float]]:
    waits: list[float] = []
    return Watch(cast("Session", cores), of_node, budget_s, waits.append), waits


def test_a_disturbed_machine_is_waited_for() -> None:
    looker, waits = watch(Cores([0.5, 0, 0, 0.9, 0, 0.05]))
    assert looker.wait()
    assert waits == [PAUSE_S] * 2
    assert looker.disturbed == 0


def test_patience_ends_and_the_search_goes_on() -> None:
    looker, waits = watch(Cores([1.5] * 1000), budget_s=5)
    assert not looker.wait()
    assert not looker.wait()
    assert sum(waits) == pytest.approx(PATIENCE * 5, abs=2 * PAUSE_S)
    assert looker.disturbed == 2


def test_all_ranks_get_their_look_and_shared_cores_get_none() -> None:
    cores = Cores([], ranks=10)
    looker, _ = watch(cores, of_node=16)
    for _ in range(5):
        assert looker.is_quiet()
    assert set(cores.asked) == set(range(10))
    assert len(cores.asked) == 5 * LOOKED_AT
    crowded = Cores([0.9] * 100, ranks=10)
    assert watch(crowded, of_node=4)[0].wait()
    assert crowded.asked == []
