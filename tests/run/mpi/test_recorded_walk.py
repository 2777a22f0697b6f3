# SPDX-License-Identifier: BSD-3-Clause
"""The walk of a program's first MPI_Allreduce through the sources, as instrumented interposers record it.

docs/design.md describes the same walk in words. The bounds are what a reader can follow.
"""

import subprocess
from pathlib import Path

import pytest
from house.walk import Stop, Walk, stops, walk_of
from jobs import NATIVE, compile_with, run
from mpis import ROOT, named

FILES_MAX = 15
RETURNS_MAX = 10
SOURCES = Path(__file__).parent / "walk"
BUILD = ROOT / "build-walk"


def first_call(**settings: str) -> Walk:
    """Build the instrumented interposer, and record rank 0's walk in a job of two ranks."""
    for step in (["--preset", "walk"], ["--build", "--preset", "walk"]):
        subprocess.run(["cmake", *step], cwd=ROOT, check=True, capture_output=True)
    mpi = named("mpich4")
    recorder, program, recorded = BUILD / "recorder.so", BUILD / "first_allreduce", BUILD / "recorded"
    source = SOURCES / "recorder.c"
    compile_with(["cc", "-O2", "-fPIC", "-shared", str(source), "-o", str(recorder)], recorder, [source])
    source = SOURCES / "first_allreduce.c"
    compile_with([*mpi.compile, str(source), "-o", str(program), *mpi.link], program, [source])
    recorded.unlink(missing_ok=True)
    preload = f"{recorder} {BUILD / 'libthalweg-mpich.so'}"
    command = ["env", f"LD_PRELOAD={preload}", *(f"{name}={value}" for name, value in settings.items())]
    result = run(mpi, 2, [*command, str(program), str(recorded)], NATIVE)
    assert result.status == 0, result.explain()
    return walk_of(stops(recorded.read_text(), ROOT), "CollectiveCall")


def test_stays_and_returns() -> None:
    """Words are no stops, functions without the call are none, and a file that was left is returned to."""
    lines = [("a", 9), ("b", 2), ("a", 9), ("b", 8), ("a", 5)]
    walk = walk_of([*(Stop(file, "f(const Call& call)", lines) for file, lines in lines), Stop("c", "g()", 9)], "Call")
    assert walk.stays == ["a", "b", "a"]
    assert walk.files == ["a", "b"]
    assert walk.returns == ["a"]


@pytest.mark.exhaustive
@pytest.mark.xdist_group("walk")
@pytest.mark.parametrize(
    "settings",
    [
        {"THALWEG_USE": "allreduce=recursive_doubling", "THALWEG_SUMMARY": "0"},
        {"THALWEG_USE": "allreduce=recursive_doubling", "THALWEG_SUMMARY": "1"},
        {"THALWEG_SUMMARY": "1"},
    ],
    ids=["by our engine", "and counted", "by default"],
)
def test_a_first_allreduce_is_a_short_walk(settings: dict[str, str]) -> None:
    walk = first_call(**settings)
    assert "src/run/mpi/entry/dispatch.cpp" in walk.files
    assert len(walk.files) <= FILES_MAX, walk.stays
    assert len(walk.returns) <= RETURNS_MAX, walk.stays
