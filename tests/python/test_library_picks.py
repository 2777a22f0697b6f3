# SPDX-License-Identifier: BSD-3-Clause
"""The library's own algorithms: as candidates of the tuner, in tuning files, and told to the library by runs."""

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Self, cast

import pytest

from support import Command, Programs
from thalweg import _core
from thalweg.errors import FAILED, ThalwegError
from thalweg.rules.algorithms import OPENMPI, Algorithm, algorithms
from thalweg.rules.formats import Rule
from thalweg.rules.library import Library, library_of
from thalweg.rules.loading import library_version, rules_of_picks
from thalweg.rules.picks import mentions_library
from thalweg.settings.own_settings import own_settings
from thalweg.trials.cases import OPERATIONS, Case
from thalweg.trials.session import Samples, Session
from thalweg.tune.library import Comparison, compare_case, compare_with_picks
from thalweg.tune.library_trials import Trial, measure
from thalweg.tune.search import Outcome

# An algorithm of each library for two ranks, and what a run tells the library by.
OWN = {"openmpi": ("ring", "OMPI_MCA_coll_tuned_dynamic_rules_filename"),
       "mpich": ("reduce_scatter_allgather", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE")}  # fmt: skip
BY_FAMILY = pytest.mark.parametrize("family", sorted(OWN))


def _pick(call: str, size: int, use: str, fallback: str = "") -> _core.Pick:
    pick = _core.Pick()
    pick.call, pick.ranks, pick.nodes, pick.bytes, pick.use = call, 2, 1, size, use
    pick.seconds, pick.native_seconds, pick.trials, pick.source = 1e-6, 2e-6, 21, "tune"
    pick.fallback = fallback
    return pick


def test_every_algorithm_has_a_word_of_its_own() -> None:
    for operation in OPERATIONS:
        found = algorithms(OPENMPI, operation, 8)
        assert len({one.word for one in found}) == len(found)


def test_rules_follow_the_picks() -> None:
    picks = [
        _pick("broadcast", 65536, "library:pipeline:segment=8192"),
        _pick("broadcast", 8, "knomial"),
        _pick("broadcast", 1024, "library:no_such_algorithm"),
        _pick("reduce_scatter_block", 64, "library:recursive_halving"),
        _pick("alltoall", 64, "bruck:radix=2"),
    ]
    other = _pick("broadcast", 64, "library:chain")
    other.ranks = 4
    assert rules_of_picks(Library(OPENMPI, ""), [*picks, other], 2) == {
        "broadcast": [Rule(8, None), Rule(1024, None), Rule(65536, Algorithm("pipeline", 3, 8192))],
        "reduce_scatter": [Rule(64, Algorithm("recursive_halving", 3))],
    }
    assert rules_of_picks(Library(OPENMPI, ""), picks[-1:], 2) == {}


class _Job:
    """A job in which every candidate takes what was said."""

    def __init__(self, times_us: Mapping[str, float]) -> None:
        self._times_us = times_us
        self.asked = 0

    def measure(self, _operation: str, _size: int, names: list[str], *, batches: int) -> dict[str, Samples]:
        """Give samples around the times."""
        self.asked += 1
        series = {name: tuple(self._times_us[name] + 0.001 * index for index in range(batches)) for name in names}
        return {name: Samples(times, times, 1) for name, times in series.items()}


@pytest.mark.parametrize("native_us", [5.0, 9.0])
@pytest.mark.parametrize("ours_us", [3.0, 5.0, 9.0])
@pytest.mark.parametrize("library_us", [2.0, 5.0, 8.0])
def test_the_librarys_algorithm_is_picked_only_where_it_is_surely_fastest(
    native_us: float, ours_us: float, library_us: float
) -> None:
    case = Case("allgather", 64)
    ring = Algorithm("ring", 4)
    times = {case: {ring: Trial(tuple(map(float, range(1, 8))), tuple(map(float, range(11, 18))))}}
    pick = "bruck" if ours_us < native_us else "native"
    outcome = Outcome(pick, min(ours_us, native_us) * 1e-6, native_us * 1e-6, 21)
    ours, ruled = _Job({"native": native_us, "bruck": ours_us}), _Job({"native": library_us})
    found = compare_case(ours, ruled, case, outcome, times)  # type: ignore[arg-type]
    if library_us < min(ours_us, native_us):
        assert (found.pick, found.fallback) == ("library:ring", pick)
        assert found.seconds == pytest.approx(library_us * 1e-6, rel=0.01)
    else:
        assert found == outcome


def test_a_comparison_that_is_lost_by_far_ends_early() -> None:
    ours, ruled = _Job({"native": 30000.0, "bruck": 30.0}), _Job({"native": 29000.0})
    case, outcome = Case("allgather", 64), Outcome("bruck", 30e-6, 30e-3, 21)
    times = {case: {Algorithm("ring", 4): Trial((29.0,) * 7, (30.0,) * 7)}}
    assert compare_case(ours, ruled, case, outcome, times) == outcome  # type: ignore[arg-type]
    assert ours.asked == ruled.asked == _core.EvidenceLimits.rounds_hopeless


def test_the_library_is_not_tried_where_it_is_hopeless() -> None:
    def start(_variables: Mapping[str, str]) -> Session:
        pytest.fail("a job was started")

    session = cast("Session", SimpleNamespace(job=SimpleNamespace(ranks=8)))
    outcome = Outcome("bruck", 30e-6, 30e-3, 21)
    comparison = Comparison(Library(OPENMPI, ""), session, start)
    assert compare_with_picks(comparison, {Case("allgather", 64): outcome}, lambda: True) == {}


class _LibraryJob(_Job):
    """A job of a library that ends at the start when it is told of a linear barrier."""

    def __init__(self, extra: Mapping[str, str]) -> None:
        if extra.get("OMPI_MCA_coll_tuned_barrier_algorithm") == "1":
            raise ThalwegError(FAILED, "the trial job ended with status 15")
        super().__init__({"native": 1.0})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_algorithms_that_the_library_refuses_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    cases = [Case("barrier", 0), Case("allgather", 8)]
    choices = {case.operation: algorithms(OPENMPI, case.operation, 8)[:2] for case in cases}
    times = measure(OPENMPI, cases, choices, _LibraryJob, lambda: True)  # type: ignore[arg-type]
    assert [one.name for one in times[cases[0]]] == ["double_ring"]
    assert [one.name for one in times[cases[1]]] == ["linear", "bruck"]
    assert "refuses its linear for barrier" in capsys.readouterr().err


@pytest.mark.exhaustive
@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_tuning_tries_the_librarys_algorithms(thalweg: Command, tmp_path: Path, family: str) -> None:
    machine, figures, file = tmp_path / "machine.toml", tmp_path / "figures.json", tmp_path / "tuning.toml"
    machine.write_text(_core.default_machine().to_text())
    words = ["tune", "--mpi", family, "--ops", "allreduce,scan", "--bytes", "8", "--budget", "120s"]
    words += ["--machine", str(machine), "--tuning", str(file), "--figures", str(figures)]
    for options, are_tried in (([], True), (["--no-library"], False)):
        result = thalweg(*words, *options)
        assert result.returncode == 0, result.stderr
        measured = {one["operation"]: one["measured"] for one in json.loads(figures.read_text())}
        assert any(name.startswith("library:") for name in measured["allreduce"]) == are_tried
        # No library lets anybody choose for a scan.
        assert not any(name.startswith("library:") for name in measured["scan"])


def _tuned(thalweg: Command, file: Path, family: str, program: str) -> None:
    """Write a tuning file for jobs of that program on two ranks, whose all-reduce is the library's own algorithm."""
    report = file.with_name("first.json")
    result = thalweg("run", "--tuning", "off", "--report", str(report), "-n", "2", "--", program)
    assert result.returncode == 0, result.stderr
    tuning = _core.Tuning()
    tuning.machine = _core.Fingerprint([row["value"] for row in json.loads(report.read_text())["fingerprint"]])
    tuning.picks = [_pick("allreduce", 8, f"library:{OWN[family][0]}", "recursive_doubling")]
    _core.save_tuning(str(file), tuning)


SOURCE = """
#include <mpi.h>
int main(int count, char** words) {
  double in = 1, out = 0;
  MPI_Init(&count, &words);
  for (int i = 0; i < 10; ++i)
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return out != 2;
}
"""


@BY_FAMILY
def test_runs_tell_the_library(thalweg: Command, programs: Programs, tmp_path: Path, family: str) -> None:
    program = programs.build(f"own_{family}", SOURCE, f"mpicc.{family}")
    file, report = tmp_path / "tuning.toml", tmp_path / "report.json"
    _tuned(thalweg, file, family, program)
    assert mentions_library(str(file))
    words = ["run", "--tuning", str(file), "--report", str(report)]
    launcher = [f"mpirun.{family}", "-n", "2", program]
    user = {OWN[family][1]: "", "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial", "OMPI_MCA_coll_tuned_priority": "31"}

    def ran_on(*command: str, variables: Mapping[str, str] | None = None) -> tuple[set[str], str]:
        result = thalweg(*words, *command, variables=variables)
        assert result.returncode == 0, result.stderr
        site = next(one for one in json.loads(report.read_text())["calls"] if one["function"] == "MPI_Allreduce")
        return {ending["strategy"] for ending in site["ran_on"]}, result.stderr

    assert ran_on("-n", "2", "--", program)[0] == {"native"}
    assert "the library's own algorithms, of which it was told" in ran_on("-n", "2", "--", program)[1]
    assert "comes first" in ran_on("-n", "2", "--", program, variables=user)[1]
    # A job that a launcher's own command starts is the same job, although Thalweg sets less for it.
    assert ran_on(*launcher)[0] == {"recursive_doubling"}
    assert ran_on("-n", "2", "--", program, variables={"SLURM_JOB_ID": "1"})[0] == {"recursive_doubling"}

    shown = thalweg(*words, "--dry-run", "-n", "2", "--", program).stdout
    variables = dict(word.split("=", 1) for word in shlex.split(shown) if "=" in word)
    assert OWN[family][1] in own_settings(variables)
    rules = Path(variables[OWN[family][1]])
    assert rules.parent == Path(f"{file}.rules")
    assert OWN[family][0] in rules.read_text()
    # Rules are made from the tuning file whenever they are not what it says.
    rules.write_text("damaged")
    assert ran_on("-n", "2", "--", program)[0] == {"native"}
    assert OWN[family][0] in rules.read_text()

    result = thalweg("tune", "explain", "allreduce", "--tuning", str(file))
    assert f"pick: library:{OWN[family][0]}" in result.stdout
    assert "jobs that were started otherwise run recursive_doubling" in result.stdout


def test_what_a_library_is_called_is_what_ranks_call_it(thalweg: Command, programs: Programs, tmp_path: Path) -> None:
    for family in OWN:
        report = tmp_path / f"{family}.json"
        program = programs.build(f"own_{family}", SOURCE, f"mpicc.{family}")
        assert thalweg("run", "--tuning", "off", "--report", str(report), "-n", "2", "--", program).returncode == 0
        library = library_of(program, os.environ)
        assert library is not None
        assert json.loads(report.read_text())["fingerprint"][4] == {
            "name": "mpi",
            "value": library_version(library.path),
        }


@BY_FAMILY
def test_a_user_selects_the_librarys_algorithm(
    thalweg: Command, programs: Programs, tmp_path: Path, family: str
) -> None:
    program = programs.build(f"own_{family}", SOURCE, f"mpicc.{family}")
    word, variable = OWN[family]
    report = tmp_path / "report.json"
    words = ["run", "--tuning", "off", "--report", str(report), "--use", f"allreduce=library:{word}"]
    home = {"XDG_DATA_HOME": str(tmp_path)}

    result = thalweg(*words, "-n", "2", "--", program, variables=home)
    assert result.returncode == 0, result.stderr
    assert "takes no effect" not in result.stderr
    site = next(one for one in json.loads(report.read_text())["calls"] if one["function"] == "MPI_Allreduce")
    assert [ending["strategy"] for ending in site["ran_on"]] == ["native"]
    shown = thalweg(*words, "--dry-run", "-n", "2", "--", program, variables=home).stdout
    told = dict(one.split("=", 1) for one in shlex.split(shown) if "=" in one)
    assert word in Path(told[variable]).read_text()

    # A launcher of the user's own starts the library before anybody can write_library_rules it.
    elsewhere = thalweg(*words, f"mpirun.{family}", "-n", "2", program, variables=home)
    assert elsewhere.returncode == 0, elsewhere.stderr
    assert f"allreduce=library:{word} takes no effect: the library was not told" in elsewhere.stderr

    refused = thalweg("run", "--use", "allreduce=library:no_such", "-n", "2", "--", program, variables=home)
    assert refused.returncode != 0
    assert "library:no_such: the library has no such algorithm" in refused.stderr
    assert word in refused.stderr
