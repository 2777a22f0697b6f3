# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of streams: what it reads, and a small run of it."""

import json
from pathlib import Path

import pytest

from support import Command
from thalweg.errors import ThalwegError
from thalweg_labs.bench.examples import PEERS, PROGRAMS, options_of, read_output
from thalweg_labs.bench.hpcc import Run, input_text, table_words, time_ns
from thalweg_labs.bench.streams import METRICS, chosen_cases, times_of

_SUMMARY = """MPIRandomAccess_LCG_time=2
MPIRandomAccess_N=4096
MPIRandomAccess_time=0.001
MPIRandomAccess_ErrorsFraction={errors}
MPIRandomAccess_ExeUpdates=16384
"""

KINDS = {
    "bytes/8-40": "padded",
    "ask/8": "two-streams",
    "combined/skewed": "unmerged",
    "combined/hot": "unmerged",
}


def test_what_the_program_prints_is_read() -> None:
    text = "idle 0 stream 2.5 2\nidle 0 barrier 5 4\nidle 1 stream 3 2.5\nidle 1 barrier 6 5\n"
    assert times_of(text) == {"idle": {"stream": [(2.5, 2), (3, 2.5)], "barrier": [(5, 4), (6, 5)]}}
    assert times_of("") == {}


def test_an_unknown_case_is_an_error_that_names_the_others() -> None:
    assert chosen_cases(["ring", "visits"]) == ["ring", "visits"]
    assert "idle" in chosen_cases([])
    with pytest.raises(ThalwegError, match="rings is no case") as error:
        chosen_cases(["rings"])
    assert "permutation" in error.value.remedy


@pytest.mark.parametrize(("items", "ranks", "words"), [(10_000, 2, 4096), (4, 1, 1), (1, 3, 1), (400, 3, 256)])
def test_hpccs_table_is_a_power_of_two(items: int, ranks: int, words: int) -> None:
    assert table_words(items, ranks) == words


@pytest.mark.parametrize("ranks", [1, 2, 6, 7, 8])
def test_hpccs_grid_has_all_ranks(ranks: int) -> None:
    lines = input_text(Run("openmpi", ranks, "", 1 << 20)).splitlines()
    numbers = {name: int(number) for number, name, *_ in map(str.split, lines) if name in {"Ns", "Ps", "Qs"}}
    assert numbers["Ns"] ** 2 >= 1 << 20 > (numbers["Ns"] - 1) ** 2
    assert numbers["Ps"] * numbers["Qs"] == ranks
    assert numbers["Ps"] <= numbers["Qs"]


def test_hpccs_time_is_that_of_a_ranks_update_and_of_a_right_answer() -> None:
    assert time_ns(_SUMMARY.format(errors=0.01), 4) == pytest.approx(0.001 / 16384 * 4 * 1e9)
    assert time_ns(_SUMMARY.format(errors=0.011), 4) is None
    assert time_ns("", 4) is None


WAYS = {"aggregator", "bulk", "barrier", "direct"}


def rows_of(thalweg: Command, file: Path, mpi: str, *words: str) -> tuple[list[dict[str, str]], str]:
    """Run the benchmark on two ranks; the program compares sums by itself and ends the job where they differ."""
    sizes = ["--mpi", mpi, "-n", "2", "--rounds", "1", "--items", "2000", "--scale", "6"]
    result = thalweg("bench", "streams", *sizes, *words, "--json", str(file))
    assert result.returncode == 0, result.stderr
    return json.loads(file.read_text()), result.stdout


@pytest.mark.exhaustive
def test_ways_come_to_the_same(thalweg: Command, tmp_path: Path) -> None:
    """The gate runs the same program, compiled with all others: stream.benchmark of tests/api/stream/jobs."""
    rows, _ = rows_of(thalweg, tmp_path / "rows.json", "openmpi", "--cases", "permutation,combined,idle")
    assert {row["metric"] for row in rows} <= set(METRICS)
    assert {row["peer_name"] for row in rows} == WAYS - {"direct"} | {KINDS["combined/hot"]}


@pytest.mark.exhaustive
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_all_ways_come_to_the_same(thalweg: Command, tmp_path: Path, mpi: str) -> None:
    """With a serial search, too."""
    rows, output = rows_of(thalweg, tmp_path / "rows.json", mpi)
    assert {row["metric"] for row in rows} == set(METRICS)
    assert {row["peer_name"] for row in rows} - {"hpcc"} == WAYS | set(KINDS.values())
    pairs = {(row["case"].split(",")[0], row["peer_name"]) for row in rows}
    assert pairs >= set(KINDS.items())
    cases = {case for case, _ in pairs}
    assert cases >= {"histogram/8/small", "permutation/16", "ring/8", "random_access/1024", "gather/16", "visits/8"}
    assert cases >= {"everybody/1", "idle"}
    assert ("hpcc" in output) == (mpi == "mpich") or "hpcc" in {row["peer_name"] for row in rows}


def test_what_an_example_prints_is_read() -> None:
    text = "answer: words=4 errors=0\ntime: ranks=2 way=direct seconds=0.250000 requests=7\n"
    assert read_output(text) == (0.25, "answer: words=4 errors=0")
    with pytest.raises(ThalwegError, match="no time"):
        read_output("answer: words=4\n")


def test_examples_are_sized_by_one_number() -> None:
    assert options_of("contagion", 50) == ["--people", "50", "--places", "25"]
    assert options_of("requests", 50) == ["--particles", "50"]
    assert options_of("random_access", 50_000) == ["--bits", "19"]


def test_all_ways_of_the_examples_come_to_the_same(thalweg: Command, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    folder = str(Path(__file__).parents[3] / "build" / "examples")
    words = ["--folder", folder, "-n", "2", "--rounds", "1", "--items", "500", "--json", str(file)]
    result = thalweg("bench", "examples", *words)
    assert result.returncode == 0, result.stderr
    rows = json.loads(file.read_text())
    assert {(row["case"].split(",")[0], row["peer_name"]) for row in rows} == {
        (name, peer) for name in PROGRAMS for peer in PEERS
    }
    missing = thalweg("bench", "examples", "--folder", str(tmp_path))
    assert missing.returncode != 0
    assert "is missing" in missing.stderr
