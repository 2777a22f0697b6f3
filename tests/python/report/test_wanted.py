# SPDX-License-Identifier: BSD-3-Clause
"""What is tuned for a report: its own operations, sizes and ranks, by the time that they took."""

import json
from pathlib import Path
from typing import Any

import pytest
from report_documents import SITE, document

from support import Command
from thalweg.errors import ThalwegError
from thalweg.report.run_report import read_report
from thalweg.trials.cases import NONBLOCKING, OPERATIONS, Case, part_of
from thalweg.trials.places import Place
from thalweg.trials.session import Job
from thalweg.tune.wanted import RunToTune, Wanted, describe, operation_of, other_shape, read_run, wanted


def site(function: str, size: int, **changes: Any) -> dict[str, Any]:
    """Give a site of ten calls of so many bytes a rank."""
    return SITE | {"function": function, "bytes": 10 * size, "waiting_share": 0.0} | changes


def cases_of(folder: Path, *sites: dict[str, Any]) -> list[Case]:
    path = folder / "run.json"
    path.write_text(json.dumps(document(calls=list(sites))))
    return [one.case for one in wanted(read_report(str(path)))]


def test_units_are_what_tune_counts(tmp_path: Path) -> None:
    """An all-to-all of 2 ranks that sends 2 KiB has units of 1 KiB; a vector is one unit."""
    found = cases_of(
        tmp_path,
        site("MPI_Alltoall", 2048, time_ns=9e8),
        site("MPI_Allreduce", 2048, time_ns=8e8),
        site("MPI_Bcast", 13, time_ns=7e8),
        site("MPI_Allgather_c", 3, time_ns=6e8),
        site("MPI_Barrier", 0, time_ns=5e8),
        site("MPI_Ibarrier", 0, time_ns=4e8),
    )
    assert found == [
        Case("alltoall", 1024),
        Case("allreduce", 2048),
        Case("broadcast", 16),
        Case("allgather", 8),
        Case("barrier", 0),
        Case("ibarrier", 0),
    ]


def test_sites_of_one_case_are_one(tmp_path: Path) -> None:
    same = site("MPI_Allreduce", 64, source="other.c:9 (f)")
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document(calls=[site("MPI_Allreduce", 64), same])))
    found = wanted(read_report(str(path)))
    assert [one.case for one in found] == [Case("allreduce", 64)]
    assert found[0].places == ("main.cpp:46", "other.c:9")
    assert describe(found)[0].split() == [
        "allreduce",
        "64",
        "B",
        "40",
        "%",
        "of",
        "the",
        "run:",
        "main.cpp:46,",
        "other.c:9",
    ]


def test_what_a_run_would_take_is_its_transfer_less(tmp_path: Path) -> None:
    """40 % of the second is transfer of the call, and a pick that takes half saves half of that."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document(calls=[site("MPI_Allreduce", 64, time_ns=8e8)])))
    _, report, found = read_run(str(path))
    case = Case("allreduce", 64)
    assert RunToTune("run.json", report, found).expected({case: 0.5}) == (
        "the run of run.json took 1 s, and would take about 800 ms with these picks"
    )
    for ratios in ({}, {case: 1.0}, {case: 3.0}, {Case("barrier", 0): 0.1}):
        assert "would gain less than 1 %" in RunToTune("run.json", report, found).expected(ratios)


def test_another_shape_is_remarked_on(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document(nodes=3, calls=[site("MPI_Allreduce", 64)])))
    assert "srun -N 3 -n 2" in other_shape(read_report(str(path)), "run.json")
    path.write_text(json.dumps(document(calls=[site("MPI_Allreduce", 64)])))
    assert other_shape(read_report(str(path)), "run.json") == ""


def groups(folder: Path, ranks: int, nodes: int, *sites: dict[str, Any]) -> list[Wanted]:
    path = folder / "run.json"
    path.write_text(json.dumps(document(ranks, nodes=nodes, calls=list(sites))))
    return wanted(read_report(str(path)))


def test_calls_of_equal_groups_are_tuned_as_the_job_makes_them(tmp_path: Path) -> None:
    """Rows of a grid are neighbors. On several nodes with several ranks each, columns are not, and both are tried."""
    site_of_two = site("MPI_Ialltoall", 2048, hidden={"in_flight_ns": 9e8, "exposed_ns": 8e8})
    assert [one.case for one in groups(tmp_path, 8, 1, site_of_two)] == [Case("ialltoall/2", 1024)]
    assert [one.case for one in groups(tmp_path, 8, 8, site_of_two)] == [Case("ialltoall/2", 1024)]
    both = groups(tmp_path, 8, 2, site_of_two)
    assert {one.case for one in both} == {Case("ialltoall/2", 1024), Case("ialltoall/2s", 1024)}
    [whole] = groups(tmp_path, 8, 1, site_of_two)
    assert sum(one.share for one in both) == pytest.approx(whole.share)
    assert groups(tmp_path, 7, 1, site_of_two) == [], "seven ranks are no pairs"


def test_what_nonblocking_calls_expose_is_their_cost(tmp_path: Path) -> None:
    """Their own time is that of the start; a rank also waits for their end."""
    hidden = {"in_flight_ns": 8e8, "exposed_ns": 3e8}
    started = site("MPI_Ialltoall", 2048, time_ns=1e3)
    assert groups(tmp_path, 2, 1, started) == []
    [found] = groups(tmp_path, 2, 1, started | {"hidden": hidden})
    assert found.share == pytest.approx(0.15)
    [all_at_once] = groups(tmp_path, 2, 1, started | {"hidden": {"in_flight_ns": 9e9, "exposed_ns": 8e9}})
    assert all_at_once.share == pytest.approx(0.2), "ranks are in MPI once, for however many requests they wait"


def test_calls_whose_sizes_ranks_know_alone_have_one_case(tmp_path: Path) -> None:
    """Several picks could not be agreed on; the most expensive size stands for all, at the cost of all."""
    long = site("MPI_Ialltoallv", 4096, time_ns=6e8, source="long.c:1 (f)")
    short = site("MPI_Ialltoallv", 256, time_ns=2e8, source="short.c:1 (f)")
    [found] = groups(tmp_path, 2, 1, short, long)
    assert (found.case, found.places) == (Case("ialltoallv", 2048), ("long.c:1", "short.c:1"))
    assert found.share == pytest.approx(0.4)
    agreed = [one | {"function": "MPI_Ialltoall"} for one in (short, long)]
    assert [one.case.size for one in groups(tmp_path, 2, 1, *agreed)] == [2048, 128]


@pytest.mark.parametrize("operation", [*OPERATIONS, *NONBLOCKING])
@pytest.mark.parametrize("words", ["", "/2", "/4s"])
def test_a_case_of_groups_is_that_of_its_operation(operation: str, words: str) -> None:
    case = Case(operation + words, 64)
    assert (case.own_name, case.degree) == (operation, 0)
    assert case.call == Case(operation, 64).call
    assert case.is_nonblocking == (operation in NONBLOCKING)
    assert (case.group, case.is_strided) == (int(words.strip("/s") or 0), words.endswith("s"))


def test_the_first_group_stands_for_all() -> None:
    """Eight ranks on two nodes: neighbors share a node, and ranks that are far apart do not."""
    places = tuple(Place(rank, frozenset({rank}), 0, 0) for rank in range(8))
    job = Job(8, (0, 0, 0, 0, 1, 1, 1, 1), 2, ("processor",), places, ("a", "b"))
    rows, columns = (part_of(job, Case(f"ialltoall/{words}", 8)) for words in ("4", "2s"))
    assert (rows.ranks, rows.nodes, rows.hosts) == (4, (0, 0, 0, 0), ("a",))
    assert (columns.ranks, columns.nodes, columns.hosts) == (2, (0, 1), ("a", "b"))
    assert columns.places == (places[0], places[4])
    assert part_of(job, Case("ialltoall", 8)) == job


@pytest.mark.parametrize(
    "changes",
    [
        {"function": "MPI_Send"},
        {"function": "MPI_Alltoallv"},
        {"communicator_ranks": 1},
        {"communicator_ranks": 7},
        {"time_ns": 1e3},
        {"waiting_share": 1.0},
        {"calls": 0},
    ],
)
def test_what_cannot_be_tuned_is_left_out(changes: dict[str, Any], tmp_path: Path) -> None:
    assert cases_of(tmp_path, site("MPI_Allreduce", 64) | changes) == []


def test_every_operation_is_found_by_its_function() -> None:
    functions = {call.capitalize().replace("Broadcast", "Bcast"): name for name, call in OPERATIONS.items()}
    functions |= {f"I{call}".replace("broadcast", "bcast"): name for name, call in NONBLOCKING.items()}
    assert {operation_of(f"MPI_{function}"): name for function, name in functions.items()} == {
        name: name for name in (*OPERATIONS, *NONBLOCKING)
    }


def test_a_report_without_collectives_has_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document(calls=[])))
    with pytest.raises(ThalwegError, match="thalweg report"):
        read_run(str(path))


def test_sizes_beside_a_report_are_refused(thalweg: Command) -> None:
    done = thalweg("tune", "--for", "run.json", "--bytes", "8")
    assert done.returncode == 2
    assert "--for has operations, sizes and degrees" in done.stderr
