# SPDX-License-Identifier: BSD-3-Clause
"""The walk of one MPI_Allreduce in docs/design.md names files that are there, and comes back to none a third time."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src"
# It is generated when the interposers are built.
GENERATED = {"entry_points.cpp"}


def walk() -> list[list[str]]:
    """Give the table's cells, row by row, without its head."""
    page = (ROOT / "docs" / "design.md").read_text()
    table = page[page.index("| step | first call of a kind |") :].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_it_has_both_ways() -> None:
    """Each step says what the first call does, and what later ones do."""
    assert len(walk()) > 5
    assert all(len(row) == 3 and all(row) for row in walk())


def test_its_files_exist() -> None:
    for name in {name for row in walk() for cell in row for name in re.findall(r"`([\w/]+(?:\.[ch]pp|\.py|/))`", cell)}:
        assert name in GENERATED or any((building / name).exists() for building in SOURCES.iterdir()), name


@pytest.mark.parametrize("column", [1, 2])
def test_no_file_is_returned_to_more_than_twice(column: int) -> None:
    """What "the same" stands for is counted too."""
    cells = [row[1] if row[column] == "the same" else row[column] for row in walk()]
    visits = Counter(name for cell in cells for name in re.findall(r"`([\w/]+\.[ch]pp)`", cell))
    assert visits
    assert max(visits.values()) <= 2, visits
