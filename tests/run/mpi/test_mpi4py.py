# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own collective tests: exactly the same tests pass under Thalweg as without it."""

import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
from jobs import NATIVE, YIELDING, Mode, run, using
from mpis import MPIS, Mpi, named
from python_jobs import FOLDER, PYTHON, environment
from test_strategies import selections

DEBIAN_NAMES = ("openmpi4", "mpich4")
# mpi4py's wheel has an extension for each of these; the standard ABI has none yet.
TESTED = [
    # The library's own outcomes are found once for all that are held against them.
    pytest.param(
        mpi,
        id=mpi.name,
        marks=[
            pytest.mark.xdist_group(f"mpi4py on {mpi.name}"),
            *([] if mpi.name == "openmpi4" else [pytest.mark.exhaustive]),
        ],
    )
    for mpi in MPIS
    if mpi.family != "mpiabi"
]
# Every rank's stderr goes to a file of its own: lines of several ranks mixed could not be told apart.
RANK = "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK}}}"


@cache
def outcomes(mpi_name: str, ranks: int, mode: str, selection: str = "") -> dict[tuple[int, str], str]:
    """Outcome by rank and name of test."""
    mpi = named(mpi_name)
    how: Mode = using(selection) if selection else {"native": NATIVE, "yielding": YIELDING}[mode]
    reports = Path(tempfile.mkdtemp(prefix="mpi4py-"))  # other workers run the same library's tests
    main = FOLDER / "source" / "test" / "main.py"
    program = ["sh", "-c", f"exec {PYTHON} {main} -v -i cco 2>{reports}/{RANK}"]
    result = run(mpi, ranks, program, how, environment=environment(mpi), seconds=200)
    assert not result.lines_of("HUNG"), result.explain()
    found = {}
    for rank in range(ranks):
        text = (reports / str(rank)).read_text()
        assert "\nRan " in text, f"rank {rank} of {result.explain()}\n{text[-2000:]}"
        for name, outcome in re.findall(
            r"^(test\w+ \([\w.]+\)).*? \.\.\. (ok|FAIL|ERROR|skipped)", text, re.MULTILINE | re.DOTALL
        ):
            found[rank, name] = outcome
    assert "ok" in found.values(), result.explain()
    shutil.rmtree(reports)
    return found


def check_same(mpi: str, ranks: int, selection: str = "") -> None:
    """Compare with the library alone.

    Tests that the library cannot run may pass: persistent collectives, which Open MPI 4 has under other names.
    """
    natively = outcomes(mpi, ranks, "native")
    preloaded = outcomes(mpi, ranks, "yielding", selection)
    changed = {
        key: (natively.get(key), preloaded.get(key))
        for key in natively.keys() | preloaded.keys()
        if natively.get(key) != preloaded.get(key) and (natively.get(key), preloaded.get(key)) != ("skipped", "ok")
    }
    assert not changed


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.exhaustive), 2])
@pytest.mark.parametrize("mpi", TESTED)
def test_same_outcomes(mpi: Mpi, ranks: int) -> None:
    """The outcomes are those of the library alone."""
    check_same(mpi.name, ranks)


EVERY_SELECTION = [
    pytest.param(
        name,
        number,
        marks=(
            pytest.mark.xdist_group(f"mpi4py on {name}"),
            pytest.mark.exhaustive,
        ),
    )
    for name in DEBIAN_NAMES
    for number in range(len(selections()))
]


@pytest.mark.parametrize(("name", "number"), EVERY_SELECTION)
def test_same_outcomes_under_strategies(name: str, number: int) -> None:
    """Whatever strategies are chosen."""
    check_same(name, 2, selections()[number])
