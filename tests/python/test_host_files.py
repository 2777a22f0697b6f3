# SPDX-License-Identifier: BSD-3-Clause
"""Names of hosts and nodes as batch systems write them, and where placements go."""

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from support import Command, examples
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.placement.host_files import read_hosts
from thalweg.placement.machine import read_slots

FOUR = ["n1", "n2", "n3", "n4"]


@pytest.mark.parametrize(
    "text",
    [
        "n1\nn2\nn3\nn4\n",
        "n1\nn1\nn2\nn2\nn3\nn3\nn4\nn4\n",
        "n1\nn2\nn3\nn4\nn1\nn2\nn3\nn4\n",
        "# Open MPI's\nn1 slots=2\nn2 slots=2\nn3  slots=2 # last\nn4 slots=2 max_slots=4\n",
        "n1:2\nn2:2 ifname=ib0\nuser@n3:2\nn4\n",
        "\ufeffn1\r\nn2\r\n\r\n  n3\t\r\nn4",
        "n1 2 n2 2 n3 2 n4 2\n",
        "n[1-4]\n",
        "n1,n[2-3],n4\n",
        "n1\nn2\nn3\nn4\nn1.cluster.org\n",
    ],
)
def test_hosts_are_named_once_each(tmp_path: Path, text: str) -> None:
    (tmp_path / "hosts").write_text(text)
    assert read_hosts(str(tmp_path / "hosts"), 4) == FOUR


def test_addresses_are_hosts_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("10.0.0.1:2\n10.0.0.2\n")
    assert read_hosts(str(tmp_path / "hosts"), 2) == ["10.0.0.1", "10.0.0.2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n1\nn2\n", ": names of 2 hosts, for 4 nodes"),
        ("n1\nn2\nn1\nn3\n", ": names of 3 hosts, of which n1 comes 2 times, for 4 nodes"),
        ("n[1-5]\n", ": names of 5 hosts, for 4 nodes"),
        ("", ": names of 0 hosts, for 4 nodes"),
        ("n1\n<hosts>\n", ":2: '<hosts>' names no host"),
        ("4\nn1\n", ":1: '4' names no host"),
        ("n1\nn[2-4\n", ":2: the list of names 'n[2-4'"),
        ("n1 n2=3\n", ":1: 'n1 n2=3' names no host"),
    ],
)
def test_hosts_are_refused_with_the_reason(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "hosts"
    path.write_text(text)
    with pytest.raises(ThalwegError) as caught:
        read_hosts(str(path), 4)
    assert caught.value.message.startswith(f"{path}{said}")
    assert caught.value.remedy


@given(content=st.one_of(st.binary(max_size=40), st.text("n1[]-,:@=# \n<\t", max_size=40).map(str.encode)))
@settings(max_examples=examples(300))
def test_any_bytes_are_hosts_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "hosts"
    path.write_bytes(content)
    try:
        assert len(set(read_hosts(str(path), 1))) == 1
    except ThalwegError as error:
        assert error.message.startswith(str(path))
        assert error.remedy


GRAPH = "node n0 n1 n2 n3 n4 n5 n6 n7\nswitch s0 s1\nlink n[0-3] s0\nlink n[4-7] s1\nlink s0 s1 2\n"


def test_nodes_of_graphs_are_given_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "net").write_text(GRAPH)
    for text in ("n0\nn3\nn5\nn7\n", "n[0,3]\nn[5,7]\n", "n0,n3,n5,n7.cluster\n"):
        (tmp_path / "nodes").write_text(text)
        slots = read_slots(f"graph:{tmp_path / 'net'}", str(tmp_path / "nodes"))
        assert slots.nodes.tolist() == [0, 3, 5, 7]
    for text, said in (("n0\nn9\n", ":2: n9 is no node"), ("n0\n\nn0\n", ":3: node n0 comes twice")):
        (tmp_path / "nodes").write_text(text)
        with pytest.raises(ThalwegError, match=said):
            read_slots(f"graph:{tmp_path / 'net'}", str(tmp_path / "nodes"))
    with pytest.raises(ThalwegError, match="n0 is no node of torus:4x4"):
        read_slots("torus:4x4", str(tmp_path / "nodes"))


def test_the_hottest_link_says_the_bytes_it_carries(tmp_path: Path, thalweg: Command) -> None:
    (tmp_path / "net").write_text(GRAPH)
    np.savetxt(tmp_path / "cross.csv", 100 * np.eye(8, k=4), fmt="%d", delimiter=",")
    words = ("place", "map", "cross.csv", "--machine", "graph:net", "--seconds", "0", "--explain", "--draw")
    done = thalweg(*words, cwd=tmp_path)
    assert "link s0 to s1 carries 400 bytes at a capacity of 2; 33.3 % of all links' bytes" in done.stdout
    drawn = [line for line in done.stdout.splitlines() if line.startswith("  s0 to s1 ")]
    assert [line.split()[-2:] for line in drawn] == [["400", "bytes"]]


def test_what_other_jobs_send_counts_in_all_tables(tmp_path: Path, thalweg: Command) -> None:
    (tmp_path / "a.csv").write_text("0,100,0,0\n100,0,0,0\n0,0,0,100\n0,0,100,0\n")
    (tmp_path / "base").write_text("(0)+x 5000 # others\n")
    words = (
        "place",
        "map",
        "a.csv",
        "--machine",
        "mesh:4",
        "--base-load",
        "base",
        "--proposals",
        "100",
        "--objective",
        "link",
    )
    done = thalweg(*words, "--compare", "--explain", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "link (0)+x carries 5" in done.stdout
    assert "other jobs: 5000 bytes" in done.stdout
    compared = done.stdout.partition("\n\n")[2].partition("\n\n")[0].splitlines()[1:]
    assert len(compared) > 5
    assert all(float(row[14:].split()[1]) >= 5000 for row in compared)


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    (tmp_path / "ring.csv").write_text("0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n")
    (tmp_path / "hosts").write_text("n[1-4]\n")
    return tmp_path


def test_a_placement_goes_where_it_is_asked_for(ring: Path, thalweg: Command) -> None:
    common = ("place", "map", "ring.csv", "--machine", "torus:2x2", "--proposals", "10")
    table = thalweg(*common, cwd=ring)
    assert "hop-bytes" in table.stdout
    assert not any(line.isdigit() for line in table.stdout.splitlines())
    for words in (("--format", "slurm-hostfile", "--hosts", "hosts"), ("--format", "list"), ("-o", "-")):
        piped = thalweg(*common, *words, cwd=ring)
        assert len(piped.stdout.splitlines()) == 4, piped.stdout
        assert "hop-bytes" in piped.stderr
    assert sorted(thalweg(*common, "--format", "slurm-hostfile", "--hosts", "hosts", cwd=ring).stdout.split()) == FOUR


@pytest.mark.parametrize(
    "words",
    [
        ("--format", "pbs"),
        ("--format", "slurm-hostfile"),
        ("--hosts", "none"),
        ("--hosts", "ring.csv"),
        ("-o", "no/folder/file"),
        ("-o", "."),
        ("--plot", "no/folder/a.svg"),
        ("--plot", "a.png"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_search(
    ring: Path, thalweg: Command, words: tuple[str, ...]
) -> None:
    done = thalweg("place", "map", "ring.csv", "--machine", "torus:2x2", "--seconds", "100000", *words, cwd=ring)
    assert done.returncode == SETTINGS.number
    assert "Traceback" not in done.stderr
