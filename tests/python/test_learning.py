# SPDX-License-Identifier: BSD-3-Clause
"""Learning while a program runs, as a user sees it: the report, the tuning file, and what may go wrong."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support import Command
from thalweg import _core
from thalweg_labs.bench.online import phases_program

PHASES = ("alltoall:64:1500", "alltoallv:2048:1000:2", "allgather:4096:1000")
# Between two ranks there are few ways: however times fall out, all have been tried long before the end.
SEARCHED = ("allgather:8:100000",)
FAMILIES = pytest.mark.parametrize("family", ["openmpi", "mpich"])


def learn(
    thalweg: Command,
    report: Path,
    family: str,
    environment: dict[str, str],
    *words: str,
    phases: Sequence[str] = PHASES,
    ranks: int = 4,
) -> tuple[Any, str]:
    """Run the phases; gives the report and what was said."""
    budget = ("--learn-budget", "100", "--no-summary", "--report", str(report))
    result = thalweg("run", *budget, *words, "-n", str(ranks), "--", phases_program(family, environment), *phases)
    assert result.returncode == 0, result.stderr
    return json.loads(report.read_text()), result.stderr


@FAMILIES
def test_what_is_learned_is_said(thalweg: Command, family: str, environment: dict[str, str], tmp_path: Path) -> None:
    report, said = learn(thalweg, tmp_path / "report.json", family, environment)
    assert said == ""
    learned = {entry["call"]: entry for entry in report["learned"] if entry["calls"] > 100}
    assert set(learned) == {"alltoall", "alltoallv", "allgather"}
    assert learned["alltoall"]["bytes"] == 64
    assert learned["allgather"]["bytes"] == 4096
    # Two of three others get something, of that size.
    assert learned["alltoallv"]["bytes"] == 2048
    assert learned["alltoallv"]["degree"] == 2
    for entry in learned.values():
        [native, first, *_] = entry["trials"]
        assert native["candidate"] == "native"
        assert native["measured_s"] > 0
        assert first["measured_s"] > 0


@pytest.mark.parametrize("family", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_what_is_learned_is_kept(thalweg: Command, family: str, environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "folder" / "tuning.toml"
    words = ("--tuning", str(file))
    report, _ = learn(thalweg, tmp_path / "one.json", family, environment, *words, phases=SEARCHED, ranks=2)
    [entry] = report["learned"]
    assert entry["searched"]
    [tuning] = _core.load_tuning(str(file))
    [pick] = tuning.picks
    assert (pick.call, pick.ranks, pick.nodes, pick.bytes, pick.source) == ("allgather", 2, 1, 8, "online")
    assert pick.use == entry["use"]
    assert pick.native_seconds > 0
    again, said = learn(
        thalweg, tmp_path / "two.json", family, environment, *words, "--verbose", phases=SEARCHED, ranks=2
    )
    assert f"tuning file {file}: 1 pick" in said
    [entry] = again["learned"]
    if pick.use != "native":
        assert entry["trials"][1]["candidate"] == pick.use


@FAMILIES
def test_all_ranks_run_the_same(thalweg: Command, family: str, environment: dict[str, str], tmp_path: Path) -> None:
    report, _ = learn(thalweg, tmp_path / "report.json", family, environment)
    endings = [ending for call in report["calls"] for ending in call["ran_on"] if call["callers"] == 4]
    assert len({ending["strategy"] for ending in endings}) > 2
    assert all(ending["calls"] % 4 == 0 for ending in endings), endings


def test_nothing_is_learned_unless_wanted(thalweg: Command, environment: dict[str, str], tmp_path: Path) -> None:
    report, _ = learn(thalweg, tmp_path / "report.json", "openmpi", environment, "--learn", "off")
    assert report["learned"] == []
    assert {ending["strategy"] for call in report["calls"] for ending in call["ran_on"]} == {"native"}
    assert not (Path(environment["HOME"]) / ".local").exists()


def test_the_users_own_algorithms_come_first(
    thalweg: Command, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(environment, "OMPI_MCA_coll_tuned_use_dynamic_rules", "1")
    monkeypatch.setitem(environment, "OMPI_MCA_coll_tuned_alltoall_algorithm", "2")
    report, _ = learn(thalweg, tmp_path / "report.json", "openmpi", environment)
    assert report["learned"] == []


def test_strategies_chosen_by_name_stay(thalweg: Command, environment: dict[str, str], tmp_path: Path) -> None:
    report, _ = learn(thalweg, tmp_path / "report.json", "openmpi", environment, "--use", "allgather=ring")
    ran = {call["function"]: {ending["strategy"] for ending in call["ran_on"]} for call in report["calls"]}
    assert ran["MPI_Allgather"] == {"ring"}
    assert len(ran["MPI_Alltoall"]) > 1


def test_a_file_that_cannot_be_written_harms_nothing(
    thalweg: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    path = tmp_path / "file" / "tuning.toml"
    report = tmp_path / "report.json"
    _, said = learn(thalweg, report, "openmpi", environment, "--tuning", str(path), phases=SEARCHED, ranks=2)
    assert "what was learned is lost" in said
    assert str(path.parent) in said


def write_pick(file: Path, report: Any, call: str, ranks: int, use: str, *, source: str = "online, unfinished") -> None:
    """Put what an earlier program is said to have learned for 8 bytes into the tuning file of a report's job."""
    pick = _core.Pick()
    pick.call, pick.ranks, pick.nodes, pick.bytes, pick.use, pick.source = call, ranks, 1, 8, use, source
    tuning = _core.Tuning()
    tuning.machine = _core.Fingerprint([row["value"] for row in report["fingerprint"]])
    tuning.picks = [pick]
    _core.save_tuning(str(file), tuning)


def ran_on(report: Any, function: str) -> set[str]:
    """Name the strategies that ran a function's calls."""
    return {ending["strategy"] for call in report["calls"] if call["function"] == function for ending in call["ran_on"]}


@pytest.mark.parametrize("ranks", [2, 4])
def test_floating_point_is_left_alone_unless_wanted(
    thalweg: Command, environment: dict[str, str], tmp_path: Path, ranks: int
) -> None:
    """Neither this run's learning nor what whole numbers have taught an earlier one changes bits.

    What the tuner found holds for sums, whose last digits it may change, and not for maxima.
    """
    report = tmp_path / "report.json"
    file = tmp_path / "tuning.toml"

    def run(mode: str, phase: str) -> Any:
        words = ("--tuning", str(file), "--learn", mode)
        return learn(thalweg, report, "openmpi", environment, *words, phases=[phase], ranks=ranks)[0]

    first = run("exact", "allreduce:8:2000")
    assert len(ran_on(first, "MPI_Allreduce")) > 1
    write_pick(file, first, "allreduce", ranks, "ring")
    for phase in ("sum:8:300", "maximum:8:300"):
        alone = run("exact", phase)
        assert ran_on(alone, "MPI_Allreduce") == {"native"}
        assert alone["learned"] == []
        assert "ring" in ran_on(run("all", phase), "MPI_Allreduce")
    file.unlink()
    write_pick(file, first, "allreduce", ranks, "ring", source="tune")
    assert ran_on(run("exact", "sum:8:100"), "MPI_Allreduce") == {"ring"}
    assert ran_on(run("exact", "maximum:8:100"), "MPI_Allreduce") == {"native"}


def test_a_pick_that_cannot_do_the_calls_stands_in_nobodys_way(
    thalweg: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    """Neighbors can be exchanged among even numbers of ranks only: native runs, and others are tried."""
    report = tmp_path / "report.json"
    file = tmp_path / "tuning.toml"
    words = ("--tuning", str(file))
    first, _ = learn(thalweg, report, "openmpi", environment, *words, phases=["allgather:8:20"], ranks=3)
    file.unlink(missing_ok=True)
    write_pick(file, first, "allgather", 3, "neighbor_exchange")
    again, _ = learn(thalweg, report, "openmpi", environment, *words, phases=["allgather:8:600"], ranks=3)
    [entry] = [entry for entry in again["learned"] if entry["call"] == "allgather"]
    assert entry["trials"][1]["candidate"] == "neighbor_exchange"
    others = entry["trials"][2:]
    assert any("measured_s" in trial for trial in others), others
    assert not any(trial["outcome"] == "cannot do these calls" for trial in others), others
