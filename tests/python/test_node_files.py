# SPDX-License-Identifier: BSD-3-Clause
"""Files of a job's nodes are read, or what is wrong in them is said with its line."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import examples
from thalweg.errors import ThalwegError
from thalweg.machine.node_files import Nodes, read_names_or_nodes, read_nodes


def written(folder: Path, text: str) -> str:
    """Write a file, and give its name."""
    file = folder / "nodes.txt"
    file.write_text(text)
    return str(file)


@given(st.one_of(st.binary(max_size=60), st.text("0123456789,[]n-# \n.x", max_size=60).map(str.encode)))
@settings(max_examples=examples(300))
def test_any_file_is_read_or_explained(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any-nodes.txt"
    file.write_bytes(content)
    for read in (read_nodes, read_names_or_nodes):
        try:
            read(str(file))
        except ThalwegError as error:
            assert str(file) in error.message
            assert error.remedy


def test_names_are_read(tmp_path: Path) -> None:
    named = read_names_or_nodes(written(tmp_path, "n[1-2] login # two racks\n\nn7\n"))
    assert isinstance(named, list)
    assert [(one.name, one.place.line) for one in named] == [("n1", 1), ("n2", 1), ("login", 1), ("n7", 3)]
    assert isinstance(read_names_or_nodes(written(tmp_path, "1 2\n3,4\n")), Nodes)


def test_a_list_of_names_is_no_file() -> None:
    named = read_names_or_nodes("n[003-005],login")
    assert isinstance(named, list)
    assert [one.name for one in named] == ["n003", "n004", "n005", "login"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no nodes in it"),
        ("1 2\n3 4\n1", "txt:3: 1 coordinates, and 2 before"),
        ("4 4 3\n0 0\n1 1\n", "txt:1: 3 nodes, and 2 follow"),
        ("a b", "txt:1: 'a' is no node's number"),
    ],
)
def test_nodes_that_are_none_are_explained(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ThalwegError, match=message):
        read_nodes(written(tmp_path, text))


def test_nodes_are_read(tmp_path: Path) -> None:
    nodes = read_nodes(written(tmp_path, "4 5 2\n0 1 # first\n3 4\n"))
    assert nodes.extents == (4, 5)
    assert nodes.coordinates.tolist() == [[0, 1], [3, 4]]
    assert read_nodes(written(tmp_path, "4 5\n3 4\n")).extents == ()
