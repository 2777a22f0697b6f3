# SPDX-License-Identifier: BSD-3-Clause
"""Table 7.5 of S. Kumar 2005: a radix sort whose keys travel in all ways, over the size of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thalweg_labs.bench.examples import seconds_in_turns
from thalweg_labs.bench.papers_jobs import runner, where
from thalweg_labs.bench.papers_rows import Request, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OBJECTS = 1
"""Sorters of a rank. With more, what takes the time is that each counts 65,536 digits."""
KEY_BYTES = 8
BY_DIRECT = {200: "0.16", 900: "0.19", 4000: "0.27", 8000: "0.40"}
"""By bytes of a message: the text's time with a mesh, by that with direct messages."""
STRATEGIES = ("direct", "mesh", "grid", "hypercube", "stream")
UNSAID = ("table 7.5: messages are as long as the text's between our sorters, of which there are fewer",)


def sorts(request: Request) -> Iterator[list[Row]]:
    """Measure sorts by messages of each size, on the lab's hosts or on two ranks here."""
    ranks, output = runner(request, "radix_sort_objects")
    ways = [["--exchange", "alone"], *(["--exchange", one] for one in STRATEGIES), ["--way", "mpi"]]
    names = ["alone", *STRATEGIES, "plain MPI"]
    for size, paper in BY_DIRECT.items():
        keys = size * ranks * OBJECTS // KEY_BYTES
        problem = ["--keys-per-rank", str(keys), "--objects", str(OBJECTS)]

        def job(way: list[str], problem: Sequence[str] = tuple(problem)) -> str:
            return output([*problem, *way])

        seconds = seconds_in_turns(ways, job)
        times = dict(zip(names, seconds, strict=True))
        case = f"radix sort, {where(request, ranks)}, {size} B"
        rows = [Row("table 7.5", f"{case}: direct", times["direct"] * 1e3, 0, "ms", "")]
        for name in (name for name in names if name != "direct"):
            ratio = times[name] / times["direct"]
            rows.append(Row("table 7.5", f"{case}: {name} by direct", ratio, 0, "", paper if name == "mesh" else ""))
        yield rows
