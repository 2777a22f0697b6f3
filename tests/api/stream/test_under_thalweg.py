# SPDX-License-Identifier: BSD-3-Clause
"""Streams in programs over the interposer: they progress in MPI calls, and the report tells of them."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jobs import BUILD, Mode, Result, build, run
from mpis import named
from test_python_streams import PROGRAMS, run_program

from thalweg_labs.demo.site import thalweg_command

JOBS = BUILD / "tests" / "api" / "stream" / "jobs"
FLAVORS = {"openmpi4": "openmpi", "mpich4": "mpich"}
MESSAGES = {"THALWEG_SHARED_MEMORY": "0"}
on_debians = pytest.mark.parametrize("mpi", FLAVORS)


def run_job(mpi: str, ranks: int, words: list[str], settings: dict[str, str]) -> Result:
    program = str(JOBS / f"stream-{words[0]}-{FLAVORS[mpi]}")
    mode = Mode("under thalweg", preload=True, settings=settings)
    result = run(named(mpi), ranks, [program, *words[1:]], mode, seconds=120)
    assert result.status == 0, result.explain()
    assert "all right" in result.out or "samples" in result.out, result.explain()
    return result


def streams_of(report: Path) -> list[dict[str, Any]]:
    streams: list[dict[str, Any]] = json.loads(report.read_text())["streams"]
    return streams


@pytest.mark.parametrize(
    "settings",
    [{"THALWEG_WAIT": "spin"}, {"THALWEG_WAIT": "yield"}, MESSAGES, {"THALWEG_PROGRESS_THREAD": "1"}],
    ids=["spin", "yield", "messages", "progress thread"],
)
@pytest.mark.parametrize("words", [["mpi_calls"], ["mpi_calls", "threaded"]], ids=["single", "multiple"])
@on_debians
def test_mpi_calls_let_streams_progress(mpi: str, words: list[str], settings: dict[str, str]) -> None:
    """Who waits in an MPI call takes in what arrives, so that its sender goes on and sends what is waited for."""
    run_job(mpi, 2, words, settings)


# On MPICH some programs are built for releases only.
EVERYWHERE = [(3, "mpi_calls"), (5, "items"), (3, "waiting"), (4, "errors")]
ONCE = [(3, "senders"), (3, "questions"), (3, "combining")]


@pytest.mark.parametrize(
    ("mpi", "ranks", "program"),
    [
        *(("openmpi4", *job) for job in [*EVERYWHERE, *ONCE]),
        *(("mpich4", *job) for job in EVERYWHERE),
        *(pytest.param("mpich4", *job, marks=pytest.mark.exhaustive) for job in ONCE),
    ],
)
def test_programs_run_as_without(mpi: str, ranks: int, program: str) -> None:
    run_job(mpi, ranks, [program], {"THALWEG_WAIT": "yield", "THALWEG_SUMMARY": "1"})


@pytest.mark.parametrize("settings", [{}, MESSAGES], ids=["memory", "messages"])
@on_debians
def test_the_report_has_what_streams_have_done(mpi: str, settings: dict[str, str], tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    result = run_job(mpi, 4, ["report"], settings | {"THALWEG_REPORT": str(report), "THALWEG_SUMMARY": "1"})
    streams = {stream["source"]: stream for stream in streams_of(report)}
    many, left, mesh = streams['"many" phases'], streams["left"], streams["mesh"]
    for name, stream in (("many", many), ("left", left)):
        found = re.search(rf"^{name} items (\d+) bytes (\d+) buffers (\d+) room (\d+)$", result.out, re.MULTILINE)
        assert found, result.out
        total = stream["total"]
        buffers = sum(total[f"buffers_{why}"] for why in ("full", "flushed", "waited", "closed"))
        bytes_sent = total["near_bytes"] + total["far_bytes"]
        reported = [total["delivered_items"], bytes_sent, buffers, total["buffer_bytes"]]
        assert reported == [int(one) for one in found.groups()]
        assert (total["far_bytes"] > 0) == ("THALWEG_SHARED_MEMORY" in settings)
        assert stream["fill"] == pytest.approx(bytes_sent / total["buffer_bytes"])
    assert many["reporting_ranks"] == many["ranks"] == 4
    assert many["max_of_a_rank"]["phases"] == 40
    assert [phase["number"] for phase in many["phases"]] == [*range(0, 40, 4), 39]
    assert all(phase["total"]["delivered_items"] == 16 * phase["number"] for phase in many["phases"])
    assert (mesh["shape"], 1 < mesh["hops_per_item"] < 2) == ("2x2", True)
    # The two of parts of the ranks are apart, though one place makes both.
    parts = [stream for stream in streams_of(report) if stream["ranks"] == 2]
    assert len(parts) == 2
    assert all(re.fullmatch(r"report\.cpp:\d+", stream["source"]) for stream in parts)
    assert 'stream at "many" phases: 4 ranks, direct, 40 phases; ' in result.err
    command = [*thalweg_command(), "tune", "explain", "--details", str(report)]
    explained = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert explained.count("\nstream at ") == len(streams_of(report))
    assert "  longest of 11 phases that were noted: number " in explained


@on_debians
def test_streams_need_no_report_nor_progress(mpi: str) -> None:
    """Each can be turned off."""
    run_job(mpi, 2, ["report"], {"THALWEG_STREAM_PROGRESS": "0"})
    run_job(mpi, 2, ["report"], {"THALWEG_DISABLE": "1"})


@on_debians
def test_libraries_of_other_versions(mpi: str, tmp_path: Path) -> None:
    """Neither side takes for granted what the other one knows."""
    report = tmp_path / "report.json"
    mode = Mode("hooks", preload=True, settings={"THALWEG_REPORT": str(report), "THALWEG_SUMMARY": "1"})
    result = run(named(mpi), 2, [str(build(named(mpi), "stream_hooks")), "--known", "none"], mode)
    assert result.status == 0, result.explain()
    assert "passed stream_hooks" in result.out, result.explain()
    streams = streams_of(report)
    assert len(streams) == 1
    assert streams[0]["phases"] == []


@pytest.mark.parametrize("mpi", ["openmpi4", pytest.param("mpich4", marks=pytest.mark.exhaustive)])
@pytest.mark.usefixtures("_mpi4py")
def test_python(mpi: str, tmp_path: Path) -> None:
    """Python's streams are named by their lines, and random programs run as they do without the interposer."""
    report = tmp_path / "report.json"
    preload = Mode("python", preload=True, settings={"THALWEG_REPORT": str(report)}).environment(named(mpi))
    result = run_program(mpi, 2, [str(PROGRAMS / "page.py")], preload)
    assert result.status == 0, result.explain()
    (stream,) = streams_of(report)
    assert re.fullmatch(r"page\.py:\d+ \(module\)", stream["source"])
    assert stream["total"]["delivered_items"] == 2_000_000
    result = run_program(mpi, 2, [str(PROGRAMS / "random_program.py"), "any", "1", "10"], preload)
    assert (result.status, result.out.count("all right")) == (0, 2), result.explain()
