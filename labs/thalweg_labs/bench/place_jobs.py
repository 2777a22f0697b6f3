# SPDX-License-Identifier: BSD-3-Clause
"""Placement in running jobs: stencils and all-gathers on labs whose hosts were dealt out in a random order.

Each program runs natively, under Thalweg with ranks where the launcher put them, and with `--place auto` behind the run
that records. These three take turns. Then the same with a list of hosts that is wrong, and with another job's traffic
on a few links.
"""

import math
import os
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.lab.hosts import Lab
from thalweg.placement.files import read_pattern
from thalweg.rows import Row, make_row, paired_row
from thalweg.trials.compiler import compiled_program
from thalweg.units import size_text
from thalweg_labs.bench.foreign_flow import bytes_over, foreign_flow, hottest_hop
from thalweg_labs.bench.lab_jobs import Outcome, made_lab, run_job

PROGRAM = Path(__file__).parent / "program" / "placed.c"
_USES = {"allgather-ring": ["--use", "allgather=ring"]}
"""Kinds that run on a strategy of ours; they are the program's kinds up to the hyphen."""

KINDS = ("ring", "grid", "allgather", "neighbors", *_USES)
_RUNS_MAX = 12
"""With `--place auto`, until a trial has decided."""
_RUNS_BESIDE_FLOW = 2
"""The first tries what it proposes, and the second finds that decided, where they have the time of minutes."""

_DEALT = ["--learn", "off"]
_STEPS_FIRST = 8


class JobRequest(NamedTuple):
    """What to measure."""

    mpis: Sequence[str]
    topologies: Sequence[str]
    rates: tuple[str, str]
    """Of links between switches, and of hosts' own."""

    shuffle: int
    kinds: Sequence[str]
    size: int
    rounds: int
    seconds: float
    """That a program runs natively, about."""

    foreign: Sequence[str]
    """Kinds that also run with a wrong list of hosts, and beside another job's traffic."""

    mappings: int
    """Whose times are held against the objectives (thalweg_labs.bench.place_metrics)."""


class _Case(NamedTuple):
    lab: Lab
    words: list[str]
    title: str
    folder: Path
    """For patterns and reports."""

    dealt: list[str]
    """How it runs under Thalweg with ranks where the launcher put them."""

    @property
    def placed(self) -> list[str]:
        return [*self.dealt, "--place", "auto", "--patterns", str(self.folder)]

    @property
    def report(self) -> Path:
        return self.folder / "report.json"

    def run(self, options: Sequence[str]) -> Outcome:
        return run_job(self.lab, self.words, options)


def hosts_of(topology: str) -> int:
    """Give the hosts that a torus has by its name, and 8 of other shapes."""
    kind, _, extents = topology.partition(":")
    return math.prod(int(one) for one in extents.split("x")) if kind == "torus" else 8


def job_rows(request: JobRequest) -> Iterator[Row]:
    """Time all programs on labs that are made for it and taken down."""
    for topology in request.topologies if request.kinds or request.foreign else ():
        hosts = hosts_of(topology)
        with made_lab(f"place{os.getpid()}", hosts, topology, request.rates, request.shuffle) as lab:
            for mpi in request.mpis:
                for kind in request.kinds:
                    with _case(request, lab, mpi, kind) as case:
                        yield from _rows_of(case, request.rounds)
                for kind in request.foreign:
                    with _case(request, lab, mpi, kind) as case:
                        yield from _wrong_list_rows(case, request.rounds)
                    with _case(request, lab, mpi, kind) as case:
                        yield from _flow_rows(case, request.rounds)


@contextmanager
def _case(request: JobRequest, lab: Lab, mpi: str, kind: str) -> Iterator[_Case]:
    """Make a program with as many steps as take the seconds that were asked for."""
    program = [compiled_program("placed", [PROGRAM], mpi, os.environ), kind.partition("-")[0], str(request.size)]
    first = run_job(lab, [*program, str(_STEPS_FIRST)], ["--native"]).seconds
    steps = max(_STEPS_FIRST, math.ceil(request.seconds * _STEPS_FIRST / max(first, 1e-6)))
    title = f"{kind}, {size_text(request.size)}, {lab.hosts} hosts on {lab.topology}, {mpi}"
    with tempfile.TemporaryDirectory() as folder:
        yield _Case(lab, [*program, str(steps)], title, Path(folder), [*_DEALT, *_USES.get(kind, [])])


def _decided(case: _Case) -> tuple[int, Outcome]:
    """Record, and run until a trial has decided; gives how many runs that took behind the first, and the last."""
    case.run(case.placed)
    for count in range(1, _RUNS_MAX + 1):
        found = run_job(case.lab, case.words, case.placed, case.report)
        files = list(case.folder.glob("*.trials"))
        if not files or files[0].read_text().splitlines()[-1].split()[1] != "open":
            return count, found
    return _RUNS_MAX, found


def _in_turns(case: _Case, ways: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {way: [] for way in ways}
    answers = set()
    for turn in range(rounds):
        for way, options in list(ways.items())[:: 1 if turn % 2 == 0 else -1]:
            found = case.run(options)
            times[way].append(found.seconds)
            answers.add(found.answer)
    if len(answers) != 1:
        raise ThalwegError(FAILED, f"{case.title}: answers differ: {', '.join(sorted(answers))}")
    return times


def _paired(case: _Case, times: Mapping[str, Sequence[float]], what: str, ours: str = "placed") -> Iterator[Row]:
    for peer, seconds in times.items():
        if peer != ours:
            pairs = list(zip(times[ours], seconds, strict=True))
            yield paired_row(f"{case.title}{what}", "time of all steps", "s", pairs, peer)


def _rows_of(case: _Case, rounds: int) -> Iterator[Row]:
    runs, last = _decided(case)
    ways = {"native": ["--native"], "as dealt out": case.dealt, "placed": case.placed}
    said = "placed" if last.placing.get("adopted") else "ranks stay"
    yield from _paired(case, _in_turns(case, ways, rounds), f": {said} in run {runs + 1}")


def _wrong_list_rows(case: _Case, rounds: int) -> Iterator[Row]:
    """Give the job a list in which hosts are at others' places: nothing may get slower."""
    path = case.lab.node_list
    right = path.read_text()
    places = list(range(case.lab.hosts))
    random.Random(1).shuffle(places)  # noqa: S311 - it guards nothing
    lines = (f"{name} {place}" for name, place in zip(case.lab.names, places, strict=True))
    path.write_text("\n".join([f"# {case.lab.network}", *lines]) + "\n")
    try:
        case.run(case.placed)
        recorded_for_minutes(case.folder)
        last = run_job(case.lab, case.words, case.placed, case.report)
        said = "placed" if last.placing.get("adopted") else "ranks stay"
        times = _in_turns(case, {"as dealt out": case.dealt, "placed": case.placed}, rounds)
        yield from _paired(case, times, f", a wrong list of hosts: {said}")
    finally:
        path.write_text(right)


def recorded_for_minutes(folder: Path) -> Path:
    """Let the only pattern in a folder say that its run took minutes: then a trial has the time to decide at once."""
    (pattern,) = folder.glob("*.pattern")
    pattern.write_text(re.sub(r"(?m)^seconds .*$", "seconds 200", pattern.read_text()))
    return pattern


def _flow_rows(case: _Case, rounds: int) -> Iterator[Row]:
    """Send over the link that the numbering for quiet links loads most, beside the job."""
    case.run(case.placed)
    pattern = read_pattern(str(recorded_for_minutes(case.folder)))
    quiet = run_job(case.lab, case.words, case.placed, case.report).placing["proposed"]
    if not quiet:
        return
    slots = case.folder / "slots"
    slots.write_text(" ".join(map(str, quiet)) + "\n")
    flow = hottest_hop(case.lab, pattern, quiet)
    with foreign_flow(case.lab, flow.sender, flow.receiver):
        found = [run_job(case.lab, case.words, case.placed, case.report).placing for _ in range(_RUNS_BESIDE_FLOW)]
        ways = {
            "as dealt out": case.dealt,
            "placed as if links were quiet": [*case.dealt, "--place", str(slots)],
            "placed": case.placed,
        }
        times = _in_turns(case, ways, rounds)
    title = f"{case.title}, a flow over {flow.link}"
    seen = " ".join(found[-1]["busy_links"]) or "nothing"
    yield from _paired(case._replace(title=title), times, f", {seen} seen busy")
    ours, unaware = (bytes_over(case.lab, pattern, one, flow) for one in (found[-1]["slots"], quiet))
    yield make_row(title, "the job's own bytes there", "bytes", ours, unaware, "placed as if links were quiet")
