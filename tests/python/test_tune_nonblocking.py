# SPDX-License-Identifier: BSD-3-Clause
"""From trials beside a computation to calls that run as they were tuned: real jobs, whose times are not judged."""

import json
import os
from pathlib import Path

import pytest

from support import Command, Programs, plain_environment
from thalweg import _core
from thalweg.errors import ThalwegError
from thalweg.strategies import all_strategies, operation_of, operations
from thalweg.trials.cases import NONBLOCKING, Case
from thalweg.trials.order import LEADERS, THREAD, order_of, strategy_of, with_thread, without_thread
from thalweg.trials.session import NATIVE, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune.objective import Objective, objective_from_text, objective_of
from thalweg.tune.store import disagreeing

# Sizes that all ranks know, sizes that each knows alone, and a persistent call, which Open MPI 4 has elsewhere.
PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
  int rank = 0, wrong = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i) {
    long in[2] = {10 * rank + i, 10 * rank + i + 5}, out[2] = {-1, -1};
    const int one[2] = {1, 1}, places[2] = {0, 1};
    MPI_Request request;
    MPI_Ialltoall(in, 1, MPI_LONG, out, 1, MPI_LONG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < 2; ++r)
      wrong += out[r] != 10 * r + i + 5 * rank;
    MPI_Ialltoallv(in, one, places, MPI_LONG, out, one, places, MPI_LONG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < 2; ++r)
      wrong += out[r] != 10 * r + i + 5 * rank;
  }
  int (*make)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*);
  long in[2] = {rank, rank + 5}, out[2];
  MPI_Request persistent;
  *(void**)&make = dlsym(RTLD_DEFAULT, "MPI_Alltoall_init");
  make(in, 1, MPI_LONG, out, 1, MPI_LONG, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
  for (int i = 0; i < 3; ++i) {
    out[0] = out[1] = -1;
    MPI_Start(&persistent);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    for (int r = 0; r < 2; ++r)
      wrong += out[r] != r + 5 * rank;
  }
  MPI_Request_free(&persistent);
  printf("wrong %d\\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
"""


# Nonblocking calls on communicators of the program's own, as the rows of a grid, and none but these on them.
GROUPS = """
#include <mpi.h>
#include <stdio.h>
enum { more = 20, units = 4096 };
static int in[2 * units], out[2 * units], wrong;
static void fill(int rank) {
  for (int i = 0; i < 2 * units; ++i)
    in[i] = 10 * rank + i / units, out[i] = -1;
}
static void check(int first, int own) {
  for (int i = 0; i < 2 * units; ++i)
    wrong += out[i] != 10 * (first + i / units) + own;
}
int main(int count, char** words) {
  const int counts[2] = {units, units}, places[2] = {0, units};
  int rank = 0, own = 0;
  MPI_Comm pair, dups[more];
  MPI_Request request;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  MPI_Comm_rank(pair, &own);
  for (int i = 0; i < 500; ++i) {
    fill(rank);
    MPI_Ialltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, pair, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(rank - own, own);
  }
  for (int i = 0; i < more; ++i)
    MPI_Comm_dup(pair, &dups[i]);
  fill(rank);
  MPI_Ialltoall(in, units, MPI_INT, out, units, MPI_INT, dups[more - 1], &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(rank - own, own);
  for (int i = 0; i < more; ++i)
    MPI_Comm_free(&dups[i]);
  MPI_Comm_free(&pair);
  if (wrong)
    printf("wrong %d\\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
"""


@pytest.mark.parametrize("call", _core.calls())
def test_every_call_has_an_operation(call: str) -> None:
    assert operation_of(call) in operations()


@pytest.mark.parametrize("operation", NONBLOCKING)
def test_threads_stand_behind_leading_strategies_alone(operation: str) -> None:
    """Whatever is added reads as a selection, and without it the order is as it was."""
    case = Case(operation, 64)
    names = [one.name for one in all_strategies(operation_of(case.call))]
    found = with_thread(names, case)
    assert [name for name in found if not name.endswith(THREAD)] == names
    added = [name for name in found if name.endswith(THREAD)]
    assert len(added) <= LEADERS
    for name in added:
        _core.check_selection(f"{case.call}={name}")
        assert found.index(without_thread(name)) == found.index(name) - 1
        assert strategy_of(name) == strategy_of(without_thread(name))
    assert order_of(case, []) == found, "where nothing is predicted, the index's order counts"


def test_objectives_are_for_calls_that_have_them() -> None:
    assert objective_of(Case("ialltoall", 8), None) is Objective.OVERLAP
    assert objective_of(Case("alltoall", 8), None) is Objective.TIME
    for objective in Objective:
        assert objective_of(Case("ialltoall", 8), objective) is objective
        assert objective_from_text(objective.value) is objective
    assert objective_from_text("") is None
    with pytest.raises(ThalwegError, match="nothing to overlap"):
        objective_of(Case("alltoall", 8), Objective.OVERLAP)
    with pytest.raises(ThalwegError, match="no objective"):
        objective_from_text("watts")


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_all_that_goes_on_beside_a_computation_is_measured(mpi: str) -> None:
    """Each figure of each batch is there; what is exposed includes the wait, and completion what is exposed before."""
    words = start_words([], 3, trial_program(mpi, os.environ))
    with Session(words, variables=plain_environment()) as session:
        for operation, call in NONBLOCKING.items():
            size = 0 if operation == "ibarrier" else 64
            [first, *_] = [one.name for one in all_strategies(operation_of(call))]
            for name, tests in ((operation, 2), (f"late_{operation}", 0)):
                found = session.measure(name, size, [NATIVE, first], batches=2, tests=tests)
                assert set(found) == {NATIVE, first}
                for samples in found.values():
                    figures = (samples.completion_us, samples.exposed_us, samples.lost_us, samples.waited_us)
                    assert [len(figure) for figure in figures] == [2] * len(figures)
                    assert min(samples.lost_us) >= 0
                    for waited, exposed in zip(samples.waited_us, samples.exposed_us, strict=True):
                        assert 0 <= waited <= exposed
        blocking = session.measure("alltoall", 64, [NATIVE], batches=2)[NATIVE]
        assert blocking.held_up_us == ()


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_nonblocking_calls_run_as_they_were_tuned(
    thalweg: Command, programs: Programs, tmp_path: Path, mpi: str
) -> None:
    machine, file, figures = tmp_path / "machine.toml", tmp_path / "tuning.toml", tmp_path / "figures.json"
    machine.write_text(_core.default_machine().to_text())
    words = ["--mpi", mpi, "-n", "2", "--ops", "ialltoall", "--bytes", "8", "--budget", "30s"]
    words += ["--machine", str(machine), "--tuning", str(file), "--figures", str(figures)]
    result = thalweg("tune", *words)
    assert result.returncode == 0, result.stderr
    for one in json.loads(figures.read_text()):
        assert one["objective"] == "overlap"
        assert set(one["overlap"][NATIVE]) == {"exposed", "lost", "completion"}
    [tuning] = _core.load_tuning(str(file))
    [pick] = tuning.nonblocking
    assert (pick.call, pick.bytes, pick.objective) == ("alltoall", 8, "overlap")
    assert pick.overlaps is not None
    assert pick.overlaps.native.completion > 0
    pick.use = "bruck"  # whatever was found, of a busy machine
    _keep(file, tuning, pick)
    _keep(file, tuning, _other(pick, "cyclic", 8))
    program = programs.build(f"nonblocking_{mpi}", PROGRAM, f"mpicc.{mpi}")
    report = tmp_path / "report.json"
    result = thalweg("run", "--tuning", str(file), "--report", str(report), "-n", "2", "--", program)
    assert result.returncode == 0, result.stderr
    ran = {site["function"]: site["ran_on"] for site in json.loads(report.read_text())["calls"]}
    assert [one["strategy"] for one in ran["MPI_Ialltoall"]] == ["bruck"]
    assert [one["strategy"] for one in ran["MPI_Ialltoallv"]] == ["cyclic"]
    persistent = [one["strategy"] for one in ran["MPI_Alltoall_init"]]
    assert persistent == (["bruck"] if mpi == "openmpi" else [NATIVE]), "MPICH keeps its own"
    explained = thalweg("tune", "explain", "ialltoall", "--bytes", "8", "-n", "2", "--tuning", str(file))
    assert explained.returncode == 0, explained.stderr
    assert "pick: bruck" in explained.stdout
    assert "exposed" in explained.stdout
    assert "complete after" in explained.stdout
    whole = thalweg("tune", "explain", str(report), "--details", "--tuning", str(file))
    assert whole.returncode == 0, whole.stderr
    assert "nonblocking pick: bruck" in whole.stdout
    assert "was hidden" in whole.stdout
    # Where a rank knows its own sizes alone, picks that differ by size are none.
    _keep(file, tuning, _other(pick, "direct", 64))
    result = thalweg("run", "--tuning", str(file), "--report", str(report), "-n", "2", "--", program)
    assert result.returncode == 0, result.stderr
    ran = {site["function"]: site["ran_on"] for site in json.loads(report.read_text())["calls"]}
    assert [one["strategy"] for one in ran["MPI_Ialltoallv"]] == [NATIVE]


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_from_a_report_to_calls_of_groups_that_run_as_they_were_tuned(
    thalweg: Command, programs: Programs, tmp_path: Path, mpi: str
) -> None:
    """The report's own command tunes calls on communicators of the program's; figures are not judged.

    Who makes many communicators of a kind does not pay for channels of each: the twentieth has none.
    """
    machine, file = tmp_path / "machine.toml", tmp_path / "tuning.toml"
    machine.write_text(_core.default_machine().to_text())
    program = programs.build(f"groups_{mpi}", GROUPS, f"mpicc.{mpi}")
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    result = thalweg("run", "--learn", "off", "--tuning", "off", "--report", str(before), "-n", "4", "--", program)
    assert result.returncode == 0, result.stderr
    words = ["--for", str(before), "--machine", str(machine), "--tuning", str(file), "--budget", "20s"]
    result = thalweg("tune", *words)
    assert result.returncode == 0, result.stderr
    assert "ialltoallv 16 KiB among 2" in result.stdout
    [tuning] = _core.load_tuning(str(file))
    [pick] = [one for one in tuning.nonblocking if one.call == "alltoallv"]
    assert (pick.ranks, pick.nodes, pick.bytes, pick.objective) == (2, 1, 16384, "overlap")
    assert pick.overlaps is not None
    for call in ("alltoall", "alltoallv"):
        pick.call, pick.use = call, "cyclic"  # whatever was found, of a busy machine
        _keep(file, tuning, pick)
    explained = thalweg("tune", "explain", str(before), "--tuning", str(file))
    assert explained.returncode == 0, explained.stderr
    [heads] = [line for line in explained.stdout.splitlines() if line.startswith("call ")]
    assert "hidden" in heads.split()
    assert "%, then " in explained.stdout, "what the pick would hide"
    words = ["--learn", "off", "--tuning", str(file), "--report", str(after), "-n", "4", "--", program]
    result = thalweg("run", *words)
    assert result.returncode == 0, result.stderr
    ran = {site["function"]: site["ran_on"] for site in json.loads(after.read_text())["calls"]}
    assert [one["strategy"] for one in ran["MPI_Ialltoallv"]] == ["cyclic"]
    assert [one["strategy"] for one in ran["MPI_Ialltoall"]] == [NATIVE]
    compared = thalweg("compare", str(before), str(after))
    assert compared.returncode == 0, compared.stderr
    assert "exposed by nonblocking calls" in compared.stdout
    assert "Ialltoallv, exposed" in compared.stdout


def test_picks_that_ranks_cannot_agree_on_are_named() -> None:
    """Of one size, or the same for all sizes, they take effect; what programs have learned is no matter of a search."""

    def tuning(*picks: tuple[str, str, int, str]) -> list[_core.Tuning]:
        one = _core.Tuning()
        one.nonblocking = [_pick(*pick) for pick in picks]
        return [one]

    short, long = ("alltoallv", "direct", 8, "tune"), ("alltoallv", "bruck", 1024, "tune")
    [remark] = disagreeing(tuning(short, long), ["alltoallv"])
    assert remark == "ialltoallv of 2 ranks on 1 node: picks for 8 B, 1 KiB differ, so none takes effect"
    assert disagreeing(tuning(short, long), ["alltoall"]) == []
    assert disagreeing(tuning(short), ["alltoallv"]) == []
    assert disagreeing(tuning(short, ("alltoallv", "direct", 1024, "tune")), ["alltoallv"]) == []
    assert disagreeing(tuning(short, ("alltoallv", "bruck", 1024, "online")), ["alltoallv"]) == []
    assert disagreeing(tuning(("alltoall", "direct", 8, "tune"), ("alltoall", "bruck", 9, "tune")), ["alltoall"]) == []


def _pick(call: str, use: str, size: int, source: str) -> _core.Pick:
    pick = _core.Pick()
    pick.call, pick.use, pick.bytes, pick.source, pick.ranks, pick.nodes = call, use, size, source, 2, 1
    return pick


def _other(pick: _core.Pick, use: str, size: int) -> _core.Pick:
    """Make a pick for an alltoallv of the same job."""
    other = _core.Pick()
    other.call, other.ranks, other.nodes, other.bytes, other.use = "alltoallv", pick.ranks, pick.nodes, size, use
    other.source = "tune"
    return other


def _keep(file: Path, tuning: _core.Tuning, pick: _core.Pick) -> None:
    """Merge a nonblocking call's pick into the file."""
    tuning.nonblocking = [pick]
    _core.save_tuning(str(file), tuning)


def test_a_blocking_call_has_no_overlap_to_tune(thalweg: Command) -> None:
    done = thalweg("tune", "--ops", "alltoall", "--objective", "overlap")
    assert done.returncode == 2
    assert "tune ialltoall" in done.stderr
