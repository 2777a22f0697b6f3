# SPDX-License-Identifier: BSD-3-Clause
"""Tables 7.3 and 7.4 of S. Kumar 2005: electrons' density, whose planes are transposed and multicast.

Where all states' planes with one number are together, transposes go far, and messages are used as they come. Where a
state's planes are together, the potential goes far: 165 KB to each of them.
"""

from __future__ import annotations

from thalweg_labs.bench.examples import seconds_in_turns
from thalweg_labs.bench.papers_jobs import runner, where
from thalweg_labs.bench.papers_rows import Request, Row

STEPS = 4
STREAMED = ("--states", "16", "--planes", "48", "--steps", str(STEPS), "--mapping", "plane", "--verify", "no")
"""A plane goes to 48 others, in rows of 768 bytes, and comes from 25 that have waves."""
WAYS = {
    "streamed": ("--transposes", "stream"),
    "combined": ("--transposes", "direct"),
    "combined along a mesh": ("--transposes", "mesh"),
    "plain MPI": ("--way", "mpi"),
}
STREAMED_PAPER = "737, 687, 677, 685 ms with buckets of 1, 5, 10, 20"
MULTICAST_STEPS = 2
MULTICAST = (
    "--states", "2", "--planes", "144", "--steps", str(MULTICAST_STEPS), "--mapping", "state", "--verify", "no",
)  # fmt: skip
"""A plane of the potential has 165,888 bytes."""
ROUTES = ("direct", "ring", "tree")
MULTICAST_PAPER = "2067 from main memory, 1268 by the strategies"
UNSAID = (
    "table 7.3: the text has 128 states of 100 planes: 16 of 48 here, with waves up to a quarter of the grid's",
    "table 7.3: objects' streams send when a rank has nothing to run, and have no bucket: combined is the largest one",
    "table 7.4: the text has 128 states: 2 here, in planes of which one has as many bytes as the text's",
)


def transposes(request: Request) -> list[Row]:
    """Measure steps with each way of sending transposes."""
    ranks, output = runner(request, "density")
    seconds = seconds_in_turns(list(WAYS.values()), lambda way: output([*STREAMED, *way]))
    times = dict(zip(WAYS, seconds, strict=True))
    case = f"density, {where(request, ranks)}"
    first = Row("table 7.3", f"{case}: step, streamed", times["streamed"] / STEPS * 1e3, 0, "ms", STREAMED_PAPER)
    others = [way for way in WAYS if way != "streamed"]
    return [
        first,
        *(Row("table 7.3", f"{case}: {way} by streamed", times[way] / times["streamed"], 0, "", "") for way in others),
    ]


def multicasts(request: Request) -> list[Row]:
    """Measure steps with each route of the potential."""
    ranks, output = runner(request, "density")
    ways = [*(("--multicast", route) for route in ROUTES), ("--way", "mpi")]
    seconds = seconds_in_turns(ways, lambda way: output([*MULTICAST, *way]))
    case = f"density, 165 KB, {where(request, ranks)}: step"
    names = [*ROUTES, "plain MPI"]
    return [
        Row("table 7.4", f"{case}, {name}", found / MULTICAST_STEPS * 1e3, 0, "ms", MULTICAST_PAPER if not i else "")
        for i, (name, found) in enumerate(zip(names, seconds, strict=True))
    ]
