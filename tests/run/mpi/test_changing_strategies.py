# SPDX-License-Identifier: BSD-3-Clause
"""Learning while programs run: nothing changes but the time, and all ranks go the same way."""

import json
from pathlib import Path

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


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("openmpi4", 4),
        ("mpich4", 3),
        *(
            pytest.param(name, ranks, marks=pytest.mark.exhaustive)
            for name, ranks in (("openmpi4", 2), ("openmpi4", 7), ("mpich4", 2), ("mpich4", 8), ("mpich5", 4))
        ),
    ],
)
def test_nonblocking_calls_are_learned_about(name: str, ranks: int, tmp_path: Path) -> None:
    """Calls in flight are right and never hang while their strategies change, and each kind has its own line."""
    mpi = named(name)
    report = tmp_path / "report.json"
    settings = EAGER | {"THALWEG_LEARN": "exact", "THALWEG_REPORT": str(report), "THALWEG_TUNING": str(tmp_path / "t")}
    program = [str(build(mpi, "started_calls")), "--scale", "0.06"]
    result = run(mpi, ranks, program, Mode("learning", preload=True, settings=settings))
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    assert "passed started_calls" in result.out
    assert "halweg" not in result.err, result.err
    document = json.loads(report.read_text())
    calls = {entry["call"] for entry in document["learned"]}
    tried = {entry["call"] for entry in document["learned"] if any("measured_s" in one for one in entry["trials"][1:])}
    assert {"ialltoall", "iallgather", "iallreduce", "ibcast", "ibarrier"} <= tried
    assert {"ialltoallv"} | ({"ineighbor_alltoall", "neighbor_allgather"} if ranks > 2 else set()) <= calls
    # All ranks ran the same strategy in the same call.
    [ran] = [call["ran_on"] for call in document["calls"] if call["function"] == "MPI_Ibarrier"]
    assert all(ending["calls"] % ranks == 0 for ending in ran), ran


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
