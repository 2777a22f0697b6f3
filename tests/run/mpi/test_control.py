# SPDX-License-Identifier: BSD-3-Clause
"""Calls that MPI forbids, control that leaves calls by jumps and exceptions, and scarce things: all as natively."""

import functools
import re
import subprocess

import pytest
from jobs import INTERPOSERS, NATIVE, PASSING, YIELDING, Mode, build, build_cxx, run, using
from mpis import Mpi, named

# A strategy of ours for each operation.
ENGINE = using(
    "allreduce=ring;broadcast=knomial;reduce=knomial;scan=binomial;gather=knomial;scatter=knomial;allgather=ring;"
    "alltoall=direct;reduce_scatter=pairwise;neighbor_allgather=direct;neighbor_alltoall=direct"
)
MODES = [PASSING, YIELDING, ENGINE]
TRACED = Mode("traced", preload=True, settings={"THALWEG_WAIT": "yield", "THALWEG_TRACE": "1", "THALWEG_RECORD": "1"})
IN_EACH_MODE = pytest.mark.parametrize("mode", MODES, ids=["passing", "yielding", "engine"])
ON_BOTH = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])

# What each library finds before it crashes itself.
FOUND = {
    "openmpi4": ("operators", "types", "counts", "places", "uncommitted", "neighbors"),
    "mpich4": ("unset", "operators", "types", "counts", "places", "uncommitted", "arrays", "stale", "buffers"),
}


def said(mpi: Mpi, mode: Mode) -> list[str]:
    """What the library said of each call: its class, whose handlers were called, its text without addresses."""
    result = run(mpi, 2, [str(build(mpi, "refused")), *FOUND[mpi.name]], mode, seconds=90)
    assert result.status == 0, result.explain()
    lines = re.sub(r"0x[0-9a-f]+", "ADDRESS", result.out).splitlines()
    return [line for line in lines if "UCX" not in line]  # which tells of messages that are left over


@ON_BOTH
@pytest.mark.parametrize("mode", [*MODES, TRACED], ids=["passing", "yielding", "engine", "traced"])
def test_what_the_library_refuses(name: str, mode: Mode) -> None:
    """The same classes, handlers and texts on all ranks, and the next call works."""
    mpi = named(name)
    natively = said(mpi, NATIVE)
    assert len(natively) > 100
    assert not [line for line in natively if "after" in line]
    assert said(mpi, mode) == natively


@ON_BOTH
@IN_EACH_MODE
def test_jumps_out_of_calls(name: str, mode: Mode) -> None:
    """The rank is in the program again after it: it takes part in what the others run."""
    mpi = named(name)
    result = run(mpi, 2, [str(build(mpi, "jumps"))], mode, seconds=90)
    assert (result.status, result.out) == (0, "passed jumps\n"), result.explain()


@ON_BOTH
@IN_EACH_MODE
def test_exceptions_out_of_calls(name: str, mode: Mode) -> None:
    """Error handlers and operators throw through our frames."""
    mpi = named(name)
    if mode is ENGINE:
        mode = using("allreduce=recursive_doubling;broadcast=knomial")  # in which all ranks combine, as natively
    result = run(mpi, 2, [str(build_cxx(mpi, "throws")), "all"], mode, seconds=90)
    assert (result.status, result.out) == (0, "passed throws\n"), result.explain()


@ON_BOTH
def test_exceptions_out_of_nonblocking_operators(name: str) -> None:
    """On our engine they become errors of the calls that complete the reduction: nothing crosses what advances it."""
    mpi = named(name)
    result = run(
        mpi, 2, [str(build_cxx(mpi, "throws")), "nonblocking"], using("allreduce=recursive_doubling"), seconds=90
    )
    assert (result.status, result.out) == (0, "passed throws\n"), result.explain()


def test_exceptions_out_of_persistent_operators() -> None:
    """Likewise, each time that the reduction is started; it may be over before anybody asks."""
    mpi = named("openmpi4")
    result = run(
        mpi, 2, [str(build_cxx(mpi, "throws")), "persistent"], using("allreduce=recursive_doubling"), seconds=90
    )
    assert (result.status, result.out) == (0, "passed throws\n"), result.explain()


CALLBACKS = [
    *("comm-dup", "comm-free", "comm-delete", "comm-set", "type-dup", "type-free", "query-wait", "query-test"),
    *("query-waitall", "query-waitany", "query-get", "release-wait", "release-test", "release-free", "cancel-request"),
]
# Natively, MPICH crashes in MPI_Finalize behind a window's, calls nothing in MPI_Grequest_complete, and frees a
# communicator whose callback refuses.
CALLED_BACK = {"openmpi4": [*CALLBACKS, "win-free", "complete", "refused"], "mpich4": CALLBACKS}


@ON_BOTH
@pytest.mark.parametrize("way", ["throw", "jump"])
@pytest.mark.parametrize("mode", [*MODES, TRACED], ids=["passing", "yielding", "engine", "traced"])
def test_callbacks_leave_calls(name: str, mode: Mode, way: str) -> None:
    """Callbacks of attributes and of requests throw, jump, and call MPI."""
    mpi = named(name)
    result = run(mpi, 2, [str(build_cxx(mpi, "callbacks")), way, *CALLED_BACK[name]], mode, seconds=90)
    assert result.status == 0, result.explain()
    assert "passed callbacks\n" in result.out, result.explain()


IN_FLIGHT = using("allreduce=ring", "yield")
MESSAGES_IN_FLIGHT = Mode("messages", preload=True, settings=IN_FLIGHT.settings | {"THALWEG_SHARED_MEMORY": "0"})


@functools.cache
def generalized_natively(name: str, when: str) -> tuple[int, str]:
    """How the program of generalized requests ends, and what it says."""
    result = run(named(name), 2, [str(build(named(name), "generalized")), when], NATIVE, seconds=90)
    assert len(result.out.splitlines()) > 70, result.explain()
    return result.status, result.out


@ON_BOTH
@pytest.mark.parametrize("when", ["early", "late"])
@pytest.mark.parametrize(
    "mode",
    [YIELDING, ENGINE, IN_FLIGHT, MESSAGES_IN_FLIGHT],
    ids=["yielding", "engine", "engine-yielding", "messages"],
)
def test_generalized_requests(name: str, mode: Mode, when: str) -> None:
    """Their functions are called as often as natively, and a query that fails fails the call that completes it."""
    mpi = named(name)
    result = run(mpi, 2, [str(build(mpi, "generalized")), when], mode, seconds=90)
    assert (result.status, result.out) == generalized_natively(name, when), result.explain()


CANCELED = ["recv", "probe", "wait", "waitany", "ssend", "bcast", "allreduce"]
BY_MESSAGES = Mode("by messages", preload=True, settings=ENGINE.settings | {"THALWEG_SHARED_MEMORY": "0"})
GIVING_WAY = Mode("engine, yielding", preload=True, settings=ENGINE.settings | {"THALWEG_WAIT": "yield"})


@pytest.mark.parametrize(
    "mode", [*MODES, GIVING_WAY, BY_MESSAGES], ids=["passing", "yielding", "engine", "engine-yielding", "messages"]
)
def test_canceled_threads(mode: Mode) -> None:
    """MPICH keeps a thread until its call returns, so that the others' calls and its own part are as before."""
    mpi = named("mpich4")
    result = run(mpi, 2, [str(build(mpi, "cancels")), "on", *CANCELED], mode, seconds=90)
    assert (result.status, result.out) == (0, "passed cancels\n"), result.explain()


@pytest.mark.parametrize("mode", [YIELDING, ENGINE], ids=["yielding", "engine"])
@pytest.mark.parametrize("case", ["recv", "allreduce"])
def test_canceled_thread_at_the_end(case: str, mode: Mode) -> None:
    """Open MPI lets it go, and waits for it for ever in what it calls next: the program can end itself."""
    mpi = named("openmpi4")
    result = run(mpi, 2, [str(build(mpi, "cancels")), "end", case], mode, seconds=90)
    assert result.out == "passed cancels\n", result.explain()


@ON_BOTH
def test_as_many_communicators_as_natively(name: str) -> None:
    """MPICH has contexts for some 2,030: what is ours takes a few of them, and later ones stay native.

    Those that have memory of ours share a segment by the dozen, and later ones have what freed ones had.
    """
    mpi = named(name)
    program = str(build(mpi, "many_communicators"))
    result = run(mpi, 2, [program, "1900" if name == "mpich4" else "300", "8"], using("allreduce=ring"))
    assert (result.status, result.out) == (0, "passed many_communicators\n"), result.explain()


@ON_BOTH
@pytest.mark.parametrize("mode", [YIELDING, using("allreduce=ring")], ids=["yielding", "engine"])
def test_nothing_is_kept_of_what_was_freed(name: str, mode: Mode) -> None:
    """But for a few pages: 500 bytes of each of its 2,000 communicators were more than that."""
    mpi = named(name)
    settings = mode.settings | {"THALWEG_SUMMARY": "1"}
    result = run(
        mpi, 2, [str(build(mpi, "freed_objects")), "1000", "512"], Mode(mode.name, preload=True, settings=settings)
    )
    assert result.status == 0, result.explain()
    assert "passed freed_objects" in result.out, result.explain()


@ON_BOTH
def test_small_stacks_and_children(name: str) -> None:
    """Threads with the smallest stack start, and children of ranks load nothing of ours, but what is the user's."""
    mpi = named(name)
    program = [str(build(mpi, "small_stack"))]
    user = "libm.so.6"
    preload = f"{user} {PASSING.environment(mpi)['LD_PRELOAD']}"
    result = run(mpi, 2, program, PASSING, {"LD_PRELOAD": preload})
    assert (result.status, result.out) == (0, f"thread Success, ran 1; preload '{user}'\n"), result.explain()


# glibc's smallest stack leaves little more than that beside the libraries' own.
TLS_BYTES_MAX = 640


@pytest.mark.parametrize("path", sorted(INTERPOSERS.glob("libthalweg-*.so")), ids=lambda path: path.name)
def test_thread_local_memory_is_small(path: object) -> None:
    """What is loaded into a process takes its thread-local variables from each thread's stack."""
    segments = subprocess.run(["readelf", "-lW", str(path)], capture_output=True, text=True, check=True).stdout
    sizes = [int(line.split()[5], 16) for line in segments.splitlines() if line.split()[:1] == ["TLS"]]
    assert sum(sizes) <= TLS_BYTES_MAX
