# SPDX-License-Identifier: BSD-3-Clause
"""Halos of sparse matrices: the program's answers on one host, and rows of turns."""

import os
from pathlib import Path

import pytest

from support import Command
from thalweg.errors import ThalwegError
from thalweg.trials.compiler import compiled_program
from thalweg_labs.bench import neighborhoods
from thalweg_labs.bench.neighborhoods import Figures

_RANKS = "5"
_MATRICES = ("stencil2d:6", "stencil3d:3", "random:20:4", "power:20:4")
_WAYS = ("native", "direct", "colored", "colored:window=3", "node_aware", "node_aware:steps=2")


@pytest.mark.parametrize("matrix", _MATRICES)
def test_smoke_each_way_has_the_same_answer(thalweg: Command, matrix: str) -> None:
    """The program itself compares each value with the one that its rank should have got."""
    program = compiled_program("neighborhoods", [neighborhoods.PROGRAM], "openmpi", os.environ)
    answers = set()
    for way in _WAYS:
        options = [] if way == "native" else ["--use", f"neighbor_alltoallv={way}"]
        done = thalweg("run", "--no-summary", *options, "-n", _RANKS, "--", program, "mpi", matrix, "2", "2", "3")
        assert done.returncode == 0, done.stderr
        answers.add(tuple(done.stdout.split()[-3:]))
    assert len(answers) == 1
    assert float(answers.pop()[0]) > 0


def test_strategies_stand_beside_all_peers() -> None:
    """Each strategy has a row for each peer, and the fastest a row with the fastest."""
    times = {"native": (4e-6, 8e-6), "locality": (2e-6, 4e-6), "direct": (2e-6, 2e-6), "colored": (1e-6, 4e-6)}
    found = {way: [Figures(seconds, 3, 64, "1") for seconds in both] for way, both in times.items()}
    rows = neighborhoods.rows_of("random:20:4", found, ["native", "locality"])
    assert [row["case"].rsplit(": ", 1)[1] for row in rows] == [
        *("direct", "direct", "colored", "colored"),
        "best, direct",
    ]
    assert [row["ratio"] for row in rows] == [3, 1.5, 3, 1.5, 1.5]


def test_a_folder_without_the_library_is_refused(tmp_path: Path) -> None:
    """The user gets told which folder to name."""
    with pytest.raises(ThalwegError, match="has no liblocality_aware"):
        neighborhoods.advance_options(str(tmp_path))
