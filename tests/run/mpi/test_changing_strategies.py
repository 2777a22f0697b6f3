# SPDX-License-Identifier: BSD-3-Clause
"""Learning while programs run: nothing changes but the time, and all ranks go the same way."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jobs import Mode, build, run
from mpis import MPIS, Mpi, named

SUITES = (
    *("barrier", "bcast", "gather", "scatter", "gatherv", "scatterv"),
    *("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"),
    *("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"),
    *("reduce_types", "user_operations", "handle_reuse", "fast_path", "outstanding", "comm_makers"),
    *("neighbor_cart", "neighbor_graph", "neighbor_dist_graph", "request_kinds"),
    *("going_on_in_collectives", "going_on_in_neighborhoods"),
)


def on(mpis: list[Mpi]) -> pytest.MarkDecorator:
    """Let a test run on some libraries; the gate has it run on Debian's."""
    marks = {"openmpi4": (), "mpich4": ()}
    return pytest.mark.parametrize(
        "mpi", [pytest.param(mpi, marks=marks.get(mpi.name, pytest.mark.exhaustive), id=mpi.name) for mpi in mpis]
    )


# Ranks on hosts of the test's own making.
APART = str(Path(__file__).parent / "apart.sh")
ROOT_ALONE = pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make hosts")

# Whatever it costs, so that much is tried in few calls.
EAGER = {"THALWEG_WAIT": "yield", "THALWEG_LEARN": "all", "THALWEG_LEARN_BUDGET": "100"}


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("openmpi4", 7),
        *(
            pytest.param(name, ranks, marks=pytest.mark.exhaustive)
            for name, ranks in (("openmpi4", 3), ("mpich4", 3), ("mpich4", 8), ("mpich5", 5))
        ),
    ],
)
def test_results_are_right_while_strategies_change(name: str, ranks: int, tmp_path: Path) -> None:
    """The conformance suites pass while every kind of call is learned about."""
    mpi = named(name)
    program = [str(build(mpi, "conformance")), "--scale", "2", "--known", mpi.known_names, *SUITES]
    report = tmp_path / "report.json"
    result = run(mpi, ranks, program, Mode("learning", preload=True, settings=EAGER | {"THALWEG_REPORT": str(report)}))
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    # Ranks that had gone different ways, or learning that failed, would have been told.
    assert "halweg" not in result.err, result.err
    learned = json.loads(report.read_text())["learned"]
    tried = {
        (entry["call"], trial["candidate"]) for entry in learned for trial in entry["trials"] if "measured_s" in trial
    }
    assert len(tried) > 10, tried
    assert {"alltoallv", "gatherv", "allreduce", "barrier", "bcast"} <= {entry["call"] for entry in learned}


def _exhaustive(*cases: tuple[str, int, int]) -> list[Any]:
    return [pytest.param(*case, marks=pytest.mark.exhaustive) for case in cases]


def _learn(name: str, ranks: int, hosts: int, program: list[str], folder: Path) -> dict[str, Any]:
    """Run a program of calls whose results cannot change while all of them are learned about, and give its report."""
    mpi = named(name)
    report = folder / "report.json"
    settings = EAGER | {"THALWEG_LEARN": "exact", "THALWEG_REPORT": str(report), "THALWEG_TUNING": str(folder / "t")}
    command = [str(build(mpi, program[0])), *program[1:], "--known", mpi.known_names]
    if hosts > 1:
        command = [APART, str(hosts), *command]
    result = run(mpi, ranks, command, Mode("learning", preload=True, settings=settings))
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    assert f"passed {program[0]}" in result.out
    assert "halweg" not in result.err, result.err
    return dict(json.loads(report.read_text()))


def _tried(document: dict[str, Any]) -> set[str]:
    """Name the calls of which another than the first strategy was measured."""
    return {entry["call"] for entry in document["learned"] if any("measured_s" in one for one in entry["trials"][1:])}


@pytest.mark.parametrize(
    ("name", "ranks", "hosts"),
    [
        ("openmpi4", 4, 1),
        ("mpich4", 3, 1),
        pytest.param("openmpi4", 4, 2, marks=ROOT_ALONE),
        pytest.param("mpich4", 3, 3, marks=ROOT_ALONE),
        *_exhaustive(("openmpi4", 2, 1), ("openmpi4", 7, 1), ("mpich4", 2, 1), ("mpich4", 8, 1), ("mpich5", 4, 1)),
        *_exhaustive(("openmpi4", 7, 3), ("mpich4", 4, 2), ("mpich5", 4, 2), ("openmpi5", 4, 2)),
    ],
)
def test_nonblocking_calls_are_learned_about(name: str, ranks: int, hosts: int, tmp_path: Path) -> None:
    """Calls in flight are right and never hang while their strategies change, and each kind has its own line."""
    document = _learn(name, ranks, hosts, ["started_calls", "--scale", "0.06"], tmp_path)
    calls = {entry["call"] for entry in document["learned"]}
    tried = _tried(document)
    assert {"ialltoall", "iallgather", "iallreduce", "ibcast", "ibarrier"} <= tried
    assert {"ialltoallv"} | ({"ineighbor_alltoall", "neighbor_allgather"} if ranks > 2 else set()) <= calls
    # All ranks ran the same strategy in the same call.
    [ran] = [call["ran_on"] for call in document["calls"] if call["function"] == "MPI_Ibarrier"]
    assert all(ending["calls"] % ranks == 0 for ending in ran), ran


@pytest.mark.parametrize(
    ("name", "ranks", "hosts"),
    [
        ("openmpi4", 4, 1),
        ("mpich4", 4, 1),
        *(pytest.param("openmpi4", 6, 2, marks=[ROOT_ALONE, pytest.mark.exhaustive]), *_exhaustive(("mpich5", 4, 1))),
    ],
)
def test_communicators_without_blocking_calls_learn(name: str, ranks: int, hosts: int, tmp_path: Path) -> None:
    """Their channels are there from the beginning, where the program has nonblocking collectives."""
    assert "ialltoall" in _tried(_learn(name, ranks, hosts, ["starts_alone"], tmp_path))


@pytest.mark.parametrize(
    ("name", "ranks", "hosts"),
    [
        ("openmpi4", 4, 1),
        pytest.param("openmpi4", 4, 2, marks=ROOT_ALONE),
        *_exhaustive(("openmpi4", 2, 1), ("openmpi4", 7, 1), ("openmpi4", 7, 3), ("openmpi5", 4, 2)),
    ],
)
def test_persistent_calls_are_learned_about(name: str, ranks: int, hosts: int, tmp_path: Path) -> None:
    """A request runs other strategies from start to start, in whatever order ranks start theirs."""
    document = _learn(name, ranks, hosts, ["persistent_calls"], tmp_path)
    tried = _tried(document)
    assert {"alltoall_init", "allgather_init", "allreduce_init", "bcast_init", "barrier_init"} <= tried, tried
    assert ranks == 2 or "neighbor_alltoall_init" in tried


@pytest.mark.parametrize("seed", ["1", *(pytest.param(str(k), marks=pytest.mark.exhaustive) for k in (2, 3))])
@pytest.mark.parametrize(
    ("name", "ranks", "hosts"),
    [
        # MPICH 4's own persistent calls give wrong data when they are started again.
        ("openmpi4", 4, 1),
        pytest.param("openmpi4", 4, 2, marks=ROOT_ALONE),
        *_exhaustive(("openmpi4", 7, 3), ("openmpi5", 4, 2), ("openmpi5", 2, 1)),
    ],
)
def test_random_calls_of_all_forms_are_right(name: str, ranks: int, hosts: int, seed: str, tmp_path: Path) -> None:
    """Blocking, nonblocking and persistent ones and those of neighbors, under way together, in any order."""
    tried = _tried(_learn(name, ranks, hosts, ["mixed_calls", "2500", seed, "24000"], tmp_path))
    assert {call.endswith("_init") for call in tried} == {False, True}, tried


@on(list(MPIS))
def test_communicators_are_freed_while_ranks_agree(mpi: Mpi) -> None:
    """What was begun at a fence ends before its communicator does."""
    result = run(mpi, 4, [str(build(mpi, "free_soon"))], Mode("learning", preload=True, settings=EAGER))
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    assert "passed free_soon" in result.out
    assert "halweg" not in result.err, result.err


# MPICH 5 is killed in such a program without Thalweg too.
@on([mpi for mpi in MPIS if not mpi.name.startswith("mpich5")])
def test_what_was_learned_is_told_by_a_process_that_exits_already(mpi: Mpi, tmp_path: Path) -> None:
    """The report is written in MPI_Finalize, which programs may call after their own static objects have gone."""
    report = tmp_path / "report.json"
    settings = EAGER | {"THALWEG_REPORT": str(report)}
    result = run(mpi, 4, [str(build(mpi, "late_end"))], Mode("learning", preload=True, settings=settings))
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    document = json.loads(report.read_text())
    [entry] = [entry for entry in document["learned"] if entry["call"] == "allgather"]
    candidates = {trial["candidate"] for trial in entry["trials"]}
    [calls] = [call for call in document["calls"] if call["function"] == "MPI_Allgather"]
    # Where no agent serves, what network devices would do is tried on the engine, and the report says so.
    ran = {ending["strategy"].removesuffix(" on the engine") for ending in calls["ran_on"]}
    assert ran <= candidates
    assert {trial["candidate"] for trial in entry["trials"] if "measured_s" in trial} <= ran
