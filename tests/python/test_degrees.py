# SPDX-License-Identifier: BSD-3-Clause
"""Many-to-many by degree: predictions, simulations, cases of the tuner, and the picks of calls with private sizes."""

import json
from pathlib import Path

import pytest

from support import Command, Programs
from thalweg import _core
from thalweg.errors import USAGE, ThalwegError
from thalweg.simulation.simulate import simulate
from thalweg.trials.cases import Case, cases
from thalweg.tune import explain

MACHINE = _core.default_machine()
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
  int in[64] = {0}, out[64] = {0}, counts[64], places[64], rank = 0, ranks = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int from[64];
  for (int other = 0; other < ranks; ++other) {
    in[other] = 100 * rank + other;
    places[other] = other;
    counts[other] = other == (rank + 1) % ranks;
    from[other] = rank == (other + 1) % ranks;
  }
  for (int i = 0; i < 20; ++i)
    MPI_Alltoallv(in, counts, places, MPI_INT, out, from, places, MPI_INT, MPI_COMM_WORLD);
  const int before = (rank + ranks - 1) % ranks;
  MPI_Finalize();
  return out[before] != 100 * before + rank;
}
"""


def predicted(size: int, degree: float, ranks: int = 16) -> dict[str, float]:
    """Predict each strategy with its first parameters."""
    question = explain.Question("alltoallv", size, ranks, 1, degree=degree)
    found: dict[str, float] = {}
    for one in explain.candidates(question, MACHINE):
        found.setdefault(one.text.partition(":")[0], one.seconds)
    return found


def test_loads_of_as_many_bytes_in_more_messages_are_predicted_apart() -> None:
    one, three = predicted(3000, 1), predicted(1000, 3)
    assert one["direct"] < three["direct"]
    assert one["mesh2d"] == pytest.approx(three["mesh2d"], rel=0.2)
    assert next(iter(one)) != "mesh2d"


@pytest.mark.parametrize("degree", [1, 3, 15])
def test_simulations_have_the_messages_of_the_degree(degree: int) -> None:
    ranks, size = 16, 1000
    direct = simulate("alltoallv", "direct", ranks, size, degree=degree)
    assert direct.messages == ranks * degree
    meshes = [simulate("alltoallv", "mesh2d", ranks, size, degree=few) for few in (degree, 0)]
    assert {one.messages for one in meshes} == {2 * 3 * ranks}
    assert (meshes[0].finish < meshes[1].finish) == (degree < ranks - 1)


def test_neighbors_are_predicted_and_simulated_by_their_degree() -> None:
    """Without a degree the graph is the program's."""
    found = {
        degree: explain.candidates(explain.Question("neighbor_alltoallv", 64, 16, 2, degree=degree), MACHINE)
        for degree in (0, 2, 11)
    }
    assert not found[0]
    seconds = {degree: {one.text: one.seconds for one in found[degree]}["direct"] for degree in (2, 11)}
    assert seconds[2] < seconds[11]
    assert {"node_aware", "colored"} <= {one.text.partition(":")[0] for one in found[11]}
    assert simulate("neighbor_alltoall", "direct", 16, 64, degree=3).messages == 16 * 3


def test_calls_that_have_no_degree_refuse_one() -> None:
    question = explain.Question("alltoall", 64, 8, 1, degree=3)
    with pytest.raises(ThalwegError, match="each rank has something for all others"):
        explain.candidates(question, MACHINE)
    with pytest.raises(ThalwegError, match="alltoall with a degree of 3"):
        simulate("alltoall", "direct", 8, degree=3)


def test_cases_by_degree() -> None:
    found = cases(["alltoallv", "alltoall"], [64], [1, 4, 0])
    assert [one.operation for one in found] == ["alltoallv:1", "alltoallv:4", "alltoallv", "alltoall"]
    assert {one.call for one in found} == {"alltoall", "alltoallv"}
    assert [one.degree for one in found] == [1, 4, 0, 0]
    assert Case("alltoallv:1", 64).name == "alltoallv to 1 other each 64 B"
    assert cases(["alltoallv"], [8]) == [Case("alltoallv", 8)]
    with pytest.raises(ThalwegError, match="degrees without an operation"):
        cases(["allreduce"], [64], [2])


@pytest.mark.parametrize(
    "words",
    [
        ["--ops", "alltoallv", "--degrees", "0"],
        ["--ops", "alltoallv", "--degrees", "some"],
        ["--ops", "barrier", "--degrees", "1"],
        ["--for", "run.json", "--degrees", "1"],
    ],
)
def test_degrees_that_are_none_are_refused(thalweg: Command, words: list[str]) -> None:
    result = thalweg("tune", "-n", "2", *words)
    assert result.returncode == USAGE.number
    assert "degrees" in result.stderr


def test_the_nearest_pick_is_that_of_the_nearest_size_and_degree() -> None:
    tuning = _core.Tuning()
    picks = []
    for size, degree, use in ((64, 1, "sparse"), (64, 0, "mesh2d"), (4096, 1, "direct")):
        pick = _core.Pick()
        pick.call, pick.ranks, pick.nodes, pick.bytes, pick.degree = "alltoallv", 16, 1, size, degree
        pick.use = use
        picks.append(pick)
    tuning.picks = picks
    for size, degree, use in ((100, 2, "sparse"), (100, 12, "mesh2d"), (100, 0, "mesh2d"), (3000, 1, "direct")):
        question = explain.Question("alltoallv", size, 16, 16, degree=degree)
        assert explain.known_picks([tuning], question)[0][0].use == use


def ran_on(thalweg: Command, file: Path, program: str, *options: str) -> dict[str, str]:
    """Run a program with a tuning file; tell on what it ran, and why on the library's own."""
    report = file.with_suffix(".json")
    words = ["--learn", "off", *options, "--tuning", str(file), "--report", str(report), "-n", "3", "--", program]
    result = thalweg("run", *words)
    assert result.returncode == 0, result.stderr
    [site] = [site for site in json.loads(report.read_text())["calls"] if site["function"] == "MPI_Alltoallv"]
    return {ending["strategy"]: ending.get("passed_on_because", "") for ending in site["ran_on"]}


def with_picks(tuning: _core.Tuning, uses: list[str]) -> _core.Tuning:
    """Let what was found be several picks, of ever larger degrees; the last one is that of all."""
    picks = []
    for degree, use in enumerate(uses, 1):
        [pick, *_] = tuning.picks
        pick.use, pick.degree = use, degree % len(uses)
        picks.append(pick)
    made = _core.Tuning()
    made.machine, made.picks = tuning.machine, picks
    return made


# Each rank knows its own sizes alone: a pick holds without learning where all picks are the same.
def test_picks_by_degree_hold_where_all_say_the_same(thalweg: Command, programs: Programs, tmp_path: Path) -> None:
    machine, file = tmp_path / "machine.toml", tmp_path / "tuning.toml"
    machine.write_text(MACHINE.to_text())
    words = ["--mpi", "openmpi", "-n", "3", "--ops", "alltoallv", "--degrees", "1", "--bytes", "64"]
    words += ["--budget", "10s", "--no-library", "--machine", str(machine), "--tuning", str(file)]
    result = thalweg("tune", *words)
    assert result.returncode == 0, result.stderr
    [tuning] = _core.load_tuning(str(file))
    [found] = tuning.picks
    assert (found.call, found.bytes, found.degree, found.ranks) == ("alltoallv", 64, 1, 3)
    program = programs.build("by_degree", PROGRAM, "mpicc.openmpi")
    for uses, runs in (
        (["mesh2d", "mesh2d"], {"mesh2d": ""}),
        (["mesh2d", "direct"], {"native": "no strategy chosen"}),
    ):
        _core.save_tuning(str(file), with_picks(tuning, uses))
        assert ran_on(thalweg, file, program) == runs
