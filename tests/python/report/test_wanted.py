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
from thalweg.trials.cases import NONBLOCKING, OPERATIONS, Case
from thalweg.tune.wanted import RunToTune, describe, operation_of, other_shape, read_run, wanted


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
