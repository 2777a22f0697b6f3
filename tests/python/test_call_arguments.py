# SPDX-License-Identifier: BSD-3-Clause
"""What programs pass to the package: errors are ThalwegErrors that name the argument, and none comes from inside."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thalweg
from thalweg import Budget, LinkCosts, Machine, Pattern, Routers, Sharing, TaskCosts, ThalwegError
from thalweg.simulation.ground import Costs

BAD: list[Any] = [None, -1, 2.5, "x", float("nan"), 2**70, [], {}, object(), b"x", True, [None], [[1], 2]]
TWO = np.array([[0, 1.0], [1, 0]])
SHORT = Budget(0.01)
MESH = Machine("torus:4x4")


def add_phase(**given: Any) -> None:
    Pattern(tasks=2).add_phase(**{"name": "a", "traffic": TWO, **given})


# A function with arguments that are right, and those of its arguments that are replaced.
CALLS: list[tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]]] = [
    (
        thalweg.map_ranks,
        {"pattern": TWO, "machine": "torus:2", "budget": SHORT},
        (
            *("pattern", "machine", "nodes", "slots_per_node", "objective", "budget", "seed", "base_load", "bounds"),
            "sharing",
        ),
    ),
    (
        thalweg.advise,
        {"pattern": TWO, "machine": "torus:2x2", "budget": SHORT},
        ("pattern", "machine", "ranks_per_node", "spare", "budget", "seed", "costs"),
    ),
    (
        thalweg.balance,
        {"loads": [1, 3]},
        ("loads", "scheme", "spread", "speeds", "order", "allocation", "costs", "incumbent"),
    ),
    (thalweg.task_cuts, {"weights": [1, 2], "amounts": [1]}, ("weights", "amounts")),
    (
        thalweg.simulate,
        {"operation": "allreduce", "strategy": "ring", "ranks": 4, "network": "torus:2x4", "level": "packet"},
        (
            *("operation", "strategy", "ranks", "unit_bytes", "root", "ranks_per_node", "parameters", "machine"),
            *("loggops", "network", "nodes", "without", "placement", "link_bandwidth", "link_latency", "level"),
            *("routing", "routers", "ties", "explained_max", "timeline", "costs", "progress"),
        ),
    ),
    (thalweg.simulate, {}, ("goal",)),
    (
        thalweg.simulate_network,
        {"topology": "torus:2x2", "packets": 100, "loads": [0.1]},
        ("topology", "pattern", "loads", "routing", "routers", "fanout", "sets", "senders", "packets", "workers"),
    ),
    (
        thalweg.simulate_stream,
        {"shape": [2, 2], "items": 10},
        ("shape", "items", "item_bytes", "ranks", "buffer_bytes", "item_nanoseconds", "costs", "explained_max"),
    ),
    (Machine, {"name": "torus:4x4", "nodes": [1]}, ("name", "nodes", "slots_per_node")),
    (MESH.places_of, {}, ("ranks",)),
    (MESH.order, {}, ("ranks",)),
    (MESH.hops, {"a": [1], "b": [2]}, ("a", "b")),
    (MESH.link_loads, {"a": [1], "b": [2], "sent_bytes": [1]}, ("a", "b", "sent_bytes")),
    (Pattern, {}, ("traffic", "tasks")),
    (add_phase, {}, ("name", "traffic", "repeats", "messages")),
    (thalweg.read_pattern, {}, ("path",)),
    (partial(thalweg.write_pattern, Pattern(TWO)), {}, ("path",)),
    (lambda pattern: thalweg.write_pattern(pattern, "/dev/null"), {}, ("pattern",)),
]

# Parts of an argument that is a tuple with names.
PARTS: list[tuple[Callable[[Any], Any], type, tuple[str, ...]]] = [
    (lambda one: thalweg.map_ranks(TWO, "torus:2", budget=one), Budget, ("seconds", "proposals", "cpu_time")),
    (lambda one: thalweg.map_ranks(TWO, "torus:1", sharing=one, budget=SHORT), Sharing, ("weights", "imbalance")),
    (lambda one: thalweg.advise(TWO, "torus:2x2", costs=one, budget=SHORT), LinkCosts, LinkCosts._fields),
    (lambda one: thalweg.balance([1, 3], costs=one), TaskCosts, TaskCosts._fields),
    (lambda one: thalweg.simulate("allreduce", "ring", 4, costs=one), Costs, ("loggops", "noise", "cores", "level")),
    (
        lambda one: thalweg.simulate_network("torus:2x2", packets=100, loads=[0.1], routers=one),
        Routers,
        ("buffers", "credit_rule", "queues", "arbitration", "packet_bytes", "gigabits", "channel_ns", "occupied"),
    ),
]


def refused_or_done(call: Callable[[], Any]) -> None:
    try:
        call()
    except ThalwegError as error:
        assert error.message
        assert error.remedy


@pytest.mark.parametrize(("function", "right", "names"), CALLS)
def test_no_other_errors_come_up(
    function: Callable[..., Any], right: dict[str, Any], names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An argument of any kind is taken or refused."""
    monkeypatch.chdir("/")
    for name in names:
        for bad in BAD:
            refused_or_done(lambda name=name, bad=bad: function(**{**right, name: bad}))  # type: ignore[misc]


@pytest.mark.parametrize(("function", "kind", "names"), PARTS)
def test_parts_of_arguments_are_looked_at_too(
    function: Callable[[Any], Any], kind: type, names: tuple[str, ...]
) -> None:
    for name in names:
        for bad in BAD:
            refused_or_done(lambda name=name, bad=bad: function(kind(**{name: bad})))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: thalweg.map_ranks(TWO, "torus:2", budget=1.0), "budget: 1.0 where thalweg.Budget is expected"),  # type: ignore[arg-type]
        (lambda: thalweg.map_ranks(TWO, "torus:2", seed=1.5), "seed: 1.5 where a whole number is expected"),  # type: ignore[arg-type]
        (lambda: thalweg.map_ranks(TWO, "torus:2", objective=None), "objective: None where a text is expected"),  # type: ignore[arg-type]
        (lambda: thalweg.map_ranks(TWO, None), "machine: None where a text or thalweg.Machine or thalweg.Slots"),  # type: ignore[arg-type]
        (lambda: thalweg.balance([1, 2], costs=TaskCosts("x")), "task_bytes of costs: 'x' where a whole number"),  # type: ignore[arg-type]
        (lambda: thalweg.advise(TWO, "torus:2", ranks_per_node=2), "ranks_per_node: 2 where a list of whole numbers"),  # type: ignore[arg-type]
        (lambda: MESH.hops([0.5], [1]), "nodes of type float64"),
        (lambda: MESH.link_loads([0, 1, 2], [1, 2], [1.0]), "arrays of shapes (3,) and (2,) and (1,)"),
    ],
)
def test_the_argument_is_named(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(ThalwegError) as error:
        call()
    assert error.value.message.startswith(said), error.value.message


def test_paths_are_taken(tmp_path: Path) -> None:
    thalweg.write_pattern(Pattern(TWO), tmp_path / "a.csv")
    assert thalweg.read_pattern(tmp_path / "a.csv").matrix().toarray().tolist() == TWO.tolist()
