# SPDX-License-Identifier: BSD-3-Clause
"""What a receive takes whose message is there, with many senders and many messages that nobody asks for.

The source's test of receives from anybody (Zhang 2002, section 4.2): by a team whose inboxes are on the hosts' network
devices, and by the library, in turns in one job; jobs are repeated.
"""

import math
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from thalweg.errors import NIC, ThalwegError
from thalweg.rows import Row, make_row
from thalweg.trials.compiler import compiled_program, library_options
from thalweg_labs.bench.finished import finished

_PROGRAM = Path(__file__).parent / "program" / "inboxes.c"
_ON_DEVICES = "messages are matched on the hosts' network devices"
_REPEATS = 200
_QUEUED = (1, 2, 4, 8, 16)
_MAX_QUEUED = _QUEUED[-1]
_PATIENCE_S = 300

Times = Mapping[tuple[int, int], Mapping[str, float]]
"""By senders and messages of each that nobody asks for: each way's seconds."""


def cases_for(ranks: int) -> list[tuple[int, int]]:
    """Double the senders with many messages, then the messages of all senders."""
    senders = [2**power for power in range(1, ranks.bit_length()) if 2**power < ranks]
    return [(count, _MAX_QUEUED) for count in senders] + [(senders[-1], queued) for queued in _QUEUED[:-1]]


def per_doubling(figures: Sequence[tuple[int, float]]) -> float:
    """Give the growth of a figure with each doubling, in percent: the slope of its logarithm, by least squares."""
    points = [(math.log2(size), math.log(figure)) for size, figure in figures]
    size_mean, mean = (math.fsum(values) / len(points) for values in zip(*points, strict=True))
    covariance = math.fsum((size - size_mean) * (value - mean) for size, value in points)
    variance = math.fsum((size - size_mean) ** 2 for size, _ in points)
    return 100 * math.expm1(covariance / variance)


def rows_of(mpi: str, times: Times) -> list[Row]:
    """Put the team's receives beside the library's, and how both grow."""
    rows = []
    for (senders, queued), ways in times.items():
        for ours, title in (("any", "from anybody"), ("named", "from a rank")):
            case = f"{mpi}: receive {title}, {senders} senders, {queued} queued of each"
            rows.append(make_row(case, "completion time", "us", ways[ours] * 1e6, ways[f"mpi-{ours}"] * 1e6, mpi))
    max_senders = max(senders for senders, _ in times)
    for what, chosen in (
        ("senders", {senders: ways for (senders, queued), ways in times.items() if queued == _MAX_QUEUED}),
        ("messages", {queued: ways for (senders, queued), ways in times.items() if senders == max_senders}),
    ):
        own, peer = (per_doubling([(size, ways[way]) for size, ways in chosen.items()]) for way in ("any", "mpi-any"))
        rows.append(make_row(f"{mpi}: receive from anybody", f"growth a doubling of {what}", "%", own, peer, mpi))
    return rows


def _job(mpi: str, ranks: int, lab: str, cases: Sequence[tuple[int, int]]) -> list[str]:
    program = compiled_program("inboxes", [_PROGRAM], mpi, os.environ, library_options("team", mpi, os.environ))
    words = ["lab", "run", "--name", lab, "--native", "-n", str(ranks), "--", program, str(_REPEATS)]
    words += [f"{senders}:{queued}" for senders, queued in cases]
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    where, *lines = finished([sys.executable, "-m", "thalweg", *words], _PATIENCE_S, consent).splitlines()
    if where != _ON_DEVICES:
        raise ThalwegError(NIC, where, "see that all hosts of the lab have agents: thalweg lab up --nic")
    return lines


def measure(mpi: str, ranks: int, lab: str, jobs: int) -> list[Row]:
    """Run the jobs, print each case, and give the rows."""
    found: dict[tuple[int, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(jobs):
        for line in _job(mpi, ranks, lab, cases_for(ranks)):
            senders, queued, way, seconds = line.split()
            found[int(senders), int(queued)][way].append(float(seconds))
    times = {case: {way: median(values) for way, values in ways.items()} for case, ways in found.items()}
    rows = rows_of(mpi, times)
    for row in rows:
        print(f"{row['case']}: {row['metric']} {row['ours']:.2f} {row['unit']}, {mpi} {row['peer']:.2f}", flush=True)
    return rows
