# SPDX-License-Identifier: BSD-3-Clause
"""The examples of streams, each of their ways: a message for each item, buffers made by hand, and streams.

Jobs of the three ways take turns. The answers have to be the same. The time is what a program prints itself.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

from thalweg.errors import FAILED, PROGRAM, ThalwegError
from thalweg.rows import Row, paired_row, write_rows

Way = TypeVar("Way")
OURS = "stream"
PEERS = ("direct", "buffered")
PROGRAMS = {
    "random_access": ("--bits", "{scale}"),
    "contagion": ("--people", "{items}", "--places", "{half}"),
    "requests": ("--particles", "{items}"),
}


class Request(NamedTuple):
    """What to measure."""

    mpi: str
    ranks: Sequence[int]
    folder: Path
    rounds: int
    items: int
    """People and particles; the table has eight times as many words, or up to twice that."""


def run(request: Request, json_file: str) -> None:
    """Measure, print each program, and write all rows."""
    rows = [row for ranks in request.ranks for name in PROGRAMS for row in measure(request, name, ranks)]
    if json_file:
        write_rows(rows, json_file)


def measure(request: Request, name: str, ranks: int) -> list[Row]:
    """Run a program's ways in turns, and give a row for each of the others."""
    times: dict[str, list[float]] = {way: [] for way in (OURS, *PEERS)}
    answers = set()
    for _ in range(request.rounds):
        for way, found in times.items():
            seconds, answer = read_output(_job(request, name, ranks, way))
            found.append(seconds)
            answers.add(answer)
    if len(answers) != 1:
        raise ThalwegError(FAILED, f"the ways of {name} differ in their answers:\n" + "\n".join(sorted(answers)))
    case = f"{name}, {ranks} ranks, {request.mpi}"
    rows = [
        paired_row(case, "wall time", "s", list(zip(times[OURS], times[peer], strict=True)), peer) for peer in PEERS
    ]
    texts = [f"{row['peer_name']} {row['peer']:.3f} s ({row['ratio']:.1f} times as long)" for row in rows]
    print(f"{case}: stream {rows[0]['ours']:.3f} s, {', '.join(texts)}", flush=True)
    return rows


def read_output(text: str) -> tuple[float, str]:
    """Give the seconds and the answer that an example has printed."""
    seconds = re.search(r"^time: .*\bseconds=(\S+)", text, re.MULTILINE)
    answer = re.search(r"^answer: .*$", text, re.MULTILINE)
    if seconds is None or answer is None:
        raise ThalwegError(FAILED, f"no time and no answer in what the example has printed:\n{text[-2000:]}")
    return float(seconds[1]), answer[0]


def seconds_in_turns(ways: Sequence[Way], job: Callable[[Way], str], rounds: int = 3) -> list[float]:
    """Run each way's job so often, in turns, and give their medians; their answers have to be the same."""
    times: list[list[float]] = [[] for _ in ways]
    answers = set()
    for _ in range(rounds):
        for found, way in zip(times, ways, strict=True):
            seconds, answer = read_output(job(way))
            found.append(seconds)
            answers.add(answer)
    if len(answers) != 1:
        raise ThalwegError(FAILED, "the ways of an example differ in their answers:\n" + "\n".join(sorted(answers)))
    return [median(found) for found in times]


def options_of(name: str, items: int) -> list[str]:
    """Size a program's problem."""
    values = {"items": items, "half": max(items // 2, 1), "scale": (8 * items).bit_length()}
    return [word.format(**values) for word in PROGRAMS[name]]


def _job(request: Request, name: str, ranks: int, way: str) -> str:
    words = ["--verify", "no", "--way", way, *options_of(name, request.items)]
    return run_example(request.folder, name, request.mpi, ranks, words)


def example_of(folder: Path, name: str, mpi: str) -> Path:
    """Find an example's program."""
    program = folder / f"{name}-{mpi}"
    if not program.exists():
        message = f"the example {program} is missing"
        raise ThalwegError(PROGRAM, message, "build the examples (make build in the sources), and name --folder")
    return program


def run_example(  # noqa: PLR0913, PLR0917 - a job
    folder: Path, name: str, mpi: str, ranks: int, words: Sequence[str], variables: Mapping[str, str] | None = None
) -> str:
    """Start an example as it is, without an interposer, and give what it prints."""
    program = example_of(folder, name, mpi)
    start = [sys.executable, "-m", "thalweg", "run", "--disable", "--mpi", mpi, "-n", str(ranks), "--"]
    given = os.environ | dict(variables or {})
    done = subprocess.run([*start, str(program), *words], capture_output=True, text=True, check=False, env=given)
    if done.returncode:
        ended = f"{name} {' '.join(words)} ended with status {done.returncode}"
        raise ThalwegError(FAILED, f"{ended}\n{done.stderr[-2000:]}")
    return done.stdout
