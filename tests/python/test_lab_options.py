"""`thalweg lab run` takes every option of `thalweg run`, and ranks get what was said."""

import shlex
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
