# SPDX-License-Identifier: BSD-3-Clause
"""Faults end as they do without Thalweg, and Thalweg's own troubles do not harm the program."""

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from jobs import (
    DISABLED,
    NATIVE,
    PASSING,
    YIELDING,
    Mode,
    build,
    build_profiled,
    build_profiler,
    interposer,
    run,
    using,
)
from mpis import MPIS, Mpi, launcher_environment, named

EVERY_MPI = pytest.mark.parametrize("mpi", MPIS, ids=lambda mpi: mpi.name)
DEBIAN = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
SHARING = using("allreduce=direct;barrier=dissemination")
PRELOADED = pytest.mark.parametrize("mode", [PASSING, YIELDING, SHARING], ids=lambda mode: mode.name)


def _files_of_thalweg(temporary: Path) -> list[str]:
    """Files that a job of ours could leave behind; shared memory of other jobs has no name."""
    return [str(path) for folder in (Path("/dev/shm"), temporary) for path in folder.glob("*thalweg*")]


@functools.cache
def _native_status(name: str, ending: str) -> int:
    mpi = named(name)
    return run(mpi, 3, [str(build(mpi, "endings")), ending], NATIVE).status


# The gate leaves out a third, so that each library has each ending and each mode twice.
@pytest.mark.parametrize(
    ("name", "ending", "mode"),
    [
        pytest.param(
            name,
            ending,
            mode,
            id=f"{name}-{ending}-{mode.name}",
            marks=() if (library + which + how) % 3 else pytest.mark.exhaustive,
        )
        for library, name in enumerate(["openmpi4", "mpich4"])
        for which, ending in enumerate(["abort", "exit", "kill"])
        for how, mode in enumerate([PASSING, YIELDING, SHARING])
    ],
)
def test_ending(name: str, ending: str, mode: Mode) -> None:
    """A rank that aborts, leaves or dies ends the job with the status that it has natively, and leaves no file."""
    mpi = named(name)
    program = [str(build(mpi, "endings")), ending]
    # Hydra and Open MPI keep sockets there, whose paths must be short.
    with tempfile.TemporaryDirectory(prefix="end") as temporary:
        preloaded = run(mpi, 3, program, mode, launcher={"TMPDIR": temporary})
        left_behind = _files_of_thalweg(Path(temporary))
    natively = _native_status(name, ending)
    assert natively != 0
    assert preloaded.status == natively, preloaded.explain()
    assert not preloaded.lines_of("HUNG"), preloaded.explain()
    assert left_behind == []


@PRELOADED
@DEBIAN
def test_standard_streams(name: str, mode: Mode) -> None:
    """Standard input reaches rank 0, and standard output is the program's alone."""
    mpi = named(name)
    text = "".join(f"line {i}\n" for i in range(200))
    result = run(mpi, 2, [str(build(mpi, "endings")), "echo"], mode, stdin=text)
    assert result.status == 0, result.explain()
    assert result.out == text


@pytest.mark.parametrize(
    "selection",
    ["alltoall", "alltoall=no_such", "no_such=direct", "allreduce=ring:no_such=1", "=;=", "allreduce=ring:segment=x"],
)
@DEBIAN
def test_broken_selection(name: str, selection: str) -> None:
    """A selection that is not understood is told on one line, and the program runs on the library's own."""
    mpi = named(name)
    program = [str(build(mpi, "conformance")), "--known", mpi.known_names, "allreduce", "alltoall"]
    result = run(mpi, 2, program, using(selection))
    assert result.status == 0, result.explain()
    lines = [line for line in result.err.splitlines() if "THALWEG_USE" in line]
    assert len(lines) == 1, result.err


@EVERY_MPI
def test_interposer_of_another_family(mpi: Mpi) -> None:
    """The wrong interposer steps aside with a line, and the program runs."""
    other = "mpich" if mpi.family == "openmpi" else "openmpi"
    program = [str(build(mpi, "conformance")), "--known", mpi.known_names, "allreduce", "bcast", "p2p_matching"]
    result = run(mpi, 2, program, NATIVE, environment={"LD_PRELOAD": str(interposer(other))})
    assert result.status == 0, result.explain()
    lines = [line for line in result.err.splitlines() if "halweg" in line]
    assert len(lines) == 1, result.err
    assert "this interposer is for" in lines[0]
    assert "but the program uses" in lines[0]


@pytest.mark.parametrize("expected", [["active"], ["active", "bypassed at the end"], ["early"]], ids=str)
@DEBIAN
def test_bypass(name: str, expected: list[str]) -> None:
    """A bypass that ends gives the calls back to Thalweg, and none is given to it once MPI has ended."""
    mpi = named(name)
    result = run(mpi, 2, [str(build(mpi, "bypass")), *expected], SHARING)
    assert result.status == 0, result.explain()
    assert "passed bypass" in result.out


@DEBIAN
def test_bypass_of_what_is_out(name: str) -> None:
    """Where Thalweg is disabled, or is another library's, ending a bypass does not bring it in."""
    mpi = named(name)
    program = [str(build(mpi, "bypass")), "out"]
    result = run(mpi, 2, program, DISABLED, environment={"THALWEG_VERBOSE": "1"})
    assert result.status == 0, result.explain()
    assert not result.lines_of("thalweg:"), result.err
    other = interposer("mpich" if mpi.family == "openmpi" else "openmpi")
    result = run(mpi, 2, program, NATIVE, environment={"LD_PRELOAD": str(other)})
    assert result.status == 0, result.explain()
    assert len(result.lines_of("thalweg:")) == 1, result.err


@pytest.mark.parametrize("family", ["openmpi", "mpich", "mpiabi"])
@pytest.mark.parametrize("command", [["bash", "-c", "echo well | cat"], ["python3", "-c", "print('well')"]])
def test_programs_without_mpi(command: list[str], family: str) -> None:
    """Preloaded into a program that is no MPI program, the interposer does and says nothing."""
    environment = os.environ | {"LD_PRELOAD": str(interposer(family))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "well\n", "")


@DEBIAN
def test_profiler_in_front(name: str) -> None:
    """A profiler preloaded in front of the interposer sees its calls, as many as without."""
    mpi = named(name)
    program = [str(build(mpi, "conformance")), "--known", mpi.known_names, "allreduce", "bcast"]
    profiler = build_profiler(mpi)
    counts = []
    for preload in (f"{profiler}", f"{profiler}:{interposer(mpi.family)}"):
        result = run(mpi, 2, program, NATIVE, environment={"LD_PRELOAD": preload, "THALWEG_SUMMARY": "0"})
        assert result.status == 0, result.explain()
        counts.append(sorted(line for line in result.err.splitlines() if line.startswith("profiler rank")))
    assert len(counts[0]) == 2
    assert counts[0] == counts[1]


@DEBIAN
def test_profiler_that_is_linked(name: str) -> None:
    """A profiler that the program is linked with sees its calls, as many as without Thalweg."""
    mpi = named(name)
    program = [str(build_profiled(mpi)), "--known", mpi.known_names, "allreduce", "bcast"]
    counts = []
    for command in ([], [sys.executable, "-m", "thalweg", "run", "--no-summary", "--use", "allreduce=direct"]):
        words = [*command, *mpi.command(2, program, {})]
        done = subprocess.run(words, env=launcher_environment(mpi), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        counts.append(sorted(line for line in done.stderr.splitlines() if line.startswith("profiler rank")))
    assert len(counts[0]) == 2
    assert counts[0] == counts[1]


@DEBIAN
def test_profiler_behind(name: str) -> None:
    """The other order silences the profiler, as documented, and harms nothing."""
    mpi = named(name)
    program = [str(build(mpi, "conformance")), "--known", mpi.known_names, "allreduce", "bcast"]
    preload = f"{interposer(mpi.family)}:{build_profiler(mpi)}"
    result = run(mpi, 2, program, NATIVE, environment={"LD_PRELOAD": preload, "THALWEG_SUMMARY": "0"})
    assert result.status == 0, result.explain()


def test_static_program(tmp_path: Path) -> None:
    """A statically linked program ignores the preload."""
    source, program = tmp_path / "static.c", tmp_path / "static"
    source.write_text('#include <stdio.h>\nint main(void) { puts("well"); return 0; }\n')
    subprocess.run(["gcc", "-static", str(source), "-o", str(program)], check=True)
    environment = os.environ | {"LD_PRELOAD": str(interposer("openmpi"))}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "well\n", "")
