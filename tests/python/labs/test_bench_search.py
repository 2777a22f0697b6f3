# SPDX-License-Identifier: BSD-3-Clause
"""Searches that are held against each other, and barriers of threads."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import Command
from thalweg import _core
from thalweg.trials.cases import Case
from thalweg_labs.bench.barriers import rows_of
from thalweg_labs.bench.search import Measured, best_after, by_chance, classified, features

TIMES = st.dictionaries(st.sampled_from([f"ring:segments={n}" for n in range(1, 9)]), st.floats(1e-6, 1), min_size=1)


@given(TIMES)
def test_the_best_is_found_once_all_were_tried(seconds: dict[str, float]) -> None:
    order = list(seconds)
    found = [best_after(order, seconds, tries) for tries in range(1, len(order) + 1)]
    assert found == sorted(found, reverse=True)
    assert found[-1] == 1
    assert by_chance(seconds, len(order)) == 1
    assert by_chance(seconds, 1) >= 1


def test_features_have_the_parameters() -> None:
    found = features(Case("team_allreduce@strict", 1023), "two_level:inner=ring:radix=3")
    assert found["bytes"] == math.log2(1024)
    assert found["radix"] == 2
    assert {"call allreduce", "mode all-all", "strategy allreduce two_level", "inner ring"} <= set(found)


def test_a_classifier_learns_from_other_cases() -> None:
    """What was fast for other sizes comes first, whatever the model says."""
    pytest.importorskip("sklearn")
    seconds = {f"ring:segments={n}": 1.0 for n in range(8)} | {"bruck": 0.1}
    taught = [Measured(Case("allgather", 8 << n), seconds) for n in range(3)]
    assert classified(Measured(Case("allgather", 16), seconds), taught)[0] == "bruck"
    assert classified(Measured(Case("allgather", 16), seconds), []) == list(seconds)


def test_barriers_are_held_against_their_peers() -> None:
    ways = {"pthread_barrier": 4e-6, "up=push:down=pull:arity=1:root=0": 2e-6, "up=pull:down=pull:arity=1:root=1": 1e-6}
    rows = rows_of(2, ways, {"MPI_Barrier, openmpi": 3e-6})
    assert [row["ratio"] for row in rows] == [4, 3, 2]
    assert {row["metric"] for row in rows} == {"up=pull:down=pull:arity=1:root=1"}


def test_smoke_search(thalweg: Command, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    rows_file, machine = tmp_path / "rows.json", tmp_path / "machine.toml"
    machine.write_text(_core.default_machine().to_text())
    words = ["--ops", "team_broadcast@loose,team_barrier", "--bytes", "8", "--machine", str(machine)]
    result = thalweg("bench", "search", *words, "--json", str(rows_file))
    assert result.returncode == 0, result.stderr
    rows = json.loads(rows_file.read_text())
    assert all(row["ours"] >= 1 for row in rows)
    assert {row["metric"].partition(": ")[2] for row in rows} == {"model", "tuner", "classifier", "random"}


def test_smoke_barriers(thalweg: Command, tmp_path: Path) -> None:
    rows_file = tmp_path / "rows.json"
    words = ["--mpi", "openmpi", "--threads", "3", "--turns", "1", "--json", str(rows_file)]
    result = thalweg("bench", "barriers", *words)
    assert result.returncode == 0, result.stderr
    peers = {row["peer_name"] for row in json.loads(rows_file.read_text())}
    assert {"pthread_barrier", "MPI_Barrier, openmpi"} < peers
