# SPDX-License-Identifier: BSD-3-Clause
"""The progress thread as a part of a choice: what it advances, at which thread level, and when it is there."""

from pathlib import Path

import pytest
from jobs import Mode, build, run, using
from mpis import Mpi, named
from test_random_calls import SEED
from test_strategies import selections

from labs import OwnLab

DEBIAN = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
STRATEGIES = {
    "broadcast": ("chain", "knomial:segment=64KiB", "scatter_allgather"),
    "allreduce": ("recursive_doubling", "ring", "rabenseifner"),
    "allgather": ("ring", "bruck", "direct"),
    "alltoall": ("direct", "bruck:radix=2", "direct"),
}
OPERATIONS = ("bcast", "allreduce", "allgather", "alltoall")
PATIENCE = "100"  # seconds that no call needs which goes on


def _threaded(text: str) -> str:
    """Let the thread advance all that is chosen, but what network cards run."""
    return ";".join(one if "=nic" in one else f"{one}+thread" for one in text.split(";"))


def _endings(mpi: Mpi, mode: Mode, folder: Path, *words: str) -> dict[str, str]:
    """Run the program, and give how each call ended, by operation and size."""
    result = run(mpi, 3, [str(build(mpi, "out_of_mpi")), str(folder), *words], mode)
    assert result.status == 0, result.explain()
    assert "halweg" not in result.err, result.err
    found = {}
    for line in result.out.splitlines():
        operation, size, *ending = line.split()
        found[f"{operation} {size}"] = " ".join(ending)
    return found


@pytest.mark.parametrize("number", [0, *(pytest.param(k, marks=pytest.mark.exhaustive) for k in (1, 2))])
@DEBIAN
def test_operations_go_on_outside_of_mpi(name: str, number: int, tmp_path: Path) -> None:
    """Ranks complete what a rank has begun that makes no calls any more, below MPI_THREAD_MULTIPLE."""
    chosen = ";".join(f"{operation}={names[number]}" for operation, names in STRATEGIES.items())
    found = _endings(named(name), using(_threaded(chosen)), tmp_path, PATIENCE, str(4 << 20), *OPERATIONS)
    assert found.pop("1 more") == "threads"
    assert found == dict.fromkeys(
        (f"{operation} {size}" for operation in OPERATIONS for size in (8, 64 << 10, 4 << 20)), "goes on"
    )


@pytest.mark.parametrize("strategy", STRATEGIES["broadcast"])
def test_what_is_started_leaves(strategy: str, tmp_path: Path) -> None:
    """A root's broadcast reaches all others when it has begun, where the ways to them have room for it."""
    mode = using(f"broadcast={strategy}")
    found = _endings(named("openmpi4"), mode, tmp_path, PATIENCE, str(64 << 10), "bcast")
    assert found == {"bcast 8": "goes on", "bcast 65536": "goes on", "0 more": "threads"}


@pytest.mark.parametrize(("memory", "name"), [("1", "chain+thread"), ("0", "chain without its thread")])
def test_reports_say_whether_the_thread_was_at_it(memory: str, name: str, tmp_path: Path) -> None:
    """Messages of the library need a thread level that the program has not asked for."""
    report = tmp_path / "report.json"
    mode = using("broadcast=chain+thread")
    mode.settings.update({"THALWEG_SHARED_MEMORY": memory, "THALWEG_REPORT": str(report)})
    _endings(named("openmpi4"), mode, tmp_path, PATIENCE, str(64 << 10), "bcast")
    assert f'"{name}"' in report.read_text()


@pytest.mark.exhaustive
def test_the_thread_serves_hosts(tmp_path: Path) -> None:
    """Between hosts MPI_Init asks for the thread level that the library's messages need."""
    lab = OwnLab("thread")
    chosen = ";".join(f"{operation}={names[0]}+thread" for operation, names in STRATEGIES.items())
    program = [str(build(named("openmpi4"), "out_of_mpi")), str(tmp_path), PATIENCE, str(4 << 20), *OPERATIONS]
    with lab.up("--hosts", "3", "--rate", "1gbit"):
        result = lab("lab", "run", "-n", "3", "--learn", "off", "--tuning", "off", "--use", chosen, *program)
    assert result.stdout.count("goes on") == 3 * len(OPERATIONS), result.stdout + result.stderr


@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.exhaustive), 4])
@DEBIAN
def test_random_calls_of_the_thread(name: str, ranks: int) -> None:
    """Every word is right of calls that do and do not block, on several communicators, while the thread is at work."""
    mpi = named(name)
    chosen = [_threaded(text) for text in selections()]
    program = [str(build(mpi, "random_calls")), "1500", SEED, "65536", *chosen]
    result = run(mpi, ranks, program, using(chosen[0]))
    assert result.status == 0, result.explain()
    assert "halweg" not in result.err, result.err


@DEBIAN
def test_conformance_of_the_thread(name: str) -> None:
    """Operators and datatypes that need the library stay with the program's own threads."""
    mpi = named(name)
    program = [str(build(mpi, "conformance")), "--scale", "0.3", "--known", mpi.known_names]
    suites = ("outstanding", "persistent_restart", "user_operations", "reduce_types", "going_on_in_collectives")
    result = run(mpi, 3, [*program, *suites], using(_threaded(selections()[1])))
    assert result.status == 0, result.explain()
