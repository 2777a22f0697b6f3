# SPDX-License-Identifier: BSD-3-Clause
"""What a stranger's first benchmark sees: each call alone, natively and under Thalweg as users start it, in turns.

The program is not ours where that can be: IMB-MPI1 comes with Intel's MPI and runs with every library of its ABI. For
the others a small program times as it does (program/strangers.c). Nothing of it knows Thalweg. A way of running that
takes a tuning file gets a copy of it for each job, as programs add to it what they learn.
"""

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.launch.mpis import named_mpi
from thalweg.programs.families import LoadedMpi
from thalweg.rows import Row, geometric_mean, make_row, paired_row, write_rows
from thalweg.trials.cases import OPERATIONS as TUNED
from thalweg.trials.compiler import compiled_program
from thalweg_labs.bench.finished import finished
from thalweg_labs.bench.tuned import tuning_file

PROGRAM = Path(__file__).parent / "program" / "strangers.c"
OPERATIONS = (
    "barrier", "broadcast", "reduce", "allreduce", "gather", "gatherv", "scatter", "scatterv", "allgather",
    "allgatherv", "alltoall", "alltoallv", "reduce_scatter", "reduce_scatter_block", "scan", "exscan", "pending",
    "send", "sendrecv", "waitall", "neighbor_allgather", "neighbor_alltoall", "ialltoall", "iallgather", "iallreduce",
    "ibroadcast", "ineighbor_alltoall",
)  # fmt: skip
"""Of nonblocking ones, `ialltoall:4` tests the request four times within the computation beside it."""
SIZES = (8, 24, 96, 200, 700, 1500, 3000, 6000, 24000, 48000, 200000, 400000)

IMB = "IMB-MPI1"
IMB_NAMES = {
    "barrier": "Barrier", "broadcast": "Bcast", "reduce": "Reduce", "allreduce": "Allreduce", "gather": "Gather",
    "gatherv": "Gatherv", "scatter": "Scatter", "scatterv": "Scatterv", "allgather": "Allgather",
    "allgatherv": "Allgatherv", "alltoall": "Alltoall", "alltoallv": "Alltoallv", "reduce_scatter": "Reduce_scatter",
    "reduce_scatter_block": "Reduce_scatter_block",
}  # fmt: skip
_IMB_LIBRARY = "libmpi.so.12"
_LIMIT_S = 3600

CALL, TURN = "", " with its barriers"
BESIDE, EXPOSED = " beside a computation", " beside a computation, exposed"
"""What a time is of. How ranks leave a barrier decides who waits in the call behind it; both together are a turn.

Nonblocking calls are waited for at once, and then beside a computation that takes as long: exposed is what start,
computation and wait take longer than the computation alone.
"""

Times = dict[tuple[str, int, str], float]
"""Microseconds, by operation, bytes and what they are of."""


class Way(NamedTuple):
    """A way of running under Thalweg."""

    name: str
    is_tuned: bool
    options: tuple[str, ...]


WAYS = (
    Way("tuned", is_tuned=True, options=()),
    Way("tuned, learning off", is_tuned=True, options=("--learn", "off")),
    Way("untuned", is_tuned=False, options=()),
    Way("untuned, learning off", is_tuned=False, options=("--learn", "off")),
    # What jobs differ by, as nothing is different.
    Way("the library again", is_tuned=False, options=("--disable",)),
)


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    ranks: Sequence[int]
    operations: Sequence[str]
    sizes: Sequence[int]
    warm: int
    """Calls of each case that are not timed."""
    calls: int
    """That are."""
    limit_s: float
    """A case that takes longer has fewer calls."""
    turns: int
    tuning: str
    tune_s: float
    """Seconds for tuning first, which makes the tuning file; 0: there is one."""
    imb: str
    """IMB-MPI1, or empty: our own program runs everywhere."""
    ways: Sequence[Way]


def run(request: Request, json_file: str) -> None:
    """Measure, print each way's means, and write all rows."""
    rows = [row for mpi in request.mpis for ranks in request.ranks for row in measure(request, mpi, ranks)]
    if json_file:
        write_rows(rows, json_file)


def measure(request: Request, mpi: str, ranks: int) -> list[Row]:
    """Run the program natively and in all ways, in turns, and give the rows."""
    ways = [way for way in request.ways if not way.is_tuned or request.tuning != "off"]
    rows: list[Row] = []
    natively: list[Times] = []
    ours: dict[Way, list[Times]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as scratch:
        if request.tune_s:
            request = request._replace(tuning=f"{scratch}/found.toml")
            rows.append(_tune(request, mpi, ranks))
        program = Program.of(request, named_mpi(mpi, os.environ), mpi, Path(scratch))
        for turn in range(request.turns):
            for place in range(len(ways) + 1):
                number = (place + turn) % (len(ways) + 1)
                if number == len(ways):
                    natively.append(program.times(ranks, ["--disable"]))
                else:
                    way = ways[number]
                    ours[way].append(program.times(ranks, [*way.options, "--tuning", _fresh(way, request, scratch)]))
    for way in ways:
        found = [
            paired_row(
                f"{operation} {size} B{what}, {ranks} ranks, {program.name}",
                way.name,
                "us",
                [
                    (own[operation, size, what], peer[operation, size, what])
                    for own, peer in zip(ours[way], natively, strict=True)
                ],
                mpi,
            )
            for operation, size, what in natively[0]
        ]
        title = f"{mpi}, {ranks} ranks, {program.name}, {way.name}"
        kinds: dict[str, list[Row]] = {CALL: [], TURN: [], BESIDE: []}
        for (_, _, what), row in zip(natively[0], found, strict=True):
            kinds.setdefault(what, []).append(row)
        for what in (CALL, TURN, BESIDE):
            if kinds[what]:
                print(f"{title}{',' if what else ''}{what}: {summary(kinds[what])}", flush=True)
        for line in hidden_lines(ours[way], natively):
            print(f"{title}: {line}", flush=True)
        rows += found
    return rows


def hidden_part(times: Times, operation: str, size: int) -> float:
    """Give the part of a call that a computation hides, from 0 to 1: OSU's overlap, less what the computation loses."""
    call = times[operation, size, CALL]
    return min(1.0, max(0.0, 1 - times[operation, size, EXPOSED] / call)) if call > 0 else 0.0


def hidden_lines(ours: Sequence[Times], natively: Sequence[Times]) -> list[str]:
    """Write for each nonblocking case which part is hidden, natively and so, in the median of the jobs."""
    return [
        f"{operation} {size} B: {_hidden(natively, operation, size):.0%} hidden natively, "
        f"{_hidden(ours, operation, size):.0%} so"
        for operation, size, what in natively[0]
        if what == EXPOSED
    ]


def _hidden(jobs: Sequence[Times], operation: str, size: int) -> float:
    return median(hidden_part(times, operation, size) for times in jobs)


def _tune(request: Request, mpi: str, ranks: int) -> Row:
    """Tune as users do; the whole command's wall time beside the budget that it was given."""
    budget = f"{request.tune_s:g}s"
    words = [sys.executable, "-m", "thalweg", "tune", "-n", str(ranks), "--mpi", mpi, "--budget", budget]
    if nonblocking := dict.fromkeys(one.partition(":")[0] for one in request.operations if one.startswith("i")):
        # They are tuned where they are named.
        words += ["--ops", ",".join([*TUNED, *nonblocking])]
    begin_s = time.monotonic()
    finished([*words, "--tuning", request.tuning], _LIMIT_S)
    took_s = time.monotonic() - begin_s
    print(f"{mpi}, {ranks} ranks, tune: {took_s:.0f} s of {budget}", flush=True)
    return make_row(f"thalweg tune, {ranks} ranks", "wall time beside the budget", "s", took_s, request.tune_s, mpi)


def summary(rows: Sequence[Row]) -> str:
    """Give the mean of native / Thalweg, the least case, and the cases below 0.9."""
    worst = min(rows, key=lambda row: row["ratio"])
    slower = sum(row["ratio"] < 0.9 for row in rows)
    mean = geometric_mean([row["ratio"] for row in rows])
    return (
        f"geometric mean {mean:.2f}, least {worst['ratio']:.2f} ({worst['case'].split(',')[0]}), "
        f"{slower} of {len(rows)} cases below 0.9"
    )


def _fresh(way: Way, request: Request, scratch: str) -> str:
    """Give a tuning file of its own to a job: a copy, or none that exists yet."""
    path = Path(scratch) / "tuning.toml"
    shutil.rmtree(f"{path}.rules", ignore_errors=True)
    path.unlink(missing_ok=True)
    if way.is_tuned:
        source = Path(tuning_file(request.tuning))
        shutil.copyfile(source, path)
        # Machine files stand beside the tuning file.
        if (source.parent / "machines").is_dir() and not (path.parent / "machines").exists():
            shutil.copytree(source.parent / "machines", path.parent / "machines")
    return str(path)


class Program(NamedTuple):
    """What is run, and how its output is read."""

    name: str
    command: tuple[str, ...]
    variables: dict[str, str]
    pattern: "re.Pattern[str] | None"
    """Of our own program's lines; IMB's are read by its headings."""
    mpi: str

    @classmethod
    def of(cls, request: Request, loaded: LoadedMpi, mpi: str, scratch: Path) -> "Program":
        """Choose IMB where there is one that the library can run, else compile our own."""
        if request.imb and loaded.family.name == "mpich":
            library = scratch / _IMB_LIBRARY
            library.symlink_to(os.path.realpath(_library_path(loaded)))
            lengths = scratch / "lengths"
            lengths.write_text("".join(f"{size}\n" for size in request.sizes), encoding="utf-8")
            names = [IMB_NAMES[operation] for operation in request.operations if operation in IMB_NAMES]
            options = ("-msglen", str(lengths), "-iter", str(request.calls), "-iter_policy", "off", "-time", "1e6")
            folders = os.environ.get("LD_LIBRARY_PATH", "")
            variables = {"LD_LIBRARY_PATH": f"{scratch}:{folders}" if folders else str(scratch)}
            return cls(IMB, (request.imb, *options, *names), variables, None, mpi)
        program = compiled_program("strangers", [PROGRAM], mpi, os.environ)
        words = (str(request.warm), str(request.calls), str(request.limit_s))
        lists = (",".join(request.operations), ",".join(map(str, request.sizes)))
        pattern = re.compile(r"^([\w:]+) (\d+) \d+ ([\d.]+) ([\d.]+)$", re.MULTILINE)
        return cls("strangers", (program, *words, *lists), {}, pattern, mpi)

    def times(self, ranks: int, options: Sequence[str]) -> Times:
        """Run a job with these options of `thalweg run`, and read its times."""
        imb = ["-npmin", str(ranks)] if self.pattern is None else []
        words = [sys.executable, "-m", "thalweg", "run", *options, "--mpi", self.mpi, "-n", str(ranks), "--"]
        remedy = "does the program run by itself?"
        printed = finished([*words, *self.command, *imb], _LIMIT_S, self.variables, remedy)
        found = imb_times(printed) if self.pattern is None else own_times(self.pattern, printed)
        if not found:
            raise ThalwegError(FAILED, f"{' '.join(words)} {self.name} printed no times:\n{printed[-2000:]}", remedy)
        return found


def own_times(pattern: "re.Pattern[str]", text: str) -> Times:
    """Read what our own program printed."""
    found = {
        (name, int(size), what): float(us)
        for name, size, *both in pattern.findall(text)
        for what, us in zip((CALL, TURN), both, strict=True)
    }
    for name, size, computed, whole in _BESIDE.findall(text):
        found[name, int(size), BESIDE] = float(whole)
        found[name, int(size), EXPOSED] = max(0.0, float(whole) - float(computed))
    return found


_BESIDE = re.compile(r"^beside ([\w:]+) (\d+) ([\d.]+) ([\d.]+)$", re.MULTILINE)


def imb_times(text: str) -> Times:
    """Read IMB's tables: the mean over the ranks, its last column but for messages' own statistics."""
    names = {heading: operation for operation, heading in IMB_NAMES.items()}
    found: Times = {}
    operation, column, has_bytes = "", 0, False
    for line in text.splitlines():
        words = line.split()
        if line.startswith("# Benchmarking"):
            operation = names.get(words[2], "")
        elif "t_avg[usec]" in words:
            column = words.index("t_avg[usec]") - len(words)
            has_bytes = words[0] == "#bytes"
        elif operation and words and words[0].isdecimal() and column:
            size = int(words[0]) if has_bytes else 0
            found[operation, size, CALL] = float(words[column])
    return found


def _library_path(loaded: LoadedMpi) -> str:
    """Find the library's file where the loader would."""
    if os.path.exists(loaded.library):
        return loaded.library
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"):
        for soname in loaded.family.sonames:
            if os.path.exists(f"{folder}/{soname}"):
                return f"{folder}/{soname}"
    raise ThalwegError(FAILED, f"{loaded.library} is not there", "name the library's prefix")
