"""Ranks on the hosts of a ring that were dealt out in a random order."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from jobs import build
from labs import OwnLab
from mpis import named

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make network namespaces"),
    pytest.mark.xdist_group("lab"),
]

thalweg = OwnLab("placed")
HOSTS = 8


@pytest.fixture(scope="module", autouse=True)
def _lab() -> Iterator[None]:
    words = ["--hosts", str(HOSTS), "--rate", "1gbit", "--topology", "ring", "--shuffle", "3"]
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
    for found in trials:  # what the second tried goes on in the third, or was decided
        assert "a numbering that earlier runs tried" in third.stderr
        assert ("tried:" in third.stderr) == (found[1] == "open")
