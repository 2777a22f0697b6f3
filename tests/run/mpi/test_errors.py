# SPDX-License-Identifier: BSD-3-Clause
"""Errors of a program's blocking calls are told as natively: same call, same text, same handler, same status."""

import functools
import re

import pytest
from jobs import NATIVE, YIELDING, Mode, Result, build, run, using
from mpis import named

DEBIAN = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
RANKS = 3
TURNS = 8

_RECEIVES = ["recv", "mrecv", "probed", "sendrecv", "sendrecv_replace"]
_MESSAGES = [*_RECEIVES, "wait", "waitany", "waitsome", "waitall", "test"]
_ARGUMENTS = ["bad-send", "bad-recv", "bad-probe", "bad-sendrecv", "bad-bcast", "bad-allreduce"]
_COLLECTIVES = ["gather", "scatter", "alltoall", "allgather", "reduce"]
# Natively, MPICH crashes after the variants with counts, and Open MPI hangs in what passes blocks on.
_CASES = {
    "openmpi4": [*_MESSAGES, *_COLLECTIVES, "gatherv", "alltoallv", *_ARGUMENTS],
    "mpich4": [*_MESSAGES, *_COLLECTIVES, "bcast", *_ARGUMENTS],
}
# One rank alone finds them, so that no other can end the job before it.
_FATAL = [*_MESSAGES, "gather", "reduce", "bad-send", "bad-recv", "bad-probe", "bad-sendrecv"]
_AT_THE_GATE = ("recv", "gather", "bad-send")

# Addresses, processes, times, jobs; Open MPI counts communicators, ours too.
_OF_THE_RUN = re.compile(
    r"0x[0-9a-f]+|\[\w+:\d+\]|\[[\d.]+\] +\[[^\]]*\]|\[\d+,\d+\]|pid \d+|Abort\(\d+\)|COMMUNICATOR \d+ DUP"
)


def _told(text: str) -> list[str]:
    """Give what a job said, without what differs from run to run."""
    kept = [_OF_THE_RUN.sub("*", line) for line in text.splitlines()]
    return sorted(line for line in kept if line.strip() and "UCX" not in line)


def _run(name: str, mode: Mode, handler: str, cases: tuple[str, ...]) -> Result:
    mpi = named(name)
    return run(
        mpi,
        RANKS,
        [str(build(mpi, "errors")), handler, *cases],
        mode,
        launcher={"OMPI_MCA_orte_base_help_aggregate": "0"},
    )


@functools.cache
def _natively(name: str, handler: str, cases: tuple[str, ...]) -> Result:
    return _run(name, NATIVE, handler, cases)


# Operations in flight do not go on inside of the library there, as between nodes.
BY_MESSAGES = Mode(
    "by messages", preload=True, settings=using("scan=chain", "yield").settings | {"THALWEG_SHARED_MEMORY": "0"}
)


@DEBIAN
@pytest.mark.parametrize("mode", [YIELDING, using("scan=chain"), BY_MESSAGES], ids=lambda mode: mode.name)
def test_handlers(name: str, mode: Mode) -> None:
    """A handler of the program hears of each error once, on the communicator that the library names."""
    ours = _run(name, mode, "custom", tuple(_CASES[name]))
    natively = _natively(name, "custom", tuple(_CASES[name]))
    assert _told(ours.out) == _told(natively.out)
    assert _told(ours.err) == _told(natively.err)
    assert ours.status == natively.status, ours.explain()


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(name, case, marks=() if case in _AT_THE_GATE else pytest.mark.exhaustive)
        for name in _CASES
        for case in _FATAL
    ],
)
def test_fatal(name: str, case: str) -> None:
    """A job whose error is fatal ends with the library's own words and status.

    Both launchers lose what a rank wrote last now and then, natively too: so each gets a few turns to bring it.
    """
    told: set[tuple[str, ...]] = set()
    for _ in range(TURNS):
        ours, natively = (_run(name, mode, "fatal", (case,)) for mode in (YIELDING, NATIVE))
        assert ours.status == natively.status, ours.explain()
        if _told(ours.err) == _told(natively.err) and _told(ours.err):
            return
        told |= {tuple(_told(ours.err)), tuple(_told(natively.err))}
    pytest.fail(f"never the same: {told}", pytrace=False)


@pytest.mark.exhaustive
@pytest.mark.xdist_group("long calls")
@pytest.mark.parametrize("operation", ["bcast", "allgather"])
@pytest.mark.parametrize("mode", [YIELDING, using("scan=chain")], ids=lambda mode: mode.name)
@DEBIAN
def test_long_calls(name: str, operation: str, mode: Mode) -> None:
    """Collectives of more than 2^31 bytes, which MPICH's nonblocking forms abort for."""
    mpi = named(name)
    result = run(mpi, RANKS, [str(build(mpi, "long_calls")), operation], mode, seconds=900)
    assert result.status == 0, result.explain()
