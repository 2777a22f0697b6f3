# SPDX-License-Identifier: BSD-3-Clause
"""Reports of real jobs follow the published schema, and their figures are those of the program."""

import json
from pathlib import Path
from typing import Any

import pytest
from jobs import PROGRAMS, Mode, Result, build, run
from jsonschema import Draft202012Validator
from mpis import MPIS, Mpi, named

from thalweg.report.run_report import CallSite, RunReport, read_report, schema_text

ROUNDS = 40
RANKS = 4
SOURCE = PROGRAMS / "single" / "report_kinds.c"


def strict(schema: Any) -> Any:
    """Give a schema that refuses keys that it does not know."""
    if isinstance(schema, list):
        return [strict(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(inner) for key, inner in schema.items() if key not in {"if", "then"}}
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema:
        made["additionalProperties"] = False
    return made


def checked(path: Path) -> RunReport:
    document = json.loads(path.read_text())
    schema = json.loads(schema_text())
    Draft202012Validator(schema).validate(document)
    Draft202012Validator(strict(schema)).validate(document)
    return read_report(str(path))


def report_of(mpi: Mpi, folder: Path, **settings: str) -> tuple[RunReport, Result]:
    path = folder / "report.json"
    mode = Mode("report", preload=True, settings={"THALWEG_LEARN": "off", "THALWEG_REPORT": str(path)} | settings)
    result = run(mpi, RANKS, [str(build(mpi, "report_kinds"))], mode)
    assert result.status == 0, result.explain()
    return checked(path), result


def site(report: RunReport, function: str) -> CallSite:
    (found,) = [one for one in report.calls if one.function == function]
    return found


def on(mpis: list[Mpi]) -> pytest.MarkDecorator:
    marks = {"openmpi4": (), "mpich4": ()}
    return pytest.mark.parametrize(
        "mpi", [pytest.param(mpi, marks=marks.get(mpi.name, pytest.mark.exhaustive), id=mpi.name) for mpi in mpis]
    )


@on(list(MPIS))
def test_a_report_has_what_the_program_did(mpi: Mpi, tmp_path: Path) -> None:
    report, result = report_of(mpi, tmp_path)
    levels = ("single", "funneled", "serialized", "multiple")
    assert report.version == 2
    assert report.thread_level in levels
    assert report.thalweg
    assert report.folder
    assert report.user
    assert dict(report.named_fingerprint)["ranks_per_node"] == str(RANKS)
    assert result.out.split()[0].isdigit()

    sent = site(report, "MPI_Isend")
    line = next(number for number, text in enumerate(SOURCE.read_text().splitlines(), 1) if "MPI_Isend(" in text)
    assert (sent.file, sent.line) == (str(SOURCE), line)
    assert sent.within in {"exchange", "main"}
    calls = RANKS * ROUNDS
    assert [(size.lower_bytes, size.calls, size.bytes) for size in sent.sizes] == [
        (8, calls // 2, calls // 2 * 8),
        (4096, calls // 2, calls // 2 * 8000),
    ]
    for one in report.calls:
        assert sum(size.calls for size in one.sizes) == one.calls, one.function
        assert sum(size.bytes for size in one.sizes) == one.bytes, one.function
        assert one.durations is not None
        assert 0 < sum(calls for _, calls in one.durations.histogram) <= one.calls, one.function
        assert one.durations.p50_ns <= one.durations.p95_ns <= one.durations.max_ns == one.longest_call_ns


@on([named("openmpi4"), named("mpich4")])
def test_a_report_has_who_sent_to_whom(mpi: Mpi, tmp_path: Path) -> None:
    report, _ = report_of(mpi, tmp_path)
    own_bytes = ROUNDS // 2 * (8000 + 8)
    assert report.traffic is not None
    assert [tuple(entry) for entry in report.traffic.entries] == [
        (rank, (rank + 1) % RANKS, own_bytes, ROUNDS) for rank in range(RANKS)
    ]
    assert report.traffic.total_bytes == RANKS * own_bytes
    assert report.traffic.kept_share == 1
    assert [rank.sent_bytes for rank in report.ranks] == [own_bytes] * RANKS


def test_a_recorded_report_has_collectives_traffic_too(tmp_path: Path) -> None:
    mpi = named("mpich4")
    report, _ = report_of(mpi, tmp_path, THALWEG_RECORD="1", THALWEG_PATTERNS=str(tmp_path))
    assert report.traffic is not None
    assert report.traffic.total_bytes > RANKS * ROUNDS // 2 * (8000 + 8)
    assert report.pattern is not None


@on([named("openmpi4"), named("mpich4")])
def test_a_report_has_what_was_hidden(mpi: Mpi, tmp_path: Path) -> None:
    """Between the start and the test of each operation lie three milliseconds of the program's."""
    hidden = site(report_of(mpi, tmp_path)[0], "MPI_Iallreduce").hidden
    assert hidden is not None
    assert hidden.in_flight_ns - hidden.exposed_ns >= RANKS * ROUNDS * 3e6 * 0.99
    assert 0 < hidden.share < 1


@on([named("openmpi4"), named("mpich4")])
def test_a_report_has_waiting_by_rank_and_over_time(mpi: Mpi, tmp_path: Path) -> None:
    """All others wait in the barriers for rank 0, which computes before each."""
    report, _ = report_of(mpi, tmp_path)
    waited = [rank.waiting_ns or 0 for rank in report.ranks]
    assert sum(waited[1:]) >= ROUNDS * 3e6, waited
    assert waited[0] < max(waited[1:]), waited
    assert report.slices is not None
    assert [row.first for row in report.slices.rows] == list(range(RANKS))
    for row, rank in zip(report.slices.rows, report.ranks, strict=True):
        assert row.first == row.last == rank.rank
        assert len(row.mpi_ns) == len(row.waiting_ns) <= 100
        assert all(waiting <= mpi for mpi, waiting in zip(row.mpi_ns, row.waiting_ns, strict=True))
        assert sum(row.mpi_ns) > 0
        if rank.rank > 0:
            assert sum(row.waiting_ns) == pytest.approx(rank.waiting_ns, rel=0.5)


def test_a_chosen_strategy_is_a_pick(tmp_path: Path) -> None:
    report, _ = report_of(named("mpich4"), tmp_path, THALWEG_USE="barrier=dissemination")
    (pick,) = [one for one in report.picks if one.operation == "barrier"]
    assert (pick.strategy, pick.source, pick.ranks) == ("dissemination", "use", RANKS)
    assert report.calls[pick.call].function == "MPI_Barrier"
