# SPDX-License-Identifier: BSD-3-Clause
"""Building the conformance programs and running jobs, natively or with an interposer preloaded."""

import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from attempts import run_job
from locks import locked, processors
from mpis import ROOT, Mpi, launcher_environment

BUILD = ROOT / "build"
# Where the interposers are, if not in the build folder of this checkout.
INTERPOSERS = Path(os.environ.get("THALWEG_INTERPOSERS", BUILD))
# What has to be loaded before them: the runtime library of a sanitizer, whose options are then these.
PRELOAD_FIRST = os.environ.get("THALWEG_PRELOAD_FIRST", "")
# Launchers' wrappers and the MPI libraries leave memory behind.
RUNTIME_OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0"} if PRELOAD_FIRST else {}
PROGRAMS_BUILT = BUILD / "mpi-programs"
PROGRAMS = Path(__file__).parent / "programs"
# Well over the programs' own patience: a hang is to be told by the program, which knows where.
JOB_SECONDS_MAX = 240


@dataclass(frozen=True)
class Mode:
    """How a job is run: natively, or with the interposer of the MPI's family preloaded into its ranks."""

    name: str
    preload: bool = False
    settings: dict[str, str] = field(default_factory=dict)

    def environment(self, mpi: Mpi) -> dict[str, str]:
        """What the ranks get."""
        if not self.preload:
            return {}
        world = world_library(mpi.family) if "THALWEG_PLACE" in self.settings else ""
        preload = f"{PRELOAD_FIRST} {world} {interposer(mpi.family)}".strip()
        return {"LD_PRELOAD": preload, "THALWEG_SUMMARY": "0", **RUNTIME_OPTIONS, **self.settings}

    def spins(self, ranks: int) -> bool:
        """Whether so many ranks of this machine wait without giving their cores away."""
        acts = self.preload and "THALWEG_DISABLE" not in self.settings
        wait = self.settings.get("THALWEG_WAIT", "auto") if acts else "spin"
        return wait == "spin" or (wait == "auto" and ranks <= len(os.sched_getaffinity(0)))


NATIVE = Mode("native")
PASSING = Mode("passing", preload=True, settings={"THALWEG_WAIT": "spin", "THALWEG_LEARN": "off"})
YIELDING = Mode("yielding", preload=True, settings={"THALWEG_WAIT": "yield"})
DISABLED = Mode("disabled", preload=True, settings={"THALWEG_DISABLE": "1"})


def using(selection: str, wait: str = "auto") -> Mode:
    """Strategies chosen by name, as THALWEG_USE takes them; ranks wait as a user's do, who says nothing of it."""
    return Mode(selection, preload=True, settings={"THALWEG_WAIT": wait, "THALWEG_USE": selection})


@dataclass(frozen=True)
class Result:
    """What a job left behind."""

    command: list[str]
    status: int
    out: str
    err: str

    def lines_of(self, *marks: str) -> list[str]:
        """Lines of stderr that begin with one of the marks."""
        return [line for line in self.err.splitlines() if line.startswith(marks)]

    def explain(self) -> str:
        """For a failed assertion: the program's own message first, then the end of the output."""
        said = self.lines_of("FAILED", "HUNG", "CRASHED", "ABORTED")
        ends = [] if said else [self.out[-500:], self.err[-1500:]]
        return "\n".join([*said[:6], f"status {self.status} of {' '.join(self.command)}", *ends])


def interposer(family: str) -> Path:
    """The interposer of a family of MPI libraries."""
    found = INTERPOSERS / f"libthalweg-{family}.so"
    assert found.exists(), f"{found} is missing: build first (make build)"
    return found


def world_library(family: str) -> Path:
    """What stands before the interposer where ranks may be numbered anew."""
    found = INTERPOSERS / f"libthalweg-world-{family}.so"
    assert found.exists(), f"{found} is missing: build first (make build)"
    return found


def run(  # noqa: PLR0917 (a job has that many sides)
    mpi: Mpi,
    ranks: int,
    program: list[str],
    mode: Mode = NATIVE,
    environment: dict[str, str] | None = None,
    stdin: str = "",
    seconds: float = JOB_SECONDS_MAX,
    launcher: dict[str, str] | None = None,
    *,
    alone: bool = False,
) -> Result:
    """Run a job to its end. One that takes too long is killed with all its processes, and fails."""
    command = mpi.command(ranks, program, mode.environment(mpi) | (environment or {}))
    with processors(alone=alone or (mpi.spins and mode.spins(ranks) and ranks > 1)):
        variables = launcher_environment(mpi) | (launcher or {})
        return run_job(lambda: _run(command, variables, stdin, seconds), lambda result: result.err)


def _run(command: list[str], environment: dict[str, str], stdin: str, seconds: float) -> Result:
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as job:
        try:
            out, err = job.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            # The ranks are in process groups of their own: only the launcher can end them, so it gets the time.
            os.killpg(job.pid, signal.SIGTERM)
            try:
                out, err = job.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                out, err = job.communicate()
            return Result(command, -1, out, f"{err}\nHUNG: killed after {seconds} s")
    return Result(command, job.returncode, out, err)


def _outdated(target: Path, sources: list[Path]) -> bool:
    return not target.exists() or any(target.stat().st_mtime < source.stat().st_mtime for source in sources)


def compile_with(command: list[str], target: Path, sources: list[Path]) -> None:
    """Compile unless the target is newer than everything that it is made of."""
    with locked(target.parent, f".{target.name}"):
        if not _outdated(target, sources):
            return
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


C_FLAGS = ("-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Wshadow")
# gcc takes MPI_STATUSES_IGNORE for an array that is too short.
C_FLAGS_NO_ARRAYS = ("-Wno-stringop-overflow", "-Wno-stringop-overread")
# The one library function that a program (contended_core) puts its own in front of.
LINK_FLAGS = ("-pthread", "-Wl,--export-dynamic-symbol=sched_setaffinity")
SHARED_SOURCES = ("check", "complete", "forms", "layout")


def build(mpi: Mpi, program: str) -> Path:
    """Build one C program for one MPI: `conformance` from all the suites, any other from programs/single."""
    folder = PROGRAMS_BUILT / mpi.name
    headers = sorted(PROGRAMS.rglob("*.h"))
    target = folder / program
    if program == "conformance":
        sources = sorted(PROGRAMS.glob("*.c"))
    else:
        sources = [PROGRAMS / "single" / f"{program}.c", *(PROGRAMS / f"{name}.c" for name in SHARED_SOURCES)]
    objects = []
    for source in sources:
        made = folder / "objects" / f"{source.stem}.o"
        flags = [*C_FLAGS, *C_FLAGS_NO_ARRAYS, f"-I{PROGRAMS}", f"-I{ROOT / 'include'}"]
        command = [*mpi.compile, *flags, "-c", str(source), "-o", str(made)]
        compile_with(command, made, [source, *headers])
        objects.append(made)
    link = [*mpi.compile, *map(str, objects), *LINK_FLAGS, "-o", str(target), *mpi.link]
    compile_with(link, target, objects)
    return target


def build_cxx(mpi: Mpi, program: str = "cxx") -> Path:
    """Build a C++ program."""
    source, target = PROGRAMS / "single" / f"{program}.cpp", PROGRAMS_BUILT / mpi.name / program
    flags = ["-std=c++17", "-O1", f"-I{ROOT / 'include'}", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    compile_with([*mpi.cxx, *flags, str(source), "-o", str(target), *mpi.link], target, [source])
    return target


def build_fortran(mpi: Mpi, flavor: str) -> Path:
    """Build a Fortran program: mpifh, mpimod or f08."""
    folder = PROGRAMS / "fortran"
    source, target = folder / f"{flavor}.f90", PROGRAMS_BUILT / mpi.name / flavor
    # One argument of many types is how Fortran programs call MPI without an interface.
    command = [*mpi.fortran, "-fallow-argument-mismatch", f"-I{folder}", str(source), "-o", str(target)]
    compile_with(command, target, [source, folder / "body.inc"])
    return target


def build_profiler(mpi: Mpi) -> Path:
    """Build the profiler, a shared object to be preloaded."""
    source, target = PROGRAMS / "single" / "profiler.c", PROGRAMS_BUILT / mpi.name / "profiler.so"
    compile_with([*mpi.compile, "-shared", "-fPIC", str(source), "-o", str(target), *mpi.link], target, [source])
    return target


def build_profiled(mpi: Mpi) -> Path:
    """Build the conformance program once more, linked with the profiler in front of MPI."""
    folder, profiler = PROGRAMS_BUILT / mpi.name, build_profiler(mpi)
    build(mpi, "conformance")
    objects = [folder / "objects" / f"{source.stem}.o" for source in sorted(PROGRAMS.glob("*.c"))]
    target = folder / "profiled"
    words = ["-Wl,--no-as-needed", str(profiler), "-o", str(target), *mpi.link]
    compile_with([*mpi.compile, *map(str, objects), *LINK_FLAGS, *words], target, [*objects, profiler])
    return target
