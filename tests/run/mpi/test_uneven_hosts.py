# SPDX-License-Identifier: BSD-3-Clause
"""Strategies of two levels, teams and streams, on hosts of which some have more ranks: in shared memory and TCP."""

import os
from collections.abc import Iterator

import pytest
from jobs import BUILD, build
from mpis import named

from labs import OwnLab

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make network namespaces"),
    pytest.mark.xdist_group("lab"),
]

thalweg = OwnLab("uneven")
HOSTS, RANKS = 3, 7
TWO_LEVEL = (
    *("barrier", "broadcast", "reduce", "allreduce", "gather", "scatter"),
    *("allgather", "alltoall", "reduce_scatter"),
)
PIPELINED = ("broadcast", "reduce", "allreduce")
ORDERED = {
    "barrier": "dissemination",
    "broadcast": "chain",
    "reduce": "knomial",
    "allreduce": "ring",
    "gather": "knomial",
    "scatter": "bine",
    "allgather": "ring",
    "alltoall": "bruck",
    "reduce_scatter": "ring",
}
# Not the suite of barriers: it counts in memory that all ranks share.
SUITES = (
    *("bcast", "reduce", "allreduce", "gather", "scatter", "gatherv", "scatterv"),
    *("allgather", "alltoall", "reduce_scatter_block", "fast_path"),
)


@pytest.fixture(scope="module", autouse=True)
def _lab() -> Iterator[None]:
    """Three hosts out of order, of which one gets more ranks than the others."""
    words = ("--network", "ring", "--shuffle", "2")
    with thalweg.up("--hosts", str(HOSTS), "--rate", "1gbit", *words):
        yield


@pytest.mark.parametrize(
    "selection",
    [
        ";".join(f"{operation}=two_level" for operation in TWO_LEVEL),
        pytest.param(
            ";".join(f"{operation}=two_level_pipeline:segment=1KiB" for operation in PIPELINED),
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_two_level_strategies(selection: str) -> None:
    """The conformance suites pass."""
    mpi = named("openmpi4")
    program = [str(build(mpi, "conformance")), "--scale", "0.3", "--known", mpi.known_names, *SUITES]
    result = thalweg("lab", "run", "--use", selection, "-n", str(RANKS), "--", *program)
    assert result.returncode == 0, result.stderr[-3000:]
    # One that is not understood falls back to the library: that would pass without testing anything.
    assert "cannot" not in result.stderr, result.stderr[-3000:]
    assert f"{RANKS} ranks on {HOSTS} nodes" in result.stderr


def test_orders_of_ranks() -> None:
    """The conformance suites pass where strategies number the ranks by their hosts' places."""
    mpi = named("openmpi4")
    selection = ";".join(f"{operation}={strategy}:order=places" for operation, strategy in ORDERED.items())
    program = [str(build(mpi, "conformance")), "--scale", "0.3", "--known", mpi.known_names, *SUITES]
    result = thalweg("lab", "run", "--use", selection, "-n", str(RANKS), "--", *program)
    assert result.returncode == 0, result.stderr[-3000:]
    assert "cannot" not in result.stderr, result.stderr[-3000:]
    assert f"network ring of {HOSTS} hosts, places by the list of hosts" in result.stderr


@pytest.mark.parametrize("name", ["plain", pytest.param("collectives", marks=pytest.mark.exhaustive)])
def test_teams(name: str) -> None:
    """Teams within hosts and between them: a page's calls, or all collectives in all modes."""
    program = BUILD / "tests" / "api" / "team" / f"team-{name}-openmpi"
    result = thalweg("lab", "run", "--learn", "off", "--tuning", "off", "-n", "5", "--", str(program))
    assert result.returncode == 0, result.stderr[-3000:]
    assert "all right" in result.stdout


def test_streams_that_change_their_mesh() -> None:
    """Where ranks of a host share memory and others are far, meshes have both."""
    program = BUILD / "tests" / "api" / "stream" / "jobs" / "stream-choosing-openmpi"
    result = thalweg("lab", "run", "--tuning", "off", "-n", "10", "--", str(program), "25")
    assert result.returncode == 0, result.stderr[-3000:]
    assert "all right" in result.stdout
    assert "1 shapes were used" not in result.stdout
