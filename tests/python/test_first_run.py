# SPDX-License-Identifier: BSD-3-Clause
"""Before the first run on a machine: who looks, once, and programs start whatever becomes of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import Command
from thalweg import _core
from thalweg.errors import ThalwegError
from thalweg.launch import first_run
from thalweg.launch.arguments import read_arguments
from thalweg.launch.first_run import look_first
from thalweg.launch.plan import make_plan
from thalweg.settings.layers import effective_settings
from thalweg.tune.setup import JOB_BYTES_MAX, SURE, cases_for

Looks = list[list[str]]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    """Give the commands that would have looked, on an idle machine of four cores."""
    seen: Looks = []

    def note(command: list[str], _: object) -> str:
        seen.append(command)
        return ""

    monkeypatch.setattr(first_run, "core_count", lambda: 4)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(first_run, "_failure_of", note)
    return seen


def start(folder: Path, *words: str, ranks: int = 2, **variables: str) -> None:
    environment = {"HOME": str(folder), **variables}
    arguments = read_arguments([*words, "--", "./app"])
    look_first("/lib/libmpi.so.40", ranks, effective_settings(arguments.flags, environment, str(folder)), environment)


def test_the_first_run_with_so_many_ranks_looks_once(looks: Looks, tmp_path: Path) -> None:
    for ranks in (2, 2, 4, 2, 4):
        start(tmp_path, ranks=ranks)
    assert [command[command.index("-n") + 1] for command in looks] == ["2", "4"]
    assert all(command[command.index("--tuning") + 1].startswith(str(tmp_path)) for command in looks)


@pytest.mark.parametrize(
    "words",
    [("--no-setup",), ("--learn", "off"), ("--tuning", "off"), ("--use", "alltoall=ring"), ("--disable",)],
    ids=" ".join,
)
def test_nobody_looks_where_it_would_not_be_used(looks: Looks, tmp_path: Path, words: tuple[str, ...]) -> None:
    start(tmp_path, *words)
    assert looks == []


def test_nobody_looks_where_ranks_share_cores_or_are_on_several_nodes(looks: Looks, tmp_path: Path) -> None:
    start(tmp_path, ranks=1)
    start(tmp_path, ranks=5)
    start(tmp_path, SLURM_JOB_ID="1", SLURM_TASKS_PER_NODE="1(x2)")
    start(tmp_path, THALWEG_SETUP="0")
    assert looks == []
    start(tmp_path, SLURM_JOB_ID="1", SLURM_TASKS_PER_NODE="2")
    assert len(looks) == 1


def test_a_busy_machine_is_looked_at_another_day(looks: Looks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (99.0, 99.0, 99.0))
    start(tmp_path)
    assert looks == []
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 99.0, 99.0))
    start(tmp_path)
    assert len(looks) == 1


@pytest.mark.parametrize(
    ("words", "ranks"),
    [
        (("mpirun.openmpi", "-np", "3", "./app"), 3),
        (("mpiexec.mpich", "-n", "2", "./app"), 2),
        (("mpirun.openmpi", "-np", "2", "--host", "a,b", "./app"), 0),
        (("mpiexec.mpich", "-f", "hosts", "-n", "2", "./app"), 0),
        (("mpirun.openmpi", "-n", "1", "./app", ":", "-n", "1", "./app"), 0),
    ],
)
def test_launchers_commands_say_how_many_ranks_they_start_here(words: tuple[str, ...], ranks: int) -> None:
    environment = {"PATH": os.environ["PATH"], "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    flavor = "openmpi" if "openmpi" in words[0] else "mpich"
    arguments = read_arguments(["--mpi", flavor, *words])
    plan = make_plan(arguments, effective_settings(arguments.flags, environment, "/"), environment)
    assert plan.ranks == ranks
    assert bool(plan.mpi) == bool(ranks)


def test_a_look_that_fails_or_hangs_delays_the_program_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first_run, "core_count", lambda: 4)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(first_run, "PATIENCE_S", 1)
    popen = subprocess.Popen
    programs = iter(["import sys; sys.exit('thalweg: no mpiexec')", "import time; time.sleep(1000)"])

    def started(command: list[str], **options: object) -> object:
        del command
        return popen([sys.executable, "-c", next(programs)], **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", started)
    start(tmp_path)
    assert "nothing was found out: thalweg: no mpiexec" in capsys.readouterr().err
    start(tmp_path, ranks=3)
    assert "it took more than 1 s" in capsys.readouterr().err
    start(tmp_path)
    assert capsys.readouterr().err == ""


def test_units_of_all_ranks_together_have_a_bound() -> None:
    assert {case.size for case in cases_for(2)} > {8, 64 << 10}
    assert all(case.size * 64 <= JOB_BYTES_MAX for case in cases_for(64))


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_only_the_surely_faster_is_kept_and_programs_begin_with_it(thalweg: Command, tmp_path: Path, mpi: str) -> None:
    file = tmp_path / "tuning.toml"
    done = thalweg("setup", "-n", "2", "--mpi", mpi, "--budget", "3s", "--tuning", str(file))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("next: ") or "next: " in done.stderr
    (known,) = _core.load_tuning(str(file))
    assert known.picks
    for pick in known.picks:
        assert pick.source == "setup"
        assert pick.use == "native" or pick.native_seconds >= SURE * pick.seconds


def test_a_look_replaces_nothing_that_is_known(thalweg: Command, tmp_path: Path) -> None:
    """Neither what a search has found, nor what programs have learned."""
    file = tmp_path / "tuning.toml"
    words = ("setup", "-n", "2", "--mpi", "openmpi", "--budget", "2s", "--tuning", str(file))
    assert thalweg(*words).returncode == 0
    (known,) = _core.load_tuning(str(file))
    first = known.picks[0]
    first.source, first.use = "tune", "native"
    known.picks = [first]
    _core.save_tuning(str(file), known)
    assert thalweg(*words).returncode == 0
    (after,) = _core.load_tuning(str(file))
    assert [pick.source for pick in after.picks if (pick.call, pick.bytes) == (first.call, first.bytes)] == ["tune"]


def test_an_mpi_that_is_not_there_is_an_error_of_the_command() -> None:
    from thalweg.tune.clock import Clock  # noqa: PLC0415
    from thalweg.tune.setup import Look, look  # noqa: PLC0415

    with pytest.raises(ThalwegError):
        look(Look("/nowhere/libmpi.so", 2, "/nowhere/tuning.toml", Clock(1)))
