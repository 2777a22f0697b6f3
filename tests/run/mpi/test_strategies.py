# SPDX-License-Identifier: BSD-3-Clause
"""Every strategy of the index, chosen by name, in real MPI jobs.

One job takes one strategy for every operation at once, so there are as many jobs as the richest operation has
strategies.
"""

import os
import re

import pytest
from jobs import build, run, using
from mpis import ROOT, named

INDEX = ROOT / "src" / "core" / "strategies" / "index.inc"
RANKS = (3, 4, 5, 7, 8)
SUITES = (
    *("barrier", "bcast", "gather", "scatter", "gatherv", "scatterv"),
    *("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "empty_types"),
    *("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"),
    *("reduce_types", "user_operations", "handle_reuse", "fast_path", "float_hash"),
    *("neighbor_cart", "neighbor_graph", "neighbor_dist_graph", "comm_many"),
    *("outstanding", "going_on_in_collectives", "going_on_in_neighborhoods", "persistent_restart"),
)


def by_operation() -> dict[str, list[str]]:
    """The index's strategies, as it lists them."""
    found: dict[str, list[str]] = {}
    for operation, name in re.findall(r"^THALWEG_STRATEGY\((\w+), (\w+)\)", INDEX.read_text(), re.MULTILINE):
        found.setdefault(operation, []).append(name)
    return found


def selections() -> list[str]:
    """Selections that together name every strategy."""
    index = by_operation()
    rounds = max(map(len, index.values()))
    return [
        ";".join(f"{operation}={names[k % len(names)]}" for operation, names in index.items()) for k in range(rounds)
    ]


def test_every_strategy_is_named() -> None:
    """No strategy is left out by the way that selections are made."""
    named_somewhere = {part for selection in selections() for part in selection.split(";")}
    assert named_somewhere == {f"{op}={name}" for op, names in by_operation().items() for name in names}


def _ranks(name: str, number: int) -> int:
    """Another count for each; in the gate MPICH, whose ranks spin until their turn on a core, has the lower ones."""
    place = number + (name == "mpich4")
    if name == "mpich4" and number % 2 == 1 and "THALWEG_TEST_EFFORT" not in os.environ:
        return RANKS[place // 2 % 3]
    return RANKS[place % len(RANKS)]


# The gate runs each selection on one of the two.
@pytest.mark.parametrize(
    ("name", "number"),
    [
        pytest.param(name, number, marks=() if (number + library) % 2 == 0 else pytest.mark.exhaustive)
        for library, name in enumerate(["openmpi4", "mpich4"])
        for number in range(len(selections()))
    ],
)
def test_strategies(name: str, number: int) -> None:
    """The conformance suites of the collectives pass under the strategies chosen."""
    mpi = named(name)
    ranks = _ranks(name, number)
    program = [str(build(mpi, "conformance")), "--scale", "0.5", "--known", mpi.known_names, *SUITES]
    result = run(mpi, ranks, program, using(selections()[number]))
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    # A selection that is not understood falls back to the library: that would pass without testing anything.
    assert "halweg" not in result.err, result.err


# The gate has the first and the last on Open MPI, and the one between on MPICH, whose ranks spin.
@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("openmpi4", 0),
        ("mpich4", 3),
        ("openmpi4", 9),
        *(
            pytest.param(name, number, marks=pytest.mark.exhaustive)
            for name, number in (("mpich4", 0), ("openmpi4", 3), ("mpich4", 9))
        ),
    ],
)
def test_through_the_library(name: str, number: int) -> None:
    """Where ranks share no memory, messages inside of the node go through the library, and the same suites pass."""
    mpi = named(name)
    program = [str(build(mpi, "conformance")), "--scale", "0.3", "--known", mpi.known_names, *SUITES]
    result = run(mpi, 4, program, using(selections()[number]), environment={"THALWEG_SHARED_MEMORY": "0"})
    assert result.status == 0, result.explain()
    assert "halweg" not in result.err, result.err


@pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
def test_progress_thread(name: str) -> None:
    """Nonblocking collectives that a thread of ours advances, beside the program's own calls."""
    mpi = named(name)
    program = [str(build(mpi, "conformance")), "--scale", "0.5", "--known", mpi.known_names]
    environment = {"THALWEG_PROGRESS_THREAD": "1"}
    result = run(mpi, 4, [*program, "outstanding", "allreduce"], using(selections()[0]), environment=environment)
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
