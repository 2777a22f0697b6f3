# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own tests: as the library passes them alone, with default settings, and under chosen strategies.

Nothing is listed as failing: what a library does not pass alone, or takes long for, is left out for that library.
"""

import functools
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from jobs import NATIVE, Mode, Result, run, using
from mpich_suite.cases import Case, cases, has_passed
from mpich_suite.source import FOLDERS, build, source
from mpis import Mpi, named
from test_apart import APART, RENUMBERED
from test_strategies import selections

pytestmark = pytest.mark.exhaustive

DEBIAN = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
IN_FOLDER = pytest.mark.parametrize("folder", FOLDERS)
NATIVE_SECONDS_MAX = 60
# Chosen strategies run in other orders and through other memory, and the machine is shared with other jobs.
SLOWER_MAX = 20
JOBS = max(2, (os.cpu_count() or 1) // 2)


def _seconds_max(native_seconds: float) -> float:
    return NATIVE_SECONDS_MAX + SLOWER_MAX * native_seconds


def _start(mpi: Mpi, case: Case, mode: Mode, seconds: float, before: tuple[str, ...] = ()) -> Result:
    program = [*before, str(build(mpi) / case.folder / case.program), *case.arguments]
    return run(mpi, case.ranks, program, mode, seconds=seconds)


@functools.cache
def _native_seconds(name: str, folder: str) -> dict[Case, float]:
    """Find what the library passes alone, and how long that takes."""
    mpi = named(name)

    def measure(case: Case) -> float | None:
        begin = time.monotonic()
        result = _start(mpi, case, NATIVE, NATIVE_SECONDS_MAX)
        return time.monotonic() - begin if has_passed(result.status, result.out) else None

    everything = cases(build(mpi), source(), folder)
    with ThreadPoolExecutor(JOBS) as pool:
        measured = dict(zip(everything, pool.map(measure, everything), strict=True))
    return {case: seconds for case, seconds in measured.items() if seconds is not None}


def _check(name: str, folder: str, mpi: Mpi, mode: Mode, before: tuple[str, ...] = ()) -> list[Result]:
    """Start what the library passes alone, behind the command `before`; all has to pass."""
    passing = _native_seconds(name, folder)
    assert passing, f"{name} passes none of the tests of {folder} alone"

    def result_of(case: Case) -> Result:
        return _start(mpi, case, mode, _seconds_max(passing[case]), before)

    with ThreadPoolExecutor(JOBS) as pool:
        results = dict(zip(passing, pool.map(result_of, passing), strict=True))
    failures = [f"{case}: {one.explain()}" for case, one in results.items() if not has_passed(one.status, one.out)]
    if failures:
        pytest.fail(f"{len(failures)} of {len(passing)} failed\n" + "\n".join(failures), pytrace=False)
    return list(results.values())


@IN_FOLDER
@DEBIAN
def test_default_settings(name: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started by `thalweg run` with nothing set."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # no tuning file
    mpi = named(name)
    ours = replace(mpi, launch=(sys.executable, "-m", "thalweg", "run", *mpi.launch))
    _check(name, folder, ours, NATIVE)


@pytest.mark.parametrize("number", [0, 3, 6, 9])
@IN_FOLDER
@DEBIAN
def test_chosen_strategies(name: str, folder: str, number: int) -> None:
    """Under a strategy of ours for every operation at once."""
    chosen = selections()[number % len(selections())]
    _check(name, folder, named(name), using(chosen))


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make hosts")
@pytest.mark.parametrize("hosts", [2, 3, 4])
@DEBIAN
def test_topologies_on_several_hosts(name: str, hosts: int) -> None:
    """Ranks of topologies are numbered anew where the program allows it; some were, which the log says."""
    # Ranks that outnumber cores crawl where they spin.
    mode = Mode("apart", preload=True, settings={"THALWEG_VERBOSE": "1", "THALWEG_WAIT": "yield"})
    results = _check(name, "topo", named(name), mode, before=(APART, str(hosts)))
    said = "".join(result.err for result in results)
    assert "ranks of a topology" in said, said
    if hosts == 2:  # of 4 ranks that were dealt out in turns
        assert RENUMBERED in said, said
