# SPDX-License-Identifier: BSD-3-Clause
"""A try says why: what Thalweg did, and where nothing is gained, what the time goes to."""

import json
from pathlib import Path
from typing import Any

import pytest
from report_documents import SITE, document

from thalweg.pairs.reasons import Gain, reasons
from thalweg.report.run_report import RunReport, read_report


def read(folder: Path, **changes: Any) -> RunReport:
    path = folder / "run.json"
    path.write_text(json.dumps(document(**changes)))
    return read_report(str(path))


def test_strategies_and_waits_are_named(tmp_path: Path) -> None:
    ran = [{"strategy": "allreduce=ring", "calls": 5}, {"strategy": "native", "calls": 5}]
    wait = {"yields": True, "reason": "2 ranks share a core"}
    found = reasons(read(tmp_path, calls=[SITE | {"ran_on": ran}], wait=wait), Gain(1.0, 0.1))
    assert found == [
        "2 ranks share a core",
        "50 % of the time in MPI ran on strategies: allreduce on allreduce=ring",
    ]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"calls": [SITE | {"waiting_share": 0.0}]}, "the library's algorithms do as well here"),
        ({}, "75 % of the time in MPI is waiting for late ranks, for rank 1 above all"),
        ({"calls": [SITE | {"waiting_share": 0.0, "ran_on": []}]}, "the program sends messages from rank to rank"),
        ({"calls": []}, "the program sends messages from rank to rank"),
    ],
)
def test_what_gains_nothing_has_a_reason(changes: dict[str, Any], why: str, tmp_path: Path) -> None:
    assert reasons(read(tmp_path, **changes), Gain(0.0, 0.1))[0].startswith(why)


def test_a_program_that_computes_cannot_gain(tmp_path: Path) -> None:
    ranks = [rank | {"mpi_ns": 1e6} for rank in document()["ranks"]]
    assert reasons(read(tmp_path, ranks=ranks), Gain(0.0, 0.1))[0] == "nothing to gain: MPI takes 0.1 % of the run"


def test_a_start_that_is_the_loss_is_called_so(tmp_path: Path) -> None:
    found = reasons(read(tmp_path), Gain(-0.1, 0.06))
    assert found[0].startswith("the start under Thalweg takes 60 ms, of the 100 ms lost")
    assert not reasons(read(tmp_path), Gain(-1.0, 0.06))[0].startswith("the start")
