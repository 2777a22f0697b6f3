# SPDX-License-Identifier: BSD-3-Clause
"""Streams of small items against what a program does without them: by hand over MPI, in bulk, and a barrier.

All ways run in one job, in turns (program/streams/main.cpp). Both wall and processor time count: a stream that waits
well leaves the processor to others. HPCC's own RandomAccess runs beside, where it is installed (hpcc.py).
"""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import FAILED, USAGE, ThalwegError
from thalweg.rows import Row, geometric_mean, paired_row, write_rows
from thalweg.trials.compiler import compiled_program, library_options
from thalweg_labs.bench import hpcc

_FOLDER = Path(__file__).parent / "program"
_FILES = [*sorted((_FOLDER / "streams").iterdir()), _FOLDER / "aggregator.hpp"]
METRICS = ("wall time", "processor time")
CASES = (
    "histogram",
    "permutation",
    "ring",
    "random_access",
    "gather",
    "visits",
    "bytes",
    "ask",
    "combined",
    "everybody",
    "shapes",
    "idle",
)
_RANDOM_ACCESS = "random_access/1024"


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    ranks: Sequence[int]
    lab: str
    rounds: int
    items: int
    """Of all ranks together."""
    cases: Sequence[str] = CASES
    scale: int = 16
    edge_factor: int = 16
    """The graph has 2 to the power `scale` vertices, and so many edges for each."""


def chosen_cases(words: Sequence[str]) -> Sequence[str]:
    """Check names of cases; all if there are none."""
    for word in words:
        if word not in CASES:
            raise ThalwegError(USAGE, f"{word} is no case of this benchmark", f"take some of {', '.join(CASES)}")
    return words or CASES


def run(request: Request, json_file: str) -> None:
    """Measure, print each case, and write all rows."""
    rows = [row for mpi in request.mpis for ranks in request.ranks for row in measure(request, mpi, ranks)]
    if json_file:
        write_rows(rows, json_file)


def measure(request: Request, mpi: str, ranks: int) -> list[Row]:
    """Run one job, print its cases, and give the rows."""
    rows = []
    times = times_of(_job(request, mpi, ranks))
    for case, ways in times.items():
        ours = ways["stream"]
        for peer, theirs in ways.items():
            if peer != "stream":
                rows += [_row(f"{case}, {ranks} ranks, {mpi}", index, ours, theirs, peer) for index in (0, 1)]
                _print(f"{mpi}, {ranks} ranks, {case}", rows[-2:])
    if _RANDOM_ACCESS in times:
        ours = times[_RANDOM_ACCESS]["stream"]
        run = hpcc.Run(mpi, ranks, request.lab, hpcc.table_words(request.items // ranks, ranks))
        if found := hpcc.times_ns(run, len(ours)):
            theirs = [(time, 0.0) for time in found]
            rows.append(_row(f"{_RANDOM_ACCESS}, {ranks} ranks, {mpi}", 0, ours, theirs, "hpcc"))
            _print(f"{mpi}, {ranks} ranks, {_RANDOM_ACCESS}", rows[-1:])
    for peer in dict.fromkeys(row["peer_name"] for row in rows):
        ratios = {
            metric: [row["ratio"] for row in rows if (row["peer_name"], row["metric"]) == (peer, metric)]
            for metric in METRICS
        }
        means = [f"{metric} {geometric_mean(found):.2f}" for metric, found in ratios.items() if found]
        print(f"{mpi}, {ranks} ranks, {peer} / stream, geometric means: {', '.join(means)}", flush=True)
    return rows


Times = list[tuple[float, float]]
"""Of each round: wall and processor time in nanoseconds."""


def _row(case: str, index: int, ours: Times, theirs: Times, peer: str) -> Row:
    pairs = [(own[index], other[index]) for own, other in zip(ours, theirs, strict=True)]
    return paired_row(case, METRICS[index], "ns", pairs, peer)


def _print(where: str, rows: Sequence[Row]) -> None:
    texts = [f"{row['metric']} {row['ours']:.1f} ns ({row['ratio']:.2f})" for row in rows]
    print(f"{where}: {', '.join(texts)}; in brackets {rows[0]['peer_name']} / stream", flush=True)


def times_of(text: str) -> dict[str, dict[str, Times]]:
    """Read what the program printed: by case and way, the rounds' wall and processor times in nanoseconds."""
    times: dict[str, dict[str, Times]] = defaultdict(lambda: defaultdict(list))
    for line in text.splitlines():
        case, _, way, wall, processor = line.split()
        times[case][way].append((float(wall), float(processor)))
    return times


def _job(request: Request, mpi: str, ranks: int) -> str:
    options = library_options("stream", mpi, os.environ)
    # What is inlined from the headers belongs to the library that they came with.
    headers = sorted((Path(options[0].removeprefix("-I")) / "thalweg").glob("*.h*"))
    program = compiled_program("streams", [*_FILES, *headers], mpi, os.environ, [*options, f"-I{_FOLDER}"])
    where = ["lab", "run", "--name", request.lab, "--native"] if request.lab else ["run", "--disable", "--mpi", mpi]
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if request.lab else {}
    sizes = [request.rounds, max(request.items // ranks, 1), request.scale, request.edge_factor]
    words = [*where, "-n", str(ranks), "--", program, *map(str, sizes), *request.cases]
    command = [sys.executable, "-m", "thalweg", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | consent)
    if done.returncode:
        raise ThalwegError(FAILED, f"{' '.join(words)} ended with status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout
