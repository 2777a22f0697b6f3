# SPDX-License-Identifier: BSD-3-Clause
"""Two reports are compared by their times, and by call sites of the same place."""

import json
from pathlib import Path
from typing import Any

import pytest
from report_documents import SITE, document

from support import Command
from thalweg.errors import ThalwegError
from thalweg.report.compare import compare, lines_of, tolerance
from thalweg.report.run_report import read_report


def written(folder: Path, name: str, **changes: Any) -> str:
    path = folder / name
    path.write_text(json.dumps(document(**changes)))
    return str(path)


def test_sites_are_matched_by_place_and_function(tmp_path: Path) -> None:
    other = SITE | {"function": "MPI_Bcast", "time_ns": 1e7}
    before = read_report(written(tmp_path, "a.json", calls=[SITE, other]))
    after = read_report(written(tmp_path, "b.json", calls=[SITE | {"time_ns": 1e8}], wall_ns=5e8))
    found = compare(before, after)
    assert [(pair.name, pair.before_ns, pair.after_ns) for pair in found.sites] == [
        ("main.cpp:46 Allreduce", 2e8, 5e7),
        ("main.cpp:46 Bcast", 5e6, None),
    ]
    assert found.slower == -0.5
    assert lines_of(found, 12)[1].split() == ["wall", "time", "1", "s", "500", "ms", "2.00", "x", "faster"]


def test_equal_runs_are_the_same(tmp_path: Path) -> None:
    report = read_report(written(tmp_path, "a.json"))
    found = compare(report, report)
    assert found.slower == 0
    assert found.remarks == []
    assert lines_of(found, 12)[1].endswith("the same")


def test_runs_of_other_kinds_are_noted(tmp_path: Path) -> None:
    before = read_report(written(tmp_path, "a.json"))
    after = read_report(written(tmp_path, "b.json", rank_count=4, command=["./other"], ended_by="SIGTERM"))
    assert compare(before, after).remarks == [
        "2 ranks before, 4 after",
        "./solve before, ./other after",
        "the run after was ended by SIGTERM",
    ]


@pytest.mark.parametrize(("slower", "status"), [([], 0), (["--slower", "25%"], 0), (["--slower", "0.1"], 1)])
def test_a_slower_run_is_an_exit_status(slower: list[str], status: int, tmp_path: Path, thalweg: Command) -> None:
    before, after = written(tmp_path, "a.json"), written(tmp_path, "b.json", wall_ns=1.2e9)
    done = thalweg("compare", before, after, *slower)
    assert done.returncode == status
    assert ("slower: the wall time grew by 20.0%" in done.stdout) == bool(status)


@pytest.mark.parametrize(("text", "part"), [("5%", 0.05), ("0.05", 0.05), (" 12.5 % ", 0.125), (".5", 0.5)])
def test_a_part_is_read(text: str, part: float) -> None:
    assert tolerance(text) == pytest.approx(part)


@pytest.mark.parametrize("text", ["x", "-5%", "5%%", "nan"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(ThalwegError, match="no part of the time"):
        tolerance(text)
