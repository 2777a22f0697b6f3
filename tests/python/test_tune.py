# SPDX-License-Identifier: BSD-3-Clause
"""From probe to tuned runs: real jobs of two ranks, whose times are not judged."""

import json
import re
from pathlib import Path

import pytest

from support import Command, Programs
from thalweg import _core
from thalweg.errors import SETTINGS, USAGE

SOURCE = """
#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
  double in = 1, out = 0;
  int rank = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i)
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0)
    printf("sum %g\\n", out);
  MPI_Finalize();
  return out != 2;
}
"""
# Calls on communicators of their own, as many on each as it is told.
SHORT_LIVED = """
#include <mpi.h>
#include <stdlib.h>
int main(int count, char** words) {
  double in = 1, out = 0, wrong = 0;
  MPI_Init(&count, &words);
  for (int word = 1; word < count; ++word) {
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    for (int call = 0; call < atoi(words[word]); ++call) {
      MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, own);
      wrong += out != 2;
    }
    MPI_Comm_free(&own);
  }
  MPI_Finalize();
  return wrong != 0;
}
"""
MACHINE = _core.default_machine().to_text()


@pytest.fixture(scope="session")
def tuning_files() -> dict[str, str]:
    """Keep what was tuned, by family."""
    return {}


@pytest.fixture
def tuned(
    thalweg: Command,
    programs: Programs,
    tmp_path: Path,
    tuning_files: dict[str, str],
    request: pytest.FixtureRequest,
) -> tuple[Path, str]:
    """Tune two calls for two ranks, once; gives a copy of the tuning file, and a program of that MPI."""
    family = request.param
    file = tmp_path / "tuning.toml"
    if family not in tuning_files:
        machine = tmp_path / "machine.toml"
        machine.write_text(MACHINE)
        words = ["--ops", "allreduce,barrier", "--bytes", "8", "--budget", "120s", "--machine", str(machine)]
        result = thalweg("tune", "--mpi", family, "-n", "2", *words, "--tuning", str(file))
        assert result.returncode == 0, result.stderr
        assert "geometric mean of native / pick" in result.stdout
        tuning_files[family] = file.read_text()
    file.write_text(tuning_files[family])
    return file, programs.build(f"tuned_{family}", SOURCE, f"mpicc.{family}")


def tuned_for(*families: str) -> pytest.MarkDecorator:
    """Let a test have what was tuned for each of the families; one worker does it for all tests.

    The gate does it for the first.
    """
    parameters = [
        pytest.param(
            family,
            marks=(
                pytest.mark.xdist_group(f"tuned for {family}"),
                *(() if family == families[0] else (pytest.mark.exhaustive,)),
            ),
        )
        for family in families
    ]
    return pytest.mark.parametrize("tuned", parameters, indirect=True)


def _edited(file: Path, use: str) -> None:
    """Let the all-reduce's pick be this one, whatever was measured."""
    [tuning] = _core.load_tuning(str(file))
    picks = tuning.picks
    for pick in picks:
        if pick.call == "allreduce":
            pick.use = use
    tuning.picks = picks
    _core.save_tuning(str(file), tuning)


def _ran_on(report: Path, function: str = "MPI_Allreduce") -> dict[str, str]:
    """Tell on what all-reduces ran, and why on the library's own."""
    site = next(site for site in json.loads(report.read_text())["calls"] if site["function"] == function)
    return {ending["strategy"]: ending.get("passed_on_because", "") for ending in site["ran_on"]}


@tuned_for("openmpi", "mpich")
def test_what_is_tuned_runs(thalweg: Command, tuned: tuple[Path, str], tmp_path: Path) -> None:
    file, program = tuned
    [tuning] = _core.load_tuning(str(file))
    assert {(pick.call, pick.bytes, pick.ranks, pick.nodes) for pick in tuning.picks} == {
        ("allreduce", 8, 2, 1),
        ("barrier", 0, 2, 1),
    }
    assert all(pick.seconds > 0 and pick.native_seconds > 0 and pick.trials > 0 for pick in tuning.picks)
    report = tmp_path / "report.json"
    # People who edit the file may write blanks.
    for use, runs in ((" double_tree : segment = 64KiB ", "double_tree:segment=64KiB"), ("native", "native")):
        _edited(file, use)
        words = ["--tuning", str(file), "--report", str(report), "-n", "2", "--", program]
        result = thalweg("run", *words)
        assert result.returncode == 0, result.stderr
        assert _ran_on(report) == {runs: "best by the tuning file" if use == "native" else ""}
        # Only blocking calls were measured.
        assert _ran_on(report, "MPI_Iallreduce") == {"native": "no strategy chosen"}
        assert "2 picks" in result.stderr
    # Ranks that yield make the same call.
    result = thalweg("run", *words, variables={"THALWEG_WAIT": "yield"})
    assert result.returncode == 0, result.stderr
    assert _ran_on(report) == {"native": "best by the tuning file"}
    # The user's own choice comes first.
    result = thalweg("run", "--use", "allreduce=recursive_doubling", *words)
    assert result.returncode == 0, result.stderr
    assert set(_ran_on(report)) == {"recursive_doubling"}
    result = thalweg("tune", "explain", str(report), "--tuning", str(file))
    assert re.search(r"allreduce +8 B +2 +recursive_doubling +\S+ \S+, \S+ % +native ", result.stdout), result.stdout
    result = thalweg("tune", "explain", str(report), "--tuning", str(file), "--details")
    assert result.returncode == 0, result.stderr
    assert "ran on recursive_doubling (20 calls)" in result.stdout
    assert "the model's first of" in result.stdout


@tuned_for("openmpi", "mpich")
def test_nonblocking_calls_have_picks_of_their_own(thalweg: Command, tuned: tuple[Path, str], tmp_path: Path) -> None:
    file, program = tuned
    _edited(file, "native")
    [known] = _core.load_tuning(str(file))
    tuning = _core.Tuning()
    tuning.machine = known.machine
    [pick] = [pick for pick in known.picks if pick.call == "allreduce"]
    pick.use = "ring"
    tuning.nonblocking = [pick]
    _core.save_tuning(str(file), tuning)
    report = tmp_path / "report.json"
    result = thalweg("run", "--tuning", str(file), "--report", str(report), "-n", "2", "--", program)
    assert result.returncode == 0, result.stderr
    assert _ran_on(report, "MPI_Iallreduce") == {"ring": ""}
    assert set(_ran_on(report)) == {"native"}
    assert "3 picks" in result.stderr
    for words in ([str(report), "--details"], ["allreduce", "--bytes", "8", "--ranks", "2"]):
        result = thalweg("tune", "explain", *words, "--tuning", str(file))
        assert result.returncode == 0, result.stderr
        assert "nonblocking pick: ring" in result.stdout
        assert "pick: native" in result.stdout


@tuned_for("openmpi", "mpich")
def test_communicators_of_few_calls_are_left_to_the_library(
    thalweg: Command, programs: Programs, tuned: tuple[Path, str], tmp_path: Path
) -> None:
    file, program = tuned
    _edited(file, "ring")
    program = programs.build(Path(program).name + "_short", SHORT_LIVED, f"mpicc.{Path(program).name.split('_')[1]}")
    report = tmp_path / "report.json"
    words = ["--tuning", str(file), "--report", str(report), "-n", "2", "--", program, "7", "20", "3"]
    result = thalweg("run", *words)
    assert result.returncode == 0, result.stderr
    site = next(site for site in json.loads(report.read_text())["calls"] if site["function"] == "MPI_Allreduce")
    assert {ending["strategy"]: ending["calls"] for ending in site["ran_on"]} == {"ring": 26, "native": 34}


@tuned_for("openmpi")
def test_the_users_own_mpi_settings_come_first(thalweg: Command, tuned: tuple[Path, str], tmp_path: Path) -> None:
    file, program = tuned
    _edited(file, "ring")
    report = tmp_path / "report.json"
    words = ["--tuning", str(file), "--report", str(report), "-n", "2", "--", program]
    result = thalweg("run", *words, variables={"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"})
    assert result.returncode == 0, result.stderr
    assert set(_ran_on(report)) == {"native"}
    assert "OMPI_MCA_coll_tuned_use_dynamic_rules=1 comes first" in result.stderr


@tuned_for("openmpi")
@pytest.mark.parametrize("fault", ["damaged", "foreign", "absent", "older", "a folder", "unreadable"])
def test_files_that_do_not_fit_harm_nothing(
    thalweg: Command, tuned: tuple[Path, str], tmp_path: Path, fault: str
) -> None:
    file, program = tuned
    _edited(file, "ring")
    text = file.read_text()
    reason = ""
    if fault == "damaged":
        file.write_text(text[: len(text) // 2])
        reason = "tuning file not used"
    elif fault == "foreign":
        file.write_text(text.replace("cores = ", "cores = 10"))
        reason = "is of other machines or jobs (cores 10"
    elif fault == "older":
        file.write_text(text.replace("format = 1", "format = 0"))
        reason = "it is no tuning file of this version"
    elif fault == "absent":
        file.unlink()
        reason = "no tuning file"
    elif fault == "a folder":
        file.unlink()
        file.mkdir()
        reason = "tuning file"
    else:
        file.write_bytes(b"\x00\xff\xfe" * 1000)
        reason = "tuning file not used"
    report = tmp_path / "report.json"
    result = thalweg("run", "--tuning", str(file), "--report", str(report), "-n", "2", "--", program)
    assert result.returncode == 0, result.stderr
    assert "sum 2" in result.stdout
    assert reason in result.stderr
    assert _ran_on(report) == {"native": "no strategy chosen"}


def test_the_default_file_is_found(thalweg: Command, programs: Programs, environment: dict[str, str]) -> None:
    default = Path(environment["HOME"]) / ".local" / "share" / "thalweg" / "tuning.toml"
    default.parent.mkdir(parents=True)
    default.write_text("format = 1\n")
    program = programs.build("tuned_mpich", SOURCE, "mpicc.mpich")
    assert f"no tuning file {default}" in thalweg("run", "-n", "2", "--", program).stderr
    assert "tuning file" not in thalweg("run", "--tuning", "off", "-n", "2", "--", program).stderr


FIGURES = (
    *("latency", "send", "receive", "gap", "unexpected", "overlapped", "two_way", "shared"),
    *("trip_two_way", "trip_shared", "trip_shared_two_way", "overlapped_shared"),
)


def test_probe_writes_what_can_be_read(thalweg: Command, tmp_path: Path) -> None:
    file, plot = tmp_path / "machine.toml", tmp_path / "plot.svg"
    result = thalweg("machine", "probe", "--mpi", "mpich", "-n", "4", "--output", str(file), "--plot", str(plot))
    assert result.returncode == 0, result.stderr
    for said in ("job: 4 ranks on 1 node ", "node: ", "MPI: MPICH", "rank 3: node 0", "2 pairs at once", "outliers: "):
        assert said in result.stdout
    assert "one message, both ways" in result.stdout
    machine = _core.load_machine(str(file))
    assert machine.parts
    # Which part of the node the ranks stay on is the machine's business.
    assert {level.level for level in machine.levels}.isdisjoint({_core.Level.network})
    assert machine.levels[0].pairs == 2
    assert machine.levels[0].samples > machine.levels[0].outliers >= 0
    assert machine.levels[0].per_posted.high >= machine.levels[0].per_posted.low >= 0
    assert machine.levels[0].hops == 0
    for cost in machine.levels[0].ranges:
        for name in FIGURES:
            figure = getattr(cost, name)
            assert 0 <= figure.low <= figure.value <= figure.high, name
    assert len(machine.copy) == len(machine.combine) > 3
    assert plot.stat().st_size > 1000
    result = thalweg("tune", "explain", "allreduce", "--bytes", "1MiB", "--ranks", "16", "--machine", str(file))
    assert result.returncode == 0, result.stderr
    assert "pick: native: nothing was measured" in result.stdout


def test_closed_forms_stand_beside_predictions(thalweg: Command) -> None:
    machine = _core.default_machine()
    form = _core.closed_form("allreduce=recursive_doubling", 1024, 16, machine)
    assert form is not None
    simulated = _core.predict("allreduce=recursive_doubling", 1024, 16, list(range(16)), machine)
    assert form[0] == pytest.approx(simulated[0], rel=0.01)
    assert "Thakur" in form[1]
    within = _core.closed_form("allreduce=recursive_doubling", 1024, 16, machine, [0] * 16)
    assert within is not None and within[0] < form[0]
    assert _core.closed_form("allreduce=two_level", 1024, 16, machine) is None
    assert _core.closed_form("allreduce=native", 1024, 16, machine) is None
    words = ["tune", "explain", "allreduce", "--bytes", "1KiB", "--ranks", "16", "--ranks-per-node", "1", "--all"]
    result = thalweg(*words, "--closed-forms")
    assert result.returncode == 0, result.stderr
    assert "closed form" in result.stdout and "recursive_doubling: Thakur" in result.stdout
    assert "closed form" not in thalweg(*words).stdout


def test_what_is_far_behind_is_a_bound() -> None:
    space = _core.candidates("alltoall", 1 << 16, 128, list(range(128)), _core.default_machine())
    best = space[0].seconds
    assert not space[0].is_bound
    assert all(one.seconds > 4 * best for one in space if one.is_bound)


def test_wrong_words_are_told(thalweg: Command, tmp_path: Path) -> None:
    broken = tmp_path / "machine.toml"
    broken.write_text("format = 7\n")
    report = tmp_path / "no-report.json"
    report.write_text("{}")
    for words, status in (
        (["tune", "--ops", "allcombine"], USAGE),
        (["tune", "--bytes", "9"], USAGE),
        (["tune", "--budget", "soon"], USAGE),
        (["tune", "explain", "allcombine"], USAGE),
        (["tune", "explain", str(report)], USAGE),
        (["tune", "explain", "allreduce", "--machine", str(broken)], SETTINGS),
        (["tune", "explain", "allreduce", "--machine", str(tmp_path / "none.toml")], SETTINGS),
    ):
        result = thalweg(*words)
        assert result.returncode == status.number, (words, result.stderr)
        assert "Traceback" not in result.stderr


@tuned_for("openmpi", "mpich")
def test_tuned_runs_are_measured_beside_native_ones(
    thalweg: Command, tuned: tuple[Path, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    file, _ = tuned
    rows_file = tmp_path / "rows.json"
    family = request.node.callspec.params["tuned"]
    words = ["--ops", "allreduce", "--sizes", "8", "--turns", "1", "--batches", "3", "--tuning", str(file)]
    result = thalweg("bench", "tuned", "--mpi", family, *words, "--json", str(rows_file))
    assert result.returncode == 0, result.stderr
    assert f"{family}: geometric mean of native / Thalweg" in result.stdout
    rows = json.loads(rows_file.read_text())
    assert [row["metric"] for row in rows] == ["completion time", "cpu time"]
    assert all(row["ours"] > 0 and row["peer"] > 0 and row["peer_name"] == family for row in rows)


def test_what_was_not_tuned_cannot_be_measured_tuned(thalweg: Command, tmp_path: Path) -> None:
    result = thalweg("bench", "tuned", "--tuning", str(tmp_path / "none.toml"))
    assert result.returncode == USAGE.number
    assert "thalweg tune" in result.stderr
