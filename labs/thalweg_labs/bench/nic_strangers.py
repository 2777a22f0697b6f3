# SPDX-License-Identifier: BSD-3-Clause
"""What a stranger's program sees of network devices: it makes one call at a time, and each way has jobs of its own.

Jobs take turns: natively, with the best strategy on hosts, and on devices. The program is that of `thalweg bench
strangers`, which has two barriers before each call. They are on devices where the call is, and else the library's. How
ranks leave a barrier decides who waits in the call behind it, so a call is also timed with its barriers.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from thalweg.rows import Row, paired_row
from thalweg.strategies import all_strategies
from thalweg.trials.compiler import compiled_program
from thalweg_labs.bench.finished import finished
from thalweg_labs.bench.strangers import PROGRAM

CASES = (("barrier", 0), ("allreduce", 8), ("allgather", 32), ("allgather", 128), ("broadcast", 4096))
_OFFLOADED = "nic"
_EXACT = "nic:sum=exact"
"""Where it is about sums."""
_NATIVE = "native"
_CALLS = 2000
_CALLS_TO_CHOOSE = 300
_WARM = 50
_CASE_LIMIT_S = 10
_PATIENCE_S = 300


class Times(NamedTuple):
    """Microseconds."""

    call: float
    turn: float
    """With the barriers before it."""


class Ways:
    """How jobs of one case are run."""

    def __init__(self, mpi: str, ranks: int, lab: str, case: tuple[str, int]) -> None:
        """Have the program for that MPI."""
        self.operation, self.size = case
        self._start = [sys.executable, "-m", "thalweg", "lab", "run", "--name", lab, "-n", str(ranks)]
        self._program = compiled_program("strangers", [PROGRAM], mpi, os.environ)

    def microseconds(self, way: str, calls: int) -> Times:
        """Run a job, and give what a call took: the mean over the ranks of each rank's median."""
        options = ["--native"] if way == _NATIVE else ["--use", self._selections(way), "--learn", "off"]
        words = [str(_WARM), str(calls), str(_CASE_LIMIT_S), self.operation, str(self.size)]
        settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "THALWEG_SUMMARY": "0"}
        printed = finished([*self._start, *options, "--", self._program, *words], _PATIENCE_S, settings)
        call, turn = printed.split()[3:5]
        return Times(float(call), float(turn))

    def _selections(self, way: str) -> str:
        own = f"{self.operation}={way}"
        if self.operation == "barrier" or not way.startswith(_OFFLOADED):
            return own
        return f"{own};barrier={_OFFLOADED if way == _EXACT else way}"

    def best_on_hosts(self) -> str:
        """Give the strategy of hosts whose call is the shortest."""
        names = [entry.name for entry in all_strategies(self.operation) if entry.name != _OFFLOADED]
        return min(names, key=lambda name: self.microseconds(name, _CALLS_TO_CHOOSE).turn)


def rows_of(case: str, best: str, times: Mapping[str, Sequence[Times]]) -> list[Row]:
    """Put each way on devices beside the best one on hosts, and beside the library."""
    rows = []
    for way, own in times.items():
        if not way.startswith(_OFFLOADED):
            continue
        for peer, title in ((best, f"best on hosts: {best}"), (_NATIVE, _NATIVE)):
            calls = [(ours.call, other.call) for ours, other in zip(own, times[peer], strict=True)]
            turns = [(ours.turn, other.turn) for ours, other in zip(own, times[peer], strict=True)]
            rows.append(paired_row(case.format(way), "completion time", "us", calls, title))
            rows.append(paired_row(case.format(way), "completion time with two barriers", "us", turns, title))
    return rows


def measure(mpi: str, ranks: int, lab: str, jobs: int, tops: Sequence[str]) -> list[Row]:
    """Run the jobs of all cases, print and give the rows. `tops`: where devices may be joined: switch, card."""
    rows = []
    for operation, size in CASES:
        ways = Ways(mpi, ranks, lab, (operation, size))
        best = ways.best_on_hosts()
        offloaded = [f"{_OFFLOADED}:where={top}" for top in tops] + [_EXACT] * (operation == "allreduce")
        names = [_NATIVE, best, *offloaded]
        turns = [{name: ways.microseconds(name, _CALLS) for name in names} for _ in range(jobs)]
        times = {name: [turn[name] for turn in turns] for name in names}
        print(f"{operation}, {size} B:", ", ".join(_text(name, times[name]) for name in names), flush=True)
        rows += rows_of(f"{mpi}: {operation} {{}}, {size} B, {ranks} ranks, one call at a time", best, times)
    return rows


def _text(name: str, times: Sequence[Times]) -> str:
    call, turn = (median(figures) for figures in zip(*times, strict=True))
    return f"{name} {call:.1f} us, with two barriers {turn:.0f} us"
