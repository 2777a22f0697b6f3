# SPDX-License-Identifier: BSD-3-Clause
"""Files that a command line names: pipes, nodes that are none, and disks that are full."""

from pathlib import Path

import pytest

from support import Command
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.placement.files import read_pattern
from thalweg.placement.machine import read_slots
from thalweg.simulation.placed import read_placement

TABLE = "0 5 0\n5 0 2\n0 2 0\n"
FORMS = {
    "table": TABLE,
    "matrix": "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 5\n3 2 2\n",
    "json": '{"format": "thalweg-pattern", "version": 1, "ranks": 3, "phases": [{"name": "1", "repeats": 1, "sent": '
    "[[0, 1, 5, 1], [1, 0, 5, 1], [1, 2, 2, 1], [2, 1, 2, 1]]}]}",
    "recorded": "thalweg-pattern 1\nranks 3\nsite call MPI_Send a.c:1\nphase 1 1\n0 1 5 1 0\n1 0 5 1 0\n1 2 2 1 0\n"
    "2 1 2 1 0\n",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_patterns_come_from_pipes(thalweg: Command, tmp_path: Path, text: str) -> None:
    """A pipe has no ending, is read once, and says by its first line what it holds."""
    (tmp_path / "fed").write_text(text)
    assert read_pattern(str(tmp_path / "fed")).matrix().toarray().tolist() == [[0, 5, 0], [5, 0, 2], [0, 2, 0]]
    result = thalweg("place", "map", "/dev/stdin", "--machine", "ring:3", "--seconds", "0", cwd=tmp_path, stdin=text)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("3 ranks on 3 slots of ")
    damaged = thalweg("place", "map", "/dev/stdin", "--machine", "ring:3", stdin=text + "some words\n")
    assert damaged.returncode == SETTINGS.number
    assert damaged.stderr.startswith("thalweg: /dev/stdin:"), damaged.stderr


def test_figures_of_a_placement_have_units(thalweg: Command, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(TABLE)
    words = ("place", "map", "p.csv", "--machine", "ring:3", "--seconds", "0", "--compare")
    lines = [line.split() for line in thalweg(*words, cwd=tmp_path).stdout.splitlines()]
    assert ["hop-bytes,", "B", "14", "14", "1.00"] in lines
    assert ["link,", "B", "5", "5", "1.00"] in lines
    assert any(line[:1] == ["time"] and line[2] == line[4] == "us" for line in lines)
    assert ["hops", "per", "byte", "link,", "B", "contention,", "B"] in lines


WRONG_NODES = [
    ("torus:2x2", "0\n\n1 # here\n1\n", 4, "node 1 comes twice"),
    ("torus:2x2", "0 0\n1 0\n0 0\n", 3, "node 0 0 comes twice"),
    ("torus:2x2", "3\n2\n4\n9\n", 3, "node 4 is outside of torus:2x2"),
    ("torus:2x2", "0 1\n1 1\n# one too far\n0 2\n", 4, "0 2, outside of torus:2x2"),
    ("torus:2x2x2", "0 1\n1 1\n", 1, "torus:2x2x2"),
]


@pytest.mark.parametrize("wrong", WRONG_NODES)
def test_nodes_that_are_none_are_refused_with_their_line(
    thalweg: Command, tmp_path: Path, wrong: tuple[str, str, int, str]
) -> None:
    machine, text, line, problem = wrong
    nodes = tmp_path / "nodes.txt"
    nodes.write_text(text)
    (tmp_path / "loads").write_text("5 1 1\n")
    with pytest.raises(ThalwegError) as error:
        read_slots(machine, str(nodes))
    assert (error.value.status, bool(error.value.remedy)) == (SETTINGS, True)
    assert error.value.message.startswith(f"{nodes}:{line}: ")
    assert problem in error.value.message
    for words in (
        ("balance", "loads", "--machine", machine),
        ("simulate", "allreduce", "ring", "-n", "2", "--machine", machine),
    ):
        said = thalweg(*words, "--nodes", str(nodes), cwd=tmp_path)
        assert said.returncode == SETTINGS.number
        assert f"{nodes}:{line}: " in said.stderr, said.stderr


def test_a_machine_that_is_none_is_no_lines_fault(tmp_path: Path) -> None:
    (tmp_path / "nodes.txt").write_text("0\n1\n")
    with pytest.raises(ThalwegError, match="^'tours:4' is no shape"):
        read_slots("tours:4", str(tmp_path / "nodes.txt"))


WRITERS = [
    ("place", "map", "fed.csv", "--machine", "torus:300x300", "--seconds", "3600", "--output"),
    ("place", "map", "fed.csv", "--machine", "torus:300x300", "--seconds", "3600", "--plot"),
    ("machine", "probe", "-n", "2", "--plot"),
    ("machine", "topology.conf", "--output"),
    ("tune", "-n", "2", "--figures"),
    ("tune", "export", "--format", "openmpi", "-n", "2", "--output"),
    ("tune", "export", "--format", "mpich", "-n", "2", "-o"),
    ("tune", "export", "--format", "openmpi", "-n", "2", "-o", "rules", "--figures"),
    ("simulate", "alltoall", "pairwise", "-n", "8192", "--plot"),
    ("simulate", "--trace", "none.trace", "--write-goal"),
    ("simulate", "network", "--network", "torus:64x64x64", "--pattern", "uniform", "--plot"),
    ("bench", "simulate", "--json"),
    ("bench", "model", "--plot"),
]


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_what_cannot_be_written_is_refused_before_the_work(
    thalweg: Command, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Each of these takes minutes, or asks for what is not there."""
    for path, reason in (("no/folder/file", f"there is no folder {tmp_path}/no/folder"), (".", "it is a folder")):
        done = thalweg(*words, path, cwd=tmp_path)
        assert done.returncode == SETTINGS.number
        assert done.stderr == f"thalweg: {path} cannot be written: {reason}\n  name a file to write\n"
        assert done.stdout == ""


def test_a_tuning_file_that_cannot_be_written_is_refused_before_the_search(thalweg: Command, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, reason in (("file/tuning.toml", f"there is no folder {tmp_path}/file"), (".", "it is a folder")):
        done = thalweg("tune", "-n", "2", "--tuning", path, cwd=tmp_path)
        assert done.returncode == SETTINGS.number
        assert done.stderr.startswith(
            f"thalweg: {path} cannot be written: {reason}\n  nothing was changed; name another file: "
        )


@pytest.mark.parametrize(
    "words",
    [
        ("place", "map", "fed.csv", "--machine", "ring:3", "--seconds", "0", "--output"),
        ("place", "map", "fed.csv", "--machine", "ring:3", "--seconds", "0", "--plot"),
        ("machine", "topology.conf", "--output"),
        ("simulate", "allreduce", "ring", "-n", "4", "--plot"),
    ],
    ids=" ".join,
)
def test_a_full_disk_has_its_remedy(thalweg: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "fed.csv").write_text(TABLE)
    (tmp_path / "topology.conf").write_text("SwitchName=s0 Nodes=n[0-3]\n")
    done = thalweg(*words, "/dev/full", cwd=tmp_path)
    assert done.returncode == SETTINGS.number
    said = "thalweg: /dev/full cannot be written: No space left on device\n  free some space there, or name a file"
    assert said in done.stderr


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", ":1: no slots in it"),
        ("# all gone\n", ":1: no slots in it"),
        ("0\n1\n\n1\n", ":4: slot 1 comes twice"),
        ("0 1 x", ":1: 'x' is no slot"),
    ],
)
def test_a_placement_that_is_none_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "slots").write_text(text)
    with pytest.raises(ThalwegError) as error:
        read_placement(str(tmp_path / "slots"))
    assert error.value.message == f"{tmp_path / 'slots'}{problem}"
