# SPDX-License-Identifier: BSD-3-Clause
"""Puts, gets and signals of a team between two ranks, against MPI's windows and messages, plain stores, and OpenSHMEM.

All ways but OpenSHMEM's run in one job, in turns; jobs are repeated. OpenSHMEM is Open MPI's, in jobs of its own.
"""

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.rows import Row, geometric_mean, make_row, write_rows
from thalweg.trials.compiler import compiled_program, library_options
from thalweg.units import size_text, time_text

_FOLDER = Path(__file__).parent / "program"

SIZES = (8, 64, 1024, 8192, 65536, 1 << 20, 4 << 20)
TEXTS = {
    "put": "put that has landed",
    "get": "get",
    "ping": "data with a signal",
    "row": "put in a row",
}
PEERS = {"window": "MPI window", "send": "MPI_Send", "store": "plain stores", "shmem": "OpenSHMEM"}
_CONSENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

_BATCHES = 9
"""Of each case in a job: it prints their median."""

Times = dict[tuple[str, int], dict[str, list[float]]]


class Request(NamedTuple):
    """What to measure."""

    mpi: str
    lab: str
    sizes: Sequence[int]
    turns: int
    is_native: bool = True
    """Else under Thalweg, which lets teams go on in MPI's calls."""


def _add(times: Times, command: list[str], environment: dict[str, str], cases: int = 0) -> None:
    """Run a job, and add its times. With so many cases, Open MPI's OpenSHMEM may crash behind them, as it ends."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=1800)
    lines = [line for line in done.stdout.splitlines() if len(line.split()) == 4]
    if done.returncode and not 0 < len(lines) == cases:
        raise ThalwegError(FAILED, f"{' '.join(command)} ended with status {done.returncode}\n{done.stderr[-2000:]}")
    for line in lines:
        what, bytes_text, way, seconds = line.split()
        times[what, int(bytes_text)][way].append(float(seconds) * 1e6)


def _shmem_command(words: list[str]) -> list[str]:
    """Compile the program with OpenSHMEM's compiler; nothing where there is none, or where it does not run."""
    compiler, starter = shutil.which("oshcc"), shutil.which("oshrun")
    if not compiler or not starter:
        return []
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "thalweg"
    folder.mkdir(parents=True, exist_ok=True)
    program = str(folder / "remote_memory_shmem")
    done = subprocess.run(
        [compiler, "-O2", "-o", program, str(_FOLDER / "remote_memory_shmem.c")], capture_output=True, check=False
    )
    if done.returncode:
        return []
    command = [starter, "-np", "2", program]
    tried: Times = defaultdict(lambda: defaultdict(list))
    try:
        _add(tried, [*command, "1", "8"], os.environ | _CONSENT, len(TEXTS))
    except ThalwegError:
        return []
    return [*command, *words]


def measure(request: Request) -> list[Row]:
    """Run the jobs, print each case, and give the rows."""
    mpi, lab = request.mpi, request.lab
    program = compiled_program(
        "remote_memory", [_FOLDER / "remote_memory.c"], mpi, os.environ, library_options("team", mpi, os.environ)
    )
    native = [] if not request.is_native else ["--native"] if lab else ["--disable"]
    start = [*(["lab", "run", "--name", lab] if lab else ["run"]), *native]
    words = [str(_BATCHES), *map(str, request.sizes)]
    command = [sys.executable, "-m", "thalweg", *start, "-n", "2", "--", program, *words]
    shmem = [] if lab else _shmem_command(words)
    times: Times = defaultdict(lambda: defaultdict(list))
    for _ in range(request.turns):
        _add(times, command, os.environ | (_CONSENT if lab else {}))
        if shmem:
            _add(times, shmem, os.environ | _CONSENT, len(TEXTS) * len(request.sizes))
    if not shmem and not lab:
        print("no OpenSHMEM that runs: oshcc and oshrun of Open MPI")
    return _rows(times)


def _rows(times: Times) -> list[Row]:
    rows = []
    for (what, size), ways in times.items():
        own = median(ways["team"])
        case = f"{TEXTS[what]} {size_text(size)}"
        texts = [f"team {time_text(own * 1e-6)}"]
        for way, peer in PEERS.items():
            if way not in ways:
                continue
            rows.append(make_row(case, f"against {peer}", "us", own, median(ways[way]), peer))
            texts.append(f"{peer} {time_text(median(ways[way]) * 1e-6)} ({rows[-1]['ratio']:.2f})")
        if what == "row":
            texts[0] += f" or {size / own:.0f} MB/s"
        print(f"{case}: {', '.join(texts)}", flush=True)
    return rows


def run(request: Request, json_file: str) -> None:
    """Measure, print the mean against each peer, and write all rows."""
    rows = measure(request)
    for metric in dict.fromkeys(row["metric"] for row in rows):
        ratios = [row["ratio"] for row in rows if row["metric"] == metric]
        print(f"{metric}: geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f}")
    if json_file:
        write_rows(rows, json_file)
