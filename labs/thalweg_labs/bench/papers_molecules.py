# SPDX-License-Identifier: BSD-3-Clause
"""Tables 7.1 and 7.2 of S. Kumar 2005: molecules whose mesh of charges is transposed in several ways.

A step's time is compared, not a transpose's: forces are computed meanwhile. What the text's machine had is simulated.
"""

from __future__ import annotations

from typing import NamedTuple

from thalweg_labs.bench.examples import run_example, seconds_in_turns
from thalweg_labs.bench.papers_combining import neighbor_send
from thalweg_labs.bench.papers_jobs import runner, where
from thalweg_labs.bench.papers_rows import Request, Row

STEPS = 40
PROBLEM = ("--cells", "4", "--points", "4", "--steps", str(STEPS), "--verify", "no")
"""On 8 ranks each has two planes, and 576 bytes for each other rank."""
WAYS = {
    "direct": ("--transposes", "direct"),
    "mesh": ("--transposes", "mesh"),
    "MPI_Alltoallv": ("--transposes", "mpi"),
    "MPI_Ialltoallv": ("--transposes", "mpi_nonblocking"),
    "plain MPI, no objects": ("--way", "mpi"),
}
BY_DIRECT = {"mesh": "0.94, 0.97, 0.93; ApoA-1: 0.88, 0.84, 0.76", "MPI_Alltoallv": "1.11, 1.10, 1.02"}
"""Steps of ATPase on 256, 512 and 1,024 processors, by those with direct messages."""
POLLS_US = {0: "", 5: "12 on 3,000 processors", 100: "11.3 on 2,912", 200: "11.2", 500: "11.0"}
POLL_RANKS = (2, 4)
"""On two cores: as many as these, as in the text, and more."""


class Transpose(NamedTuple):
    """What a molecule's mesh sends."""

    molecule: str
    ranks: int
    size: int
    gains: str
    """Of the mesh over direct messages, in a step of 256, 512 and 1,024 processors, ms."""


TRANSPOSES = (
    Transpose("ApoA-1", 108, 600, "5.2, 4.6, 6.5"),
    Transpose("ATPase", 192, 900, "7.2, 2.2, 2.8"),
)
UNSAID = (
    "table 7.1: the mesh that transposes were sent over: as square as can be, with holes; costs are chapter 3's",
    "table 7.1: our molecules are rock salt of 1,728 atoms, which all ranks have a part of the mesh of",
    "table 7.1: before MPI_Alltoallv, ranks wait until all are ready: else they wait for one another for ever",
)


def simulated() -> list[Row]:
    """Simulate a step's two transposes on the text's machine, and say what the mesh gains."""
    rows = []
    for one in TRANSPOSES:
        for processors in (1, 4):
            direct, mesh = (
                2 * neighbor_send(one.ranks, one.ranks - 1, one.size, strategy, processors).finish / 1e6
                for strategy in ("direct", "mesh2d")
            )
            case = f"{one.molecule}, simulated, {processors} a node: gain of the mesh"
            rows.append(Row("table 7.1", case, direct - mesh, 0, "ms", one.gains))
    return rows


def measured(request: Request) -> list[Row]:
    """Measure steps with each way of transposing, on the lab's hosts or on two ranks here."""
    ranks, output = runner(request, "molecules")
    seconds = seconds_in_turns(list(WAYS.values()), lambda way: output([*PROBLEM, *way]))
    times = dict(zip(WAYS, seconds, strict=True))
    place = where(request, ranks)
    rows = [Row("table 7.1", f"molecules, {place}: step, direct", times["direct"] / STEPS * 1e3, 0, "ms", "")]
    for way in list(WAYS)[1:]:
        case = f"molecules, {place}: {way} by direct"
        rows.append(Row("table 7.1", case, times[way] / times["direct"], 0, "", BY_DIRECT.get(way, "")))
    return rows


def polling(request: Request) -> list[Row]:
    """Measure steps here where an idle rank polls so long, and then sleeps until a message wakes it."""
    rows = []
    for ranks in (ranks for ranks in POLL_RANKS if ranks <= request.ranks_max):

        def job(poll_us: int, ranks: int = ranks) -> str:
            waits = {"THALWEG_POLL_US": str(poll_us), "THALWEG_YIELD_US": "0"}
            return run_example(request.folder, "molecules", request.mpi, ranks, PROBLEM, waits)

        seconds = seconds_in_turns(list(POLLS_US), job)
        for (poll_us, paper), found in zip(POLLS_US.items(), seconds, strict=True):
            case = f"molecules, {ranks} ranks: step, polling {poll_us} us, then asleep"
            rows.append(Row("table 7.2", case, found / STEPS * 1e3, 0, "ms", paper))
    return rows
