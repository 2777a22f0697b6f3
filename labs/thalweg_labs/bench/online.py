# SPDX-License-Identifier: BSD-3-Clause
"""Programs whose communication changes, followed while they run.

Each phase's best strategy is found first, by trying every candidate in a trial job. Then the whole program takes
turns: natively, with each phase's best from its first call on, and learning from nothing.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from rich.progress import track

from thalweg import _core
from thalweg.errors import FAILED, USAGE, ThalwegError
from thalweg.rows import Row, make_row, write_rows
from thalweg.trials.cases import node_places
from thalweg.trials.compiler import compiled_program
from thalweg.trials.session import NATIVE, Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.units import time_text

PROGRAM = Path(__file__).parent / "program" / "phases.c"
PHASES = ("alltoall:64:240000", "alltoallv:16384:160000:2", "allgather:4096:280000")
_TRIED_TOGETHER = 8
_TRIED_AGAIN = 4
_VARYING = "alltoallv"


def phases_program(mpi: str, environment: Mapping[str, str]) -> str:
    """Give the path of the program of phases for an MPI."""
    return compiled_program("phases", [PROGRAM], mpi, environment)


def batched(uses: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Cut into rows of `size`, native in each of them, so that what is far off is seen as such."""
    for begin in range(1, len(uses), size):
        yield [uses[0], *uses[begin : begin + size]]


class Phase(NamedTuple):
    """A row of calls of one collective, as the program's arguments write it."""

    operation: str
    size: int
    calls: int
    degree: str

    @classmethod
    def parse(cls, text: str) -> "Phase":
        """Read OPERATION:BYTES:CALLS[:DEGREE]."""
        words = text.split(":")
        if len(words) not in (3, 4) or not all(word.isdecimal() for word in words[1:]):
            raise ThalwegError(USAGE, f"'{text}' is no phase", "write OPERATION:BYTES:CALLS[:DEGREE]")
        return cls(words[0], int(words[1]), int(words[2]), words[3] if len(words) == 4 else "")

    def words(self, calls: int) -> str:
        """Write it with another number of calls."""
        return ":".join([self.operation, str(self.size), str(calls), *([self.degree] if self.degree else [])])


class Request(NamedTuple):
    """What to run."""

    mpi: str
    ranks: int
    lab: str
    phases: Sequence[Phase]
    turns: int
    native: bool
    """Whether to run it natively too, which takes minutes where the library spins on too few cores."""


class Bench:
    """Runs the program in all its ways."""

    def __init__(self, request: Request, folder: str) -> None:
        """Keep reports and tuning files in `folder`."""
        self.request = request
        self.folder = Path(folder)
        self.program = phases_program(request.mpi, os.environ)
        self.machine = _core.default_machine()
        words = start_words([], request.ranks, trial_program(request.mpi, os.environ))
        with Session(words, lab=request.lab) as session:
            self.job = session.job
            self.best_of = {phase: self.best(session, phase) for phase in request.phases}

    def run(self, phases: Sequence[str], *options: str) -> list[float]:
        """Run the program; gives the seconds of its phases."""
        lab = self.request.lab
        start = ["lab", "run", "--name", lab] if lab else ["run", "--no-summary"]
        consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if lab else {}
        words = [*start, *options, "-n", str(self.request.ranks), "--", self.program, *phases]
        done = subprocess.run(
            [sys.executable, "-m", "thalweg", *words],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | consent,
        )
        if done.returncode:
            raise ThalwegError(FAILED, f"{' '.join(words)} ended with status {done.returncode}\n{done.stderr[-2000:]}")
        return [float(line.split()[1]) for line in done.stdout.splitlines()]

    @staticmethod
    def chosen(phase: Phase, use: str) -> list[str]:
        """Write the option that chooses a strategy for a phase's calls."""
        return [] if use == NATIVE else ["--use", f"{phase.operation}={use}"]

    def best(self, session: Session, phase: Phase) -> str:
        """Find the fastest candidate of all by trying each; the better ones again, side by side."""
        share = int(phase.degree) if phase.degree else self.request.ranks
        size = phase.size * share // self.request.ranks
        nodes, where = list(self.job.nodes), node_places(self.job, self.machine)
        found = _core.candidates(
            phase.operation, size, self.request.ranks, nodes, self.machine, [], [], where, list(self.job.leaves)
        )
        operation = f"{phase.operation}:{phase.degree}" if phase.degree else phase.operation
        uses = [NATIVE, *(candidate.text for candidate in found)]
        times: dict[str, float] = {}
        for batch in track(list(batched(uses, _TRIED_TOGETHER)), phase.operation, transient=True):
            samples = session.measure(operation, phase.size, batch, batches=5, limit=3)
            times |= {use: median(sample.completion_us) for use, sample in samples.items()}
        first = sorted(uses, key=lambda use: times[use])[:_TRIED_AGAIN]
        again = session.measure(operation, phase.size, first, batches=25)
        return min(first, key=lambda use: median(again[use].completion_us))

    def tuning_of(self) -> list[str]:
        """Write a tuning file with each phase's best; gives the options that make runs use it."""
        path = self.folder / "best.toml"
        # A report costs time too; where learning writes one, so does what it is held against.
        options = ["--learn", "off", "--tuning", str(path), "--report", str(self.folder / "known.json")]
        tuning = _core.Tuning()
        tuning.machine = _core.Fingerprint(list(self.job.fingerprint))
        picks = []
        for phase, use in self.best_of.items():
            if phase.operation == _VARYING:
                options += self.chosen(phase, use)
                continue
            pick = _core.Pick()
            pick.call, pick.ranks, pick.nodes, pick.bytes = phase.operation, self.request.ranks, self.nodes, phase.size
            pick.use, pick.source = use, "tune"
            picks.append(pick)
        tuning.picks = picks
        path.unlink(missing_ok=True)
        _core.save_tuning(str(path), tuning)
        return options

    @property
    def nodes(self) -> int:
        """Count the nodes of the job."""
        return len(set(self.job.nodes))

    def learning(self, phases: Sequence[str]) -> tuple[list[float], list[dict[str, Any]]]:
        """Run with nothing known; gives the phases' seconds and what was learned."""
        tuning = self.folder / "fresh.toml"
        tuning.unlink(missing_ok=True)
        report = self.folder / "report.json"
        seconds = self.run(phases, "--tuning", str(tuning), "--report", str(report))
        return seconds, json.loads(report.read_text())["learned"]


def _line(name: str, runs: Sequence[Sequence[float]]) -> str:
    phases = ", ".join(time_text(median(times)) for times in zip(*runs, strict=True))
    return f"  {name}: {time_text(median(sum(run) for run in runs))} ({phases})"


def _share(learned: Sequence[Mapping[str, Any]]) -> float:
    """Tell what part of the time was spent on learning; nothing where calls were too few to be measured."""
    known_s = sum(entry["time_s"] for entry in learned)
    return sum(entry["spent_s"] for entry in learned) / known_s if known_s else 0.0


def measure(bench: Bench) -> list[Row]:
    """Find each phase's best, run in turns, and print."""
    request = bench.request
    for phase, use in bench.best_of.items():
        print(f"{phase.words(phase.calls)}: best is {use}", flush=True)
    options = bench.tuning_of()
    words = [phase.words(phase.calls) for phase in request.phases]
    native, known, learning, shares = [], [], [], []
    for _ in range(request.turns):
        if request.native:
            native.append(bench.run(words, "--native" if request.lab else "--disable"))
        known.append(bench.run(words, *options))
        seconds, learned = bench.learning(words)
        learning.append(seconds)
        shares.append(_share(learned))
    for name, runs in (("native", native), ("best of each phase", known), ("learning", learning)):
        if runs:
            print(_line(name, runs))
    print(f"  learning cost {100 * median(shares):.2f} % of the time in collectives", flush=True)
    what = f"{' '.join(words)}, {request.ranks} ranks on {bench.nodes} nodes"
    ours = median(sum(run) for run in learning)
    peers = {"total against each phase's best": known} | ({"total against native": native} if native else {})
    rows = [
        make_row(what, metric, "s", ours, median(sum(run) for run in runs), request.mpi)
        for metric, runs in peers.items()
    ]
    return [*rows, make_row(what, "share spent on learning", "1", median(shares), 0.02, request.mpi)]


def run(request: Request, json_file: str) -> None:
    """Measure, print, and write the rows."""
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Bench(request, folder))
    if json_file:
        write_rows(rows, json_file)
