# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg lab run` takes every option of `thalweg run`, and ranks get what was said."""

import errno
import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg.errors import NOT_EXECUTABLE, NOT_FOUND, PROGRAM, Status, ThalwegError
from thalweg.lab import network
from thalweg.lab.hosts import checked
from thalweg.lab.launch import run_words
from thalweg.launch.arguments import read_arguments
from thalweg.rules.loading import LibraryRules
from thalweg.settings.options import OPTIONS, Option

SAMPLES = {
    "selections": [
        "allreduce=ring",
        "alltoall=bruck:radix=4",
        "allreduce=ring;barrier=native",
        "allgather=ring,scan=chain",
    ],
    "microseconds": ["0", "7", "100000"],
    "percent": ["0", "2", "100"],
    "mebibytes": ["1", "8"],
    "file": ["f", "a folder/it's", "/an/absolute/path"],
    "tuning": ["off", "f", "/an/absolute/path"],
    "place": ["auto", "off", "/a/file"],
    "mpi": ["openmpi"],
}


def _words_of_options(options: Iterable[Option]) -> st.SearchStrategy[list[str]]:
    def words_of_one(option: Option) -> st.SearchStrategy[list[str]]:
        if option.kind == "switch":
            return st.sampled_from([[option.flag], [option.negation]])
        flags = [option.flag, *([option.short] if option.short else [])]
        return st.tuples(st.sampled_from(flags), st.sampled_from(SAMPLES.get(option.kind) or option.choices)).map(list)

    parts = st.tuples(*map(words_of_one, options), st.sampled_from([[], ["--dry-run"]]))
    return parts.map(lambda found: [word for part in found for word in part])


@given(words=st.sets(st.sampled_from(OPTIONS)).flatmap(_words_of_options))
def test_a_labs_ranks_get_every_option(words: list[str]) -> None:
    """The command that runs on a host has all that the user said, and the launcher behind it."""
    started: list[list[str]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thalweg.lab.launch.require_root", lambda: None)
        patch.setattr("thalweg.lab.launch.saved", lambda name: checked(name, 2, "1gbit", "star"))
        patch.setattr("thalweg.lab.launch.check_settings", lambda _: None)
        patch.setattr("thalweg.lab.launch.write_library_rules", lambda *_: LibraryRules({}, ""))
        patch.setattr("thalweg.lab.launch.os.execve", lambda _path, words, _environment: started.append(words))
        run_words(["-n", "4", "--name", "lab", *words, "--mpi", "mpich", "--", "/bin/true", "--use", "it"])
    [[_, host, *quoted]] = started
    inner = shlex.split(" ".join(quoted))
    assert (host, inner[1:4]) == ("lab-h0", ["-m", "thalweg", "run"])
    found = read_arguments(inner[4:])
    expected = read_arguments([*words, "--mpi", "mpich", "p"])
    assert (found.flags, found.dry_run, found.ranks) == (expected.flags, expected.dry_run, 0)
    assert "mpirun" in found.command[0]
    assert found.command[-5:] == ("-n", "4", "/bin/true", "--use", "it")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Give the commands that are started on hosts of a lab of two, which nobody has to make."""
    found: list[list[str]] = []
    monkeypatch.setattr("thalweg.lab.launch.require_root", lambda: None)
    monkeypatch.setattr("thalweg.lab.launch.saved", lambda name: checked(name, 2, "1gbit", "star"))
    monkeypatch.setattr("thalweg.lab.launch.os.execve", lambda _path, words, _environment: found.append(words))
    return found


@pytest.mark.parametrize(("mpi", "may_hang"), [("mpich", True), ("openmpi", False)])
def test_who_may_hang_on_hosts_is_named(
    mpi: str, *, may_hang: bool, started: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Debian's MPICH does so natively: nobody is to look for it in a program."""
    for native in ([], ["--native"]):
        run_words(["--name", "lab", *native, "-n", "2", "--mpi", mpi, "--", "/bin/true"])
        said = capsys.readouterr().err
        assert ("may hang in MPI_Finalize on several hosts (docs/lab.md); thalweg lab down ends it" in said) == may_hang
    run_words(["--name", "lab", "-n", "1", "--mpi", mpi, "--", "/bin/true"])
    assert "may hang" not in capsys.readouterr().err
    assert len(started) == 3


@pytest.mark.parametrize(
    ("word", "status", "problem"),
    [
        ("./missing", NOT_FOUND, "./missing: there is no such program"),
        ("/etc", NOT_EXECUTABLE, "/etc is a directory"),
        ("/bin/true", PROGRAM, "/bin/true is no MPI program: neither it nor its libraries need an MPI library"),
    ],
)
@pytest.mark.usefixtures("started")
def test_what_is_no_program_is_said_as_run_says_it(word: str, status: Status, problem: str) -> None:
    with pytest.raises(ThalwegError) as error:
        run_words(["--name", "lab", "-n", "2", "--", word])
    assert (error.value.status, error.value.message) == (status, problem)
    named = ["--mpi", "openmpi", "--", word]
    if status is not PROGRAM:
        with pytest.raises(ThalwegError, match=re.escape(problem)):
            run_words(["--name", "lab", "-n", "2", *named])


def test_a_folder_that_cannot_be_removed_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As where something is mounted there. What is the lab's own goes."""
    netns = tmp_path / "netns"
    (netns / "lab-h0").mkdir(parents=True)

    def busy(path: Path) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(path))

    monkeypatch.setattr(network, "NETNS", netns)
    monkeypatch.setattr(network, "require_root", lambda: None)
    monkeypatch.setattr(network, "folder_of", lambda name: tmp_path / "labs" / name)
    monkeypatch.setattr(network, "_namespaces", lambda _: [])
    monkeypatch.setattr(Path, "rmdir", busy)
    (tmp_path / "labs" / "lab").mkdir(parents=True)
    assert network.down("lab") == 0
    assert list(netns.iterdir()) == []
    assert list((tmp_path / "labs").iterdir()) == []
