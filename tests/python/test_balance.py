# SPDX-License-Identifier: BSD-3-Clause
"""Balancing: flows on numpy, the command, its files, and errors that name the value and the remedy."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import thalweg
from support import Command, examples
from thalweg import _core
from thalweg.balancing.files import read_numbers
from thalweg.balancing.optimum import hop_tasks_min
from thalweg.errors import SETTINGS, USAGE, ThalwegError
from thalweg.text_files import NUMBER_MAX
from thalweg_labs.bench.balance import busy_torus, loads_of

FULL = ("sweep", "alias", "nested-sweep", "nested-alias", "alias-queued")


@st.composite
def allocations(draw: st.DrawFn) -> thalweg.Machine:
    """Draw some nodes of a small grid, in any order."""
    extents = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    kind = draw(st.sampled_from(["torus", "mesh"]))
    places = draw(st.lists(st.integers(0, math.prod(extents) - 1), min_size=1, max_size=12, unique=True))
    nodes = [np.unravel_index(place, extents, order="F") for place in places]
    return thalweg.Machine(f"{kind}:{'x'.join(map(str, extents))}", np.array(nodes))


@given(data=st.data(), spread=st.sampled_from(["even", "capped"]))
@settings(max_examples=examples(100))
def test_no_flow_beats_the_optimum(data: st.DataObject, spread: str) -> None:
    allocation = data.draw(allocations())
    assert allocation.grid is not None
    ranks = allocation.node_count * data.draw(st.integers(1, 3))
    loads = np.array(data.draw(st.lists(st.integers(0, 40), min_size=ranks, max_size=ranks)), dtype=np.int64)
    for scheme in FULL:
        found = thalweg.balance(loads, scheme=scheme, allocation=allocation, spread=spread)
        optimum = hop_tasks_min(allocation.grid, allocation.places_of(ranks), loads - found.loads)
        assert found.chosen.hop_tasks >= optimum
        assert found.loads.sum() == loads.sum()
        assert found.loads.max() <= -(-loads.sum() // ranks)


@pytest.mark.parametrize("remainder", [0, 1, 1000])
def test_what_serves_the_nearest_stays_near(remainder: int) -> None:
    """The published form's hop-tasks, on 4096 nodes here and there, are what to compare with."""
    allocation = busy_torus(4096, 3)
    ranks = allocation.node_count
    loads = loads_of(ranks, remainder)
    loads[np.random.default_rng(remainder).permutation(ranks)[:remainder]] += 1
    printed = thalweg.balance(loads, scheme="alias-printed", allocation=allocation).chosen.hop_tasks
    for scheme, part in (("nested-alias", 0.35), ("nested-sweep", 0.35), ("alias", 0.5), ("sweep", 0.5)):
        assert thalweg.balance(loads, scheme=scheme, allocation=allocation).chosen.hop_tasks <= part * printed, scheme


def test_the_order_of_a_row_of_nodes_is_the_row() -> None:
    allocation = thalweg.Machine("mesh:8", np.array([[5], [2], [7], [0]]))
    assert allocation.order(8).tolist() == [6, 7, 2, 3, 0, 1, 4, 5]


def test_the_optimum_of_a_row_is_the_sum_of_its_prefix_sums() -> None:
    excess = np.array([3, -1, 0, 2, -5, 1])
    row = hop_tasks_min(_core.Grid("mesh:6"), np.arange(6), excess)
    assert row == np.abs(excess.cumsum()).sum()
    assert hop_tasks_min(_core.Grid("torus:6"), np.arange(6), excess) < row
    assert hop_tasks_min(_core.Grid("mesh:1x1"), np.zeros(2, np.int64), np.array([1, -1])) == 0


def test_loads_become_even_and_the_answer_is_the_same_everywhere() -> None:
    loads = np.random.default_rng(5).integers(0, 50, 1000)
    first = thalweg.balance(loads, costs=thalweg.TaskCosts(task_seconds=1.0))
    again = thalweg.balance(list(loads), costs=thalweg.TaskCosts(task_seconds=1.0))
    assert first.scheme in FULL
    assert set(first.loads) <= {loads.sum() // 1000, loads.sum() // 1000 + 1}
    for one, other in ((first.senders, again.senders), (first.receivers, again.receivers), (first.tasks, again.tasks)):
        assert (one == other).all()
    assert first.senders.dtype == first.receivers.dtype == np.int32
    assert first.tasks.dtype == first.loads.dtype == np.int64


def test_what_is_nearly_even_stays_as_it_is() -> None:
    found = thalweg.balance([5, 5, 6], costs=thalweg.TaskCosts(task_bytes=1 << 30))
    assert (found.scheme, found.tasks.size) == ("none", 0)
    assert "no other takes less" in found.reason


def test_the_scheme_in_use_is_left_for_a_sure_gain_only() -> None:
    loads = [9, 1, 5, 5]
    slow = thalweg.TaskCosts(task_bytes=1 << 20, task_seconds=1.0)
    for incumbent in FULL:
        found = thalweg.balance(loads, costs=slow, incumbent=incumbent)
        assert found.scheme == incumbent
    assert thalweg.balance(loads, costs=slow).scheme in FULL


def test_speeds_decide_who_has_how_much() -> None:
    found = thalweg.balance([12, 0, 0], speeds=[1, 2, 3], scheme="sweep")
    assert list(found.loads) == [2, 4, 6]
    with pytest.raises(ThalwegError, match="cannot serve ranks of these speeds"):
        thalweg.balance([12, 0, 0], speeds=[1, 2, 3], scheme="alias-queued")


def test_weighted_tasks_are_cut_where_the_flow_says() -> None:
    weights = np.array([5, 1, 1, 1, 8, 2], dtype=np.int64)
    found = thalweg.balance([weights.sum(), 0, 0], scheme="sweep")
    cuts = thalweg.task_cuts(weights, found.tasks[found.senders == 0])
    sent = [weights[begin:end].sum() for begin, end in itertools.pairwise(cuts)]
    assert all(abs(one - 6) <= weights.max() for one in sent)


@pytest.mark.parametrize(("weights", "amounts"), [([1, 2], [4]), ([1, -2], [0]), ([3], [-1]), ([], [1])])
def test_cuts_of_what_is_not_there_are_refused(weights: list[int], amounts: list[int]) -> None:
    with pytest.raises(ThalwegError, match="from tasks that weigh"):
        thalweg.task_cuts(weights, amounts)


def _flow(scheme: str, loads: NDArray[np.int64], order: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    found = thalweg.balance(loads, scheme=scheme, order=order)
    return list(zip(found.senders.tolist(), found.receivers.tolist(), found.tasks.tolist(), strict=True))


def test_only_the_order_names_ranks() -> None:
    """Renaming the ranks renames the flow."""
    random = np.random.default_rng(2)
    loads, names = random.integers(0, 30, 50), random.permutation(50)
    renamed = np.empty(50, np.int64)
    renamed[names] = loads
    for scheme in (*FULL, "alias-printed", "diffusion"):
        expected = [(names[a], names[b], tasks) for a, b, tasks in _flow(scheme, loads, np.arange(50))]
        assert _flow(scheme, renamed, names) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"loads": []}, "among no ranks"),
        ({"loads": [[1, 2]]}, r"loads of shape \(1, 2\)"),
        ({"loads": [1.5]}, "loads of type float64"),
        ({"loads": [3, -1]}, "rank 1 has a load of -1"),
        ({"loads": [1 << 61, 1]}, "are over 2305843009213693952 together"),
        ({"loads": np.array([1 << 63], dtype=np.uint64)}, "do not fit into int64"),
        ({"loads": [1, 2], "scheme": "alais"}, "no scheme is called 'alais'"),
        ({"loads": [1, 2], "incumbent": "alais"}, "no scheme is called 'alais'"),
        ({"loads": [1, 2], "spread": "wide"}, "no spread is called 'wide'"),
        ({"loads": [1, 2], "order": "peano"}, "no order is called 'peano'"),
        ({"loads": [1, 2], "order": "hilbert"}, "hilbert without an allocation"),
        ({"loads": [1, 2], "order": [0, 0]}, "rank 0 comes twice"),
        ({"loads": [1, 2], "order": [0]}, "the order has 1 ranks"),
        ({"loads": [1, 2], "order": [0, 1 << 40]}, "do not fit into int32"),
        ({"loads": [1, 2], "speeds": [1]}, "1 speeds for 2 ranks"),
        ({"loads": [1, 2], "speeds": [1, 0], "spread": "capped"}, "capped spread of ranks with speeds"),
        ({"loads": [1, 2], "costs": thalweg.TaskCosts(task_bytes=-1)}, "a cost that is no number from 0"),
        (
            {"loads": [1, 2], "costs": thalweg.TaskCosts(steps=float("nan"))},
            "steps of costs: nan where a number is expected",
        ),
        ({"loads": [1, 2, 3], "allocation": thalweg.Machine("mesh:2")}, "3 ranks on 2 nodes"),
        ({"loads": [1], "allocation": thalweg.Machine("torus:100000x100000")}, "1 ranks on 10000000000 nodes"),
    ],
)
def test_what_is_no_problem_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ThalwegError, match=message) as caught:
        thalweg.balance(**arguments)  # type: ignore[arg-type]
    assert caught.value.remedy


def written(tmp_path: Path, text: str) -> str:
    file = tmp_path / "numbers.txt"
    file.write_text(text)
    return str(file)


@pytest.mark.parametrize(
    ("text", "ranks", "numbers"),
    [
        ("1 2\n3", None, [1, 2, 3]),
        ("1,2,,3 # four\n# five\n\n", None, [1, 2, 3]),
        ("7", 3, [7, 0, 0]),
        ("", 2, [0, 0]),
        ("2:5 6\n0:1", 4, [1, 0, 5, 6]),
        ("1:4 0:3", None, [3, 4]),
    ],
)
def test_numbers_are_read(tmp_path: Path, text: str, ranks: int | None, numbers: list[int]) -> None:
    assert list(read_numbers(written(tmp_path, text), ranks)) == numbers


@pytest.mark.parametrize(
    ("text", "ranks", "message"),
    [
        ("", None, "no numbers in it"),
        ("1\n2 x", None, "txt:2: 'x' is no number"),
        ("1.5", None, "'1.5' is no number"),
        ("-1", None, "'-1' is no number"),
        ("²", None, "is no number"),
        (":3", None, "'' is no number"),
        ("3:", None, "'' is no number"),
        ("1:2:3", None, "'1:2' is no number"),
        ("9" * 5000, None, "is over"),
        (str(NUMBER_MAX + 1), None, "is over"),
        ("1 2 3", 2, "a number for rank 2 of 2"),
        ("0:1 0:2", None, "a second number for rank 0"),
        ("3:1", None, "no number for rank 0"),
        ("1", 0, "0 ranks"),
        ("4000000000:1", None, "a number for rank 4000000000"),
    ],
)
def test_numbers_that_are_none_are_explained(tmp_path: Path, text: str, ranks: int | None, message: str) -> None:
    with pytest.raises(ThalwegError, match=message) as caught:
        read_numbers(written(tmp_path, text), ranks)
    assert caught.value.status == SETTINGS
    assert caught.value.remedy


@given(st.one_of(st.binary(max_size=60), st.text("0123456789:,# \n-.x", max_size=60).map(str.encode)))
@settings(max_examples=examples(300))
def test_any_file_is_read_or_explained(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.txt"
    file.write_bytes(content)
    for read in (read_numbers, lambda path: read_numbers(path, 5)):
        try:
            read(str(file))
        except ThalwegError as error:
            assert str(file) in error.message
            assert error.remedy


@given(st.text("torusmesh:x0123456789- ", max_size=30))
@settings(max_examples=examples(300))
def test_any_text_is_a_grid_or_explained(text: str) -> None:
    for name in (text, f"torus:{text}", f"mesh:{text}x2"):
        try:
            grid = _core.Grid(name)
        except _core.Error as error:
            assert all(error.args)
        else:
            assert _core.Grid(grid.name).extents == grid.extents
            assert grid.hops(0, grid.places - 1) <= grid.diameter


def test_the_command_prints_who_sends_what(thalweg: Command, tmp_path: Path) -> None:
    loads = written(tmp_path, "9 1 5 5 # a comment")
    result = thalweg("balance", loads)
    assert result.returncode == 0, result.stderr
    assert "4 ranks with 20 tasks, 5 each; at most 9 on a rank" in result.stdout
    assert "sweep, along the order, ranks with too much serve those with too little; wins when" in result.stdout
    assert "chosen: " in result.stdout
    assert result.stdout.splitlines()[-1].split() == ["0", "1", "4"]
    many = thalweg("balance", written(tmp_path, "0:400"), "-n", "40")
    assert "and 27 more messages" in many.stdout
    assert "more messages" not in thalweg("balance", written(tmp_path, "0:400"), "-n", "40", "--all").stdout


def test_the_command_writes_json(thalweg: Command, tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.txt"
    nodes.write_text("4 2 4\n0 0\n3 0\n0 1\n3 1\n")
    result = thalweg("balance", written(tmp_path, "9 1 5 5"), "--nodes", str(nodes), "--scheme", "alias", "--json")
    found = json.loads(result.stdout)
    assert found["transfers"] == [[0, 1, 4]]
    assert (found["scheme"], found["order"], found["load_max_before"], found["load_max_after"]) == (
        "alias",
        "hilbert",
        9,
        5,
    )
    assert [(one["scheme"], one["hop_tasks"], one["messages"]) for one in found["candidates"]] == [("alias", 4, 1)]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["none.txt"], SETTINGS, "No such file"),
        (["loads.txt", "--nodes", "loads.txt"], USAGE, "does not name the network"),
        (["loads.txt", "--nodes", "nodes.txt", "--machine", "torus:8x2"], USAGE, "is of torus:4x2"),
        (["loads.txt", "--task-time", "soon"], SETTINGS, "'soon' is not a time"),
        (["loads.txt", "--machine", "none.toml"], SETTINGS, "none.toml"),
    ],
)
def test_the_command_explains_what_it_refuses(
    thalweg: Command, tmp_path: Path, words: list[str], status: tuple[int, str], message: str
) -> None:
    (tmp_path / "loads.txt").write_text("1 2 3 4")
    (tmp_path / "nodes.txt").write_text("4 2 1\n0 0\n")
    result = thalweg("balance", *words)
    assert result.returncode == status[0]
    assert message in result.stderr


def test_the_benchmark_writes_rows(thalweg: Command, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    folder = str(Path(__file__).parents[2] / "build" / "examples")
    jobs = ["--jobs", "2", "--folder", folder, "--task-bytes", "672", "--steps", "100", "--moves", "5"]
    result = thalweg("bench", "balance", "-n", "200", "--nodes", "40", "--rounds", "1", *jobs, "--json", str(file))
    assert result.returncode == 0, result.stderr
    rows = json.loads(file.read_text())
    assert all(row["ratio"] > 0 for row in rows)
    found = {row["metric"]: row["ours"] for row in rows if row["case"] == "first tight example, 2000 ranks"}
    assert found["messages of nested-sweep"] <= 1999
    assert "flow by alias" in result.stdout
    assert {row["peer_name"] for row in rows if row["case"].startswith("diffusion_mc, 2 ranks")} == {"none", "gather"}


@pytest.mark.exhaustive
def test_the_benchmark_compares_with_the_optimum(thalweg: Command, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    words = ["-n", "200", "--nodes", "40", "--rounds", "1", "--optimum", "--jobs", "", "--json", str(file)]
    assert thalweg("bench", "balance", *words).returncode == 0
    against = [row for row in json.loads(file.read_text()) if row["peer_name"] == "optimum"]
    assert against
    assert all(row["ours"] >= row["peer"] for row in against)
