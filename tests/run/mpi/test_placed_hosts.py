# SPDX-License-Identifier: BSD-3-Clause
"""Ranks on the hosts of a ring that were dealt out in a random order."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jobs import build
from mpis import named

from labs import OwnLab
from thalweg.lab.hosts import saved
from thalweg.placement.files import read_pattern
from thalweg.trials.compiler import compiled_program
from thalweg_labs.bench.foreign_flow import bytes_over, foreign_flow, hottest_hop
from thalweg_labs.bench.place_jobs import PROGRAM, recorded_for_minutes

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make network namespaces"),
    pytest.mark.xdist_group("lab"),
]

thalweg = OwnLab("placed")
HOSTS = 8


@pytest.fixture(scope="module", autouse=True)
def _lab() -> Iterator[None]:
    words = ["--hosts", str(HOSTS), "--rate", "100mbit", "--network", "ring", "--shuffle", "3"]
    with thalweg.up(*words):
        yield


def test_topologies_follow_the_ring() -> None:
    """Neighbors on a ring of ranks are neighbors on the ring of hosts, and what they are told stays right."""
    result = thalweg("lab", "run", "-n", str(HOSTS), "--", str(build(named("openmpi4"), "topologies")))
    assert "passed topologies" in result.stdout, result.stdout + result.stderr
    for line in result.stdout.splitlines():
        if line.startswith(("adjacent:", "graph:")):
            places = [int(host.rpartition("-h")[2]) for host in line.split()[1:]]
            steps = {(after - before) % HOSTS for before, after in zip(places, [*places[1:], places[0]], strict=True)}
            assert steps in ({1}, {HOSTS - 1}), line


def test_what_one_run_records_the_next_tries(tmp_path: Path) -> None:
    """Whichever numbering wins, answers are the same and the summary says what became of it."""
    program = str(build(named("openmpi4"), "topologies"))
    words = ["lab", "run", "-n", str(HOSTS), "--place", "auto", "--patterns", str(tmp_path), "--", program]
    first, second = thalweg(*words), thalweg(*words)
    trials = [file.read_text().split() for file in tmp_path.glob("*.trials")]
    third = thalweg(*words)
    for result in (first, second, third):
        assert "passed topologies" in result.stdout, result.stdout + result.stderr
    assert "no run of this program has been recorded" in first.stderr
    assert "thalweg: ranks " in second.stderr
    assert "no run of this program" not in second.stderr
    if "; others use" in second.stderr + third.stderr:  # links seemed busy: then another numbering may be better
        return
    if [*tmp_path.glob("*.runs")]:
        assert "judged by whole runs" in third.stderr
        return
    for found in trials:  # what the second tried goes on in the third, or was decided
        is_nothing = found[1] == "stay" and found[3] == "0"  # no numbering was better
        assert ("no other numbering" if is_nothing else "a numbering that earlier runs tried") in third.stderr
        assert found[1] == "open" or "; tried:" not in third.stderr  # open, it may have no time left to try


PAIRS = "thalweg-pattern 1\nranks {ranks}\nseconds 9\nsite 0 call MPI_Send\nphase 1 all\n0 1 9999999 9 0\n"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("node_list", "pattern", "trials", "said"),
    [
        ("", PAIRS.format(ranks=4), "", "the pattern is of 4 ranks"),
        ("", "\0\xff" * 500, "", "so it is no text"),
        ("", PAIRS.format(ranks=8) + "0 8 1 1 0\n", "", "rank 8 of 8"),
        ("", PAIRS.format(ranks=8), "go go\n1 2\n" * 9, "thalweg: ranks "),
        ("# ring\nforeign 0\nothers 1\n", PAIRS.format(ranks=8), "", "thalweg: ranks "),
        ("# torus:0x9\n\xff 1\n1 1 1\n", PAIRS.format(ranks=8), "", "list of hosts not used"),
    ],
)
def test_wrong_files_end_in_a_remark(tmp_path: Path, node_list: str, pattern: str, trials: str, said: str) -> None:
    """Of hosts, patterns and trials: the program runs, its answers are right, and the summary says what was wrong."""
    program = str(build(named("openmpi4"), "topologies"))
    words = ["lab", "run", "-n", str(HOSTS), "--place", "auto", "--patterns", str(tmp_path), "--", program]
    assert thalweg(*words).returncode == 0
    (file,) = tmp_path.glob("*.pattern")
    file.write_bytes(pattern.encode("latin-1"))
    if trials:
        file.with_name(file.name + ".trials").write_text(trials)
    lab = saved(thalweg.name)
    assert lab is not None
    list_file = Path(lab.node_list)
    right = list_file.read_text()
    try:
        list_file.write_bytes(node_list.encode("latin-1") or right.encode())
        result = thalweg(*words)
    finally:
        list_file.write_text(right)
    assert "passed topologies" in result.stdout, result.stdout + result.stderr
    assert said in result.stderr


def recorded(tmp_path: Path, kind: str) -> list[str]:
    """Record a program on the hosts, as if it had run for minutes; gives the command that runs it placed."""
    program = compiled_program("placed", [PROGRAM], "openmpi", os.environ)
    options = ["--place", "auto", "--patterns", str(tmp_path), "--report", str(tmp_path / "report.json")]
    words = ["lab", "run", "-n", str(HOSTS), *options, "--", program, kind, "65536", "20"]
    assert thalweg(*words).returncode == 0
    recorded_for_minutes(tmp_path)
    return words


def placing(tmp_path: Path) -> dict[str, Any]:
    """Read what the last run's report says of placing."""
    found: dict[str, Any] = json.loads((tmp_path / "report.json").read_text())["placing"]
    return found


def test_a_large_gain_is_adopted_by_the_third_run(tmp_path: Path) -> None:
    """Ranks in pairs that are far from each other on the ring: the run after the recorded one is placed, and judged."""
    words = recorded(tmp_path, "pairs")
    runs = [thalweg(*words) for _ in range(2)]
    for run in runs:
        assert run.returncode == 0, run.stderr
    found = placing(tmp_path)
    if found["busy_links"]:  # on a machine so busy that its links seem to be
        return
    assert found["adopted"], runs[-1].stderr
    assert "judged by whole runs" in runs[-1].stderr
    (kept,) = tmp_path.glob("*.runs")
    assert len(found["runs"]["placed_s"]) == 1
    assert kept.read_text().split()[5] == "2"


@pytest.mark.exhaustive
def test_links_that_others_use_are_seen(tmp_path: Path) -> None:
    """A flow around the ring is found on its links, and the answers stay right."""
    words = recorded(tmp_path, "pairs")
    lab = saved(thalweg.name)
    assert lab is not None
    with foreign_flow(lab, 2, 5):
        busy = thalweg(*words)
    assert busy.returncode == 0, busy.stderr
    assert {"(2)+x", "(3)+x", "(4)+x"} & set(placing(tmp_path)["busy_links"])
    assert busy.stdout.split()[1] == thalweg(*words).stdout.split()[1]


@pytest.mark.exhaustive
def test_a_link_that_others_use_is_avoided(tmp_path: Path) -> None:
    """Of the numberings with as few hops, one is proposed that leaves the link to the other job.

    Where processors are so busy that another link seems to be used too, each of these numberings has one to use.
    """
    words = recorded(tmp_path, "pairs")
    (pattern_file,) = tmp_path.glob("*.pattern")
    pattern = read_pattern(str(pattern_file))
    lab = saved(thalweg.name)
    assert lab is not None
    assert thalweg(*words).returncode == 0
    quiet = placing(tmp_path)["proposed"]
    hop = hottest_hop(lab, pattern, quiet)
    assert bytes_over(lab, pattern, quiet, hop) > 0
    with foreign_flow(lab, hop.sender, hop.receiver):
        assert thalweg(*words).returncode == 0
    found = placing(tmp_path)
    assert hop.link in found["busy_links"]
    if found["busy_links"] == [hop.link]:
        assert bytes_over(lab, pattern, found["proposed"], hop) < 0.01 * bytes_over(lab, pattern, quiet, hop)


@pytest.mark.exhaustive
def test_smoke_benchmark(tmp_path: Path) -> None:
    """It makes its own lab, runs all ways, and leaves nothing."""
    words = ["--sizes", "", "--jobs", "grid", "--foreign", "pairs", "--metrics", "6", "--topologies", "torus:2x2"]
    short = ["--rounds", "1", "--run-seconds", "0.3", "--rate", "1gbit", "--host-rate", "2gbit", "--bytes", "16KiB"]
    result = thalweg("bench", "place", *words, *short, "--json", str(tmp_path / "rows.json"))
    assert result.returncode == 0, result.stderr
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert {row["peer_name"] for row in rows} >= {"native", "as dealt out", "placed as if links were quiet"}
    correlations = [row for row in rows if row["metric"].startswith("rank correlation")]
    assert len({row["metric"] for row in correlations}) == 4
    assert all(-1 <= row["ours"] <= 1 for row in correlations)
