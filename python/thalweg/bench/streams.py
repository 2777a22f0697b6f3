"""Streams of small items against what a program does without them: by hand over MPI, in bulk, and a barrier.

All ways run in one job, in turns (program/streams.cpp). Both wall and processor time count: a stream that waits well
leaves the processor to others.
"""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from thalweg.bench.rows import Row, geometric_mean, paired_row, write_rows
from thalweg.errors import FAILED, ThalwegError
from thalweg.trials.compiler import compiled_program, library_options

_FOLDER = Path(__file__).parent / "program"
_FILES = [_FOLDER / "streams.cpp", _FOLDER / "aggregator.hpp"]
METRICS = ("wall time", "processor time")


class Request(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    ranks: Sequence[int]
    lab: str
    rounds: int
    items: int
    """Of all ranks together."""


def run(request: Request, json_file: str) -> None:
    """Measure, print each case, and write all rows."""
    rows = [row for mpi in request.mpis for ranks in request.ranks for row in measure(request, mpi, ranks)]
    if json_file:
        write_rows(rows, json_file)


def measure(request: Request, mpi: str, ranks: int) -> list[Row]:
    """Run one job, print its cases, and give the rows."""
    rows = []
    for case, ways in times_of(_job(request, mpi, ranks)).items():
        ours = ways.pop("stream")
        for peer, theirs in ways.items():
            found = [
                paired_row(
                    f"{case}, {ranks} ranks, {mpi}",
                    metric,
                    "ns",
                    [(own[index], other[index]) for own, other in zip(ours, theirs, strict=True)],
                    peer,
                )
                for index, metric in enumerate(METRICS)
            ]
            rows += found
            texts = [f"{row['metric']} {row['ours']:.1f} ns ({row['ratio']:.2f} of {peer}'s)" for row in found]
            print(f"{mpi}, {ranks} ranks, {case}: {', '.join(texts)}", flush=True)
    for peer in dict.fromkeys(row["peer_name"] for row in rows):
        means = [
            f"{metric} {geometric_mean([row['ratio'] for row in rows if (row['peer_name'], row['metric']) == key]):.2f}"
            for metric in METRICS
            for key in [(peer, metric)]
        ]
        print(f"{mpi}, {ranks} ranks, {peer} / stream, geometric means: {', '.join(means)}", flush=True)
    return rows


def times_of(text: str) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Read what the program printed: by case and way, the rounds' wall and processor times in nanoseconds."""
    times: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for line in text.splitlines():
        case, _, way, wall, processor = line.split()
        times[case][way].append((float(wall), float(processor)))
    return times


def _job(request: Request, mpi: str, ranks: int) -> str:
    options = library_options("stream", mpi, os.environ)
    # What is inlined from the headers belongs to the library that they came with.
    headers = sorted((Path(options[0].removeprefix("-I")) / "thalweg").glob("*.h*"))
    program = compiled_program("streams", [*_FILES, *headers], mpi, os.environ, options)
    where = ["lab", "run", "--name", request.lab, "--native"] if request.lab else ["run", "--disable", "--mpi", mpi]
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if request.lab else {}
    items = str(max(request.items // ranks, 1))
    words = [*where, "-n", str(ranks), "--", program, str(request.rounds), items]
    command = [sys.executable, "-m", "thalweg", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | consent)
    if done.returncode:
        raise ThalwegError(FAILED, f"{' '.join(words)} ended with status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout
