# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong while tuning loses nothing and harms nothing: kills, full disks, read-only homes, two at a time."""

import contextlib
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support import Command, Programs
from thalweg import _core
from thalweg.errors import SETTINGS

MACHINE = _core.default_machine().to_text()
# Mounts of a test are its own and end with it; a user without privileges cannot make them.
NEEDS_MOUNTS = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Give what tunes few cases quickly, without a probe."""
    machine = tmp_path / "machine.toml"
    machine.write_text(MACHINE)
    return ["tune", "--mpi", "mpich", "-n", "2", "--budget", "120s", "--no-library", "--machine", str(machine)]


def _picks(file: Path) -> set[tuple[str, int]]:
    return {(pick.call, pick.bytes) for one in _core.load_tuning(str(file)) for pick in one.picks}


def _old_file(file: Path) -> str:
    """Write a tuning file of another machine, and give its text."""
    tuning = _core.Tuning()
    tuning.machine = _core.Fingerprint(["an old processor", "4", "none", "6.1", "an MPI", "default", "1", "2"])
    pick = _core.Pick()
    pick.call, pick.ranks, pick.nodes, pick.bytes, pick.use, pick.source = "scan", 2, 1, 8, "native", "tune"
    tuning.picks = [pick]
    _core.save_tuning(str(file), tuning)
    return file.read_text()


def _start(words: list[str], environment: dict[str, str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "thalweg", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _under_mount(
    options: str, folder: Path, words: list[str], environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    """Start the command where a tmpfs with these options lies over a folder, holding what the folder held."""
    command = shlex.join([sys.executable, "-m", "thalweg", *words])
    place = shlex.quote(str(folder))
    script = (
        f"cp -a {place} {place}.kept && mount -t tmpfs none {place} && cp -a {place}.kept/. {place} "
        f"&& mount -o remount,{options} {place}; {command}; status=$?; rm -rf {place}.kept/*; "
        f"cp -a {place}/. {place}.kept; exit $status"
    )
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (2, 3))])
def test_a_killed_search_leaves_the_file_whole(
    thalweg: Command, words: list[str], environment: dict[str, str], tmp_path: Path, seed: int
) -> None:
    file = tmp_path / "tuning.toml"
    _old_file(file)
    before = _picks(file)
    words += ["--ops", "barrier,allreduce,broadcast", "--bytes", "8,64", "--tuning", str(file)]
    process = _start(words, environment)
    delay_s = random.Random(seed).uniform(0, 4)
    time.sleep(delay_s)
    process.kill()
    process.communicate()
    assert before <= _picks(file), f"killed after {delay_s:.2f} s"
    assert not list(tmp_path.glob("*.refused"))
    # A lock that a killed search held is no hindrance.
    result = thalweg("tune", *words[1:-6], "--ops", "barrier", "--tuning", str(file))
    assert result.returncode == 0, result.stderr
    assert before | {("barrier", 0)} <= _picks(file)


def _trial_jobs(environment: dict[str, str]) -> list[str]:
    """List the processes of trial jobs that this test has started: those with its folder in their environment."""
    wanted = f"XDG_CACHE_HOME={environment['XDG_CACHE_HOME']}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_trial = b"thalweg-trial-" in (process / "cmdline").read_bytes()
            if is_trial and wanted in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
    return found


def _wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_a_search_that_is_told_to_end_takes_its_jobs_along(
    words: list[str], environment: dict[str, str], tmp_path: Path, family: str, number: signal.Signals
) -> None:
    words[2] = family
    words += ["--ops", "allreduce", "--exhaustive", "--budget", "60s", "--tuning", str(tmp_path / "tuning.toml")]
    # A search that an earlier test killed leaves its last job behind for a while.
    _wait_for(lambda: not _trial_jobs(environment), "an earlier job goes on")
    process = _start(words, environment)
    _wait_for(lambda: len(_trial_jobs(environment)) > 0, "no job begins")
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == 128 + number
    _wait_for(lambda: not _trial_jobs(environment), "the job goes on")


def test_a_search_that_is_interrupted_keeps_what_it_found(
    words: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "tuning.toml"
    words += ["--ops", "barrier,allreduce", "--bytes", "8,64", "--exhaustive", "--tuning", str(file)]
    process = _start(words, environment)
    _wait_for(lambda: file.exists() and ("barrier", 0) in _picks(file), "no case is found")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert "stopped" in errors, errors
    assert str(file) in errors, errors
    assert ("barrier", 0) in _picks(file)
    _wait_for(lambda: not _trial_jobs(environment), "the job goes on")


@NEEDS_MOUNTS
def test_a_full_disk_is_told_and_the_old_file_stays(
    words: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    text = _old_file(folder / "tuning.toml")
    (folder / "ballast").write_bytes(bytes(16 << 10))
    # Pages for the folder's files as they are, and none for more.
    pages = sum(-(-path.stat().st_size // 4096) for path in folder.iterdir())
    words += ["--ops", "barrier", "--tuning", str(folder / "tuning.toml")]
    result = _under_mount(f"size={4 * pages}k", folder, words, environment)
    assert result.returncode == SETTINGS.number, result.stderr
    assert "No space left on device" in result.stderr
    assert "nothing was changed" in result.stderr
    after = folder.with_name("disk.kept")
    assert (after / "tuning.toml").read_text() == text
    assert not list(after.glob("*.new"))


@NEEDS_MOUNTS
def test_a_read_only_home_is_told_and_runs_go_on(
    words: list[str], programs: Programs, environment: dict[str, str]
) -> None:
    home = Path(environment["HOME"])
    file = home / ".local" / "share" / "thalweg" / "tuning.toml"
    file.parent.mkdir(parents=True)
    text = _old_file(file)
    result = _under_mount("ro", home, [*words, "--ops", "barrier"], environment)
    assert result.returncode == SETTINGS.number, result.stderr
    assert "Read-only file system" in result.stderr
    assert "nothing was changed" in result.stderr
    assert file.read_text() == text
    run = _under_mount("ro", home, ["run", "-n", "2", "--", programs.mpich()], environment)
    assert run.returncode == 0, run.stderr
    assert "is of other machines or jobs" in run.stderr


def test_two_searches_at_once_lose_nothing(words: list[str], environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "tuning.toml"
    _old_file(file)
    before = _picks(file)
    searches = [
        _start([*words, "--ops", operations, "--bytes", "8", "--tuning", str(file)], environment)
        for operations in ("barrier,allreduce", "broadcast,allreduce")
    ]
    for search in searches:
        _, errors = search.communicate(timeout=240)
        assert search.returncode == 0, errors
    assert _picks(file) == before | {("barrier", 0), ("allreduce", 8), ("broadcast", 8)}
    assert sorted(path.name for path in tmp_path.glob("tuning.toml*")) == ["tuning.toml", "tuning.toml.lock"]


def test_a_damaged_file_is_kept_and_told(thalweg: Command, words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "tuning.toml"
    text = _old_file(file)[:-20]
    file.write_text(text)
    result = thalweg(*words, "--ops", "barrier", "--tuning", str(file))
    assert result.returncode == 0, result.stderr
    assert _picks(file) == {("barrier", 0)}
    assert file.with_name("tuning.toml.refused").read_text() == text
    assert "tuning.toml.refused" in result.stderr
