# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks measure in real jobs.

What they find is the machine's business: tests named smoke show that a benchmark runs to its end and writes every row.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import Command
from thalweg import _core
from thalweg.rows import geometric_mean, make_row, paired_row
from thalweg_labs.bench.intranode import case_rows
from thalweg_labs.bench.onesided import METRICS
from thalweg_labs.bench.onesided_memory import TEXTS
from thalweg_labs.bench.tuned import Figures
from thalweg_labs.busy import busy_processes


@pytest.mark.parametrize("family", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_smoke_collectives(thalweg: Command, family: str, tmp_path: Path) -> None:
    rows_file = tmp_path / "rows.json"
    words = ["--ops", "allreduce,barrier", "--sizes", "8", "--strategies", "recursive_doubling", "--batches", "3"]
    result = thalweg("bench", "collectives", "--mpi", family, *words, "--json", str(rows_file))
    assert result.returncode == 0, result.stderr
    rows = json.loads(rows_file.read_text())
    cases = {
        f"{call} {what}, {size} B, 2 ranks"
        for what in ("passed_on", "recursive_doubling")
        for call, size in (("allreduce", 8), ("barrier", 0))
    }
    assert {row["case"] for row in rows} == cases
    assert {row["metric"] for row in rows} == {"completion time", "cpu time"}
    for row in rows:
        assert set(row) == {"case", "metric", "unit", "ours", "peer", "peer_name", "ratio"}
        assert row["ours"] > 0
        assert row["ratio"] == pytest.approx(row["peer"] / row["ours"], rel=1e-3)
    assert "geometric mean" in result.stdout


def test_smoke_model(thalweg: Command, tmp_path: Path) -> None:
    rows_file, plot, machine = tmp_path / "rows.json", tmp_path / "plot.svg", tmp_path / "machine.toml"
    machine.write_text(_core.default_machine().to_text())
    words = ["--ops", "allreduce", "--sizes", "64", "--machine", str(machine), "--plot", str(plot)]
    result = thalweg("bench", "model", "--mpi", "mpich", *words, "--json", str(rows_file))
    assert result.returncode == 0, result.stderr
    rows = {row["metric"]: row for row in json.loads(rows_file.read_text())}
    searched = "part of the space that the guided search tried"
    metrics = {"rank correlation", "closed form of recursive_doubling", searched}
    assert metrics <= set(rows)
    assert rows["regret of the best of its first three"]["ours"] <= rows["regret of the model's first"]["ours"]
    assert plot.stat().st_size > 1000


def test_smoke_changing_program(thalweg: Command, tmp_path: Path) -> None:
    rows_file = tmp_path / "rows.json"
    words = ["--mpi", "openmpi", "-n", "2", "--turns", "1", "--json", str(rows_file)]
    result = thalweg("bench", "online", *words, "alltoall:64:2000", "alltoallv:1024:2000:1")
    assert result.returncode == 0, result.stderr
    rows = json.loads(rows_file.read_text())
    metrics = ["total against each phase's best", "total against native", "share spent on learning"]
    assert [row["metric"] for row in rows] == metrics
    assert result.stdout.count("best is") == 2
    refused = thalweg("bench", "online", "alltoall:64")
    assert refused.returncode != 0
    assert "OPERATION:BYTES:CALLS" in refused.stderr


@pytest.mark.exhaustive
def test_smoke_tuned_and_its_control(thalweg: Command, tmp_path: Path) -> None:
    rows_file, tuning = tmp_path / "rows.json", tmp_path / "tuning.toml"
    tuning.write_text("format = 1\n")
    words = ["--ops", "allreduce", "--sizes", "8,64", "--turns", "2", "--batches", "3", "--tuning", str(tuning)]
    result = thalweg("bench", "tuned", *words, "--control", "--json", str(rows_file))
    assert result.returncode == 0, result.stderr
    metrics = ["completion time", "cpu time", "completion time of native, measured twice"]
    rows = json.loads(rows_file.read_text())
    assert [row["metric"] for row in rows] == 2 * metrics
    assert result.stdout.count("native against itself") == 2
    assert "geometric mean of native / native" in result.stdout
    without = thalweg("bench", "tuned", *words, "--json", str(rows_file))
    assert without.returncode == 0, without.stderr
    assert [row["metric"] for row in json.loads(rows_file.read_text())] == 2 * metrics[:2]


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_smoke_onesided(thalweg: Command, tmp_path: Path, mpi: str) -> None:
    rows_file = tmp_path / "rows.json"
    words = ["--mpi", mpi, "-n", "2", "--sizes", "8,2KiB", "--turns", "1", "--rows", "5", "--json", str(rows_file)]
    result = thalweg("bench", "onesided", *words)
    assert result.returncode == 0, result.stderr
    rows = json.loads(rows_file.read_text())
    assert [row["metric"] for row in rows] == 8 * list(METRICS.values())


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_smoke_onesided_memory(thalweg: Command, tmp_path: Path, mpi: str) -> None:
    rows_file = tmp_path / "rows.json"
    words = ["--memory", "--mpi", mpi, "--sizes", "8,2KiB", "--turns", "1", "--json", str(rows_file)]
    result = thalweg("bench", "onesided", *words)
    assert result.returncode == 0, result.stderr
    rows = json.loads(rows_file.read_text())
    cases = {row["case"] for row in rows if row["metric"] == "against MPI window"}
    assert cases == {f"{what} {size}" for what in TEXTS.values() for size in ("8 B", "2 KiB")}
    assert {"against plain stores", "against MPI_Send"} <= {row["metric"] for row in rows}


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_smoke_overlap(thalweg: Command, tmp_path: Path, mpi: str) -> None:
    rows_file = tmp_path / "rows.json"
    words = ["--mpi", mpi, "-n", "2", "--ops", "ialltoall", "--sizes", "64", "--tests", "1,0", "--batches", "2"]
    result = thalweg("bench", "overlap", *words, "--json", str(rows_file))
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("hidden") == 2 * 3, "natively, passed on, and the best, with a test and without"
    rows = json.loads(rows_file.read_text())
    metrics = ["exposed time", "lost computation", "completion time", "exposed part"]
    assert [row["metric"] for row in rows] == 2 * 2 * metrics
    refused = thalweg("bench", "overlap", "--ops", "alltoall")
    assert refused.returncode == 2
    assert "name ialltoall" in refused.stderr


@given(st.floats(1e-5, 1e9), st.floats(1e-5, 1e9))
def test_a_row_holds_the_ratio_of_its_own_figures_however_small(ours: float, peer: float) -> None:
    row = make_row("a case", "completion time", "us", ours, peer, "peer")
    assert row["ratio"] == pytest.approx(row["peer"] / row["ours"], rel=1e-5)


def test_what_is_measured_in_pairs_is_compared_in_pairs() -> None:
    # Between the second and the third pair the machine became three times as slow.
    row = paired_row("a case", "completion time", "us", [(1.0, 2.0), (1.0, 2.2), (3.0, 6.0)], "peer")
    assert (row["ours"], row["peer"], row["ratio"]) == (1.0, 2.2, 2.0)


def test_peers_are_compared_turn_by_turn() -> None:
    # In the last two turns the machine was three times as slow; the slower peer's job did not see it in one.
    ours = Figures([1.0, 1.0, 1.0, 3.0, 3.0], [2.0] * 5)
    slower = Figures([2.0, 2.0, 2.0, 6.0, 2.0], [4.0] * 5)
    faster = Figures([1.5, 1.5, 1.5, 4.5, 4.5], [5.0] * 5)
    best, cpu, *against = case_rows("a case", ["slower", "faster"], [ours, slower, faster])
    assert (best["peer_name"], best["ratio"]) == ("faster", 1.5)
    assert (cpu["peer_name"], cpu["ratio"]) == ("faster", 2.5)
    assert [row["ratio"] for row in against] == [2.0, 1.5]


@pytest.mark.exhaustive
def test_the_best_of_several_libraries_is_the_peer(thalweg: Command, tmp_path: Path) -> None:
    rows_file, tuning = tmp_path / "rows.json", tmp_path / "tuning.toml"
    tuning.write_text("format = 1\n")
    words = ["--mpi", "openmpi,mpich", "--ops", "allreduce", "--sizes", "8", "--turns", "2", "--batches", "3"]
    result = thalweg("bench", "intranode", *words, "--tuning", str(tuning), "--json", str(rows_file))
    assert result.returncode == 0, result.stderr
    rows = {row["metric"]: row for row in json.loads(rows_file.read_text())}
    against = [rows[f"completion time against {name}"] for name in ("openmpi", "mpich")]
    best = min(against, key=lambda row: row["ratio"])
    assert rows["completion time"] == {**best, "metric": "completion time"}
    assert rows["completion time against a cache line there and back"]["peer"] > 0
    assert rows["completion time"]["case"] == "allreduce 8 B, 2 ranks"
    assert rows["cpu time"]["ours"] > 0
    assert "a cache line there and back" in result.stdout
    assert "geometric mean" in result.stdout


def test_busy_processes_end_with_their_block() -> None:
    with busy_processes(2) as burners:
        assert [burner.poll() for burner in burners] == [None, None]
    assert None not in [burner.poll() for burner in burners]


def test_means_of_ratios() -> None:
    """Also of jobs that are too short for the processor's clock."""
    assert geometric_mean([]) == 1
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4)
    assert geometric_mean([2.0, 0.0]) == 0
