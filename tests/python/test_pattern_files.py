# SPDX-License-Identifier: BSD-3-Clause
"""What METIS graphs are checked for, line by line, and which matrix of QAPLIB's is taken."""

from pathlib import Path

import pytest

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.placement.files import read_pattern

GRAPHS = [
    ("", 1, "no first line with the numbers of vertices and edges"),
    ("% a comment\n\n", 1, "no first line with the numbers of vertices and edges"),
    ("3\n", 1, "'3' is no first line of a graph"),
    ("3 2 001 1 1\n", 1, "'3 2 001 1 1' is no first line of a graph"),
    ("3 2 002\n", 1, "format '002'"),
    ("3 2 0001\n", 1, "format '0001'"),
    ("3 two\n", 1, "'two' is no whole number"),
    ("3 2\n2\n1 3\n", 1, "3 vertices, and 2 lines follow"),
    ("% first\n3 2\n2\n1 3\n2\n\n1 2\n", 7, "a line behind those of 3 vertices"),
    ("3 2\n2\n1 4\n2\n", 3, "neighbor 4 of 3 vertices"),
    ("3 2\n2\n1 0\n2\n", 3, "neighbor 0 of 3 vertices"),
    ("3 2\n2\n1 3\n\n", 3, "neighbor 3 of vertex 2, which is none of its neighbors"),
    ("3 2\n2 2\n1 3\n2\n", 2, "vertex 1 has neighbor 2 twice or is its own"),
    ("3 2\n1\n1 3\n2\n", 2, "vertex 1 has neighbor 1 twice or is its own"),
    ("3 2 001\n2 5\n1 5 3\n2 7\n", 3, "a neighbor without a weight"),
    ("3 2 001\n2 5\n1 4 3 7\n2 7\n", 2, "the edge to 2 has weight 5, and 4 in line 3"),
    ("3 2 001\n2 0\n1 0 3 7\n2 7\n", 2, "an edge to 2 of weight 0"),
    ("3 2 001\n2 -5\n1 5 3 7\n2 7\n", 2, "'-5' is no whole number"),
    ("3 2 011 2\n1 1 2 5\n1\n1 1 2 7\n", 3, "1 numbers, and 2 come before the edges"),
    ("3 5\n2\n1 3\n2\n", 1, "5 edges, and 2 follow"),
    ("3 1\n2\n1 3\n2\n", 1, "1 edges, and 2 follow"),
]


@pytest.mark.parametrize(("text", "line", "problem"), GRAPHS)
def test_graphs_are_refused_as_graphchecker_does(tmp_path: Path, text: str, line: int, problem: str) -> None:
    path = tmp_path / "a.graph"
    for written in (text, text.replace("\n", "\r\n"), "\ufeff" + text):
        path.write_bytes(written.encode())
        with pytest.raises(ThalwegError) as error:
            read_pattern(str(path))
        assert error.value.status is SETTINGS
        assert error.value.message == f"{path}:{line}: {problem}"
        assert error.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        "3 2\n2\n1 3\n2\n",
        "% a comment\n\n3 2 000\n2\n1 3\n2\n\n",
        "3 2 1\n2 1\n1 1 3 1\n2 1\n",
        "3 2 110 2\n9 1 1 2\n9 1 1 1 3\n9 1 1 2\n",
        "3 2 011\n7 2 1\n7 1 1 3 1\n7 2 1\n",
    ],
)
def test_graphs_of_all_formats_are_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.metis").write_text(text)
    assert read_pattern(str(tmp_path / "a.metis")).matrix().toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


DISTANCES = "0 1 2\n1 0 1\n2 1 0\n"
FLOWS = "0 9 0\n9 0 4\n0 4 0\n"


@pytest.mark.parametrize(
    ("first", "second", "is_doubtful"),
    [(DISTANCES, FLOWS, False), (FLOWS, DISTANCES, True), (DISTANCES, DISTANCES, False), (FLOWS, FLOWS, False)],
)
def test_qaplibs_flows_are_the_second_matrix_and_that_is_said(
    tmp_path: Path, first: str, second: str, *, is_doubtful: bool
) -> None:
    """Some of its files have the distances there."""
    path = tmp_path / "a.dat"
    path.write_text(f"3\n\n{first}\n{second}")
    pattern = read_pattern(str(path))
    assert pattern.matrix().toarray().tolist() == [[float(one) for one in row.split()] for row in second.splitlines()]
    said = [f"{path}: the second matrix is taken as the flows, the first as distances"]
    if is_doubtful:
        said.append(f"{path}: but it is the second one that looks like distances: exchange the two if it is")
    assert pattern.remarks == said


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "no size at the beginning"),
        ("2.5 1 2", 1, "no size at the beginning"),
        (f"3\n{DISTANCES}{FLOWS}1\n", 8, "20 numbers, where a size and two matrices of it are expected"),
        (f"3\n{DISTANCES}", 4, "10 numbers, where a size and two matrices of it are expected"),
    ],
)
def test_instances_that_are_none_are_refused(tmp_path: Path, text: str, line: int, problem: str) -> None:
    (tmp_path / "a.dat").write_text(text)
    with pytest.raises(ThalwegError) as error:
        read_pattern(str(tmp_path / "a.dat"))
    assert error.value.message == f"{tmp_path / 'a.dat'}:{line}: {problem}"
