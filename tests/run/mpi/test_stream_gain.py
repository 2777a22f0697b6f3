# SPDX-License-Identifier: BSD-3-Clause
"""The report of a real run names the call sites where a stream would pay."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jobs import Mode, build, run
from mpis import named

from thalweg_labs.demo.site import thalweg_command

on_debians = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])


def calls_of(name: str, ranks: int, program: str, report: Path) -> list[dict[str, Any]]:
    mpi = named(name)
    settings = {"THALWEG_REPORT": str(report), "THALWEG_LEARN": "off", "THALWEG_WAIT": "yield"}
    result = run(mpi, ranks, [str(build(mpi, program))], Mode("report", preload=True, settings=settings))
    if result.status != 0:
        pytest.fail(result.explain(), pytrace=False)
    calls: list[dict[str, Any]] = json.loads(report.read_text())["calls"]
    return calls


def explained(report: Path) -> str:
    command = [*thalweg_command(), "tune", "explain", "--details", str(report)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@on_debians
def test_short_sends_are_named(name: str, tmp_path: Path) -> None:
    """Sends of a few bytes have what they would take as items; the other calls have not."""
    report = tmp_path / "report.json"
    calls = calls_of(name, 2, "short_sends", report)
    gains = {call["function"]: call["stream"] for call in calls if "stream" in call}
    assert set(gains) == {"MPI_Isend"}
    gain = gains["MPI_Isend"]
    assert gain["message_ns"] > gain["item_ns"] > 0
    assert explained(report).count("as items of a stream: ") == 1


@on_debians
def test_short_blocks_are_named(name: str, tmp_path: Path) -> None:
    """Calls of alltoallv in which ranks have a block for one other rank are named with what would take less."""
    report = tmp_path / "report.json"
    (gain,) = [call["exchange"] for call in calls_of(name, 9, "short_blocks", report) if "exchange" in call]
    assert gain["blocks_a_call"] == 1
    assert gain["block_bytes"] == 8  # that to oneself included
    assert gain["use"] == "alltoallv=sparse"
    assert 0 < gain["use_ns"] < gain["call_ns"]
    assert explained(report).count("with --use alltoallv=sparse about ") == 1
