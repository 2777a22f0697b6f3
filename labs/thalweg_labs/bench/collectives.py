# SPDX-License-Identifier: BSD-3-Clause
"""Time every operation, size and strategy against the MPI library's own, in one job for each MPI.

The job is that of thalweg.trials.session: candidates take turns in batches that begin together, and medians count.
Here are the cases and the rows.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from thalweg.errors import USAGE, ThalwegError
from thalweg.programs.families import BY_NAME
from thalweg.rows import Row, geometric_mean, make_row, write_rows
from thalweg.strategies import all_strategies, operations
from thalweg.trials.session import NATIVE, PASSED_ON, Mode, Session
from thalweg.trials.shipped import trial_program

SIZES = (*(8 * 4**power for power in range(9)), 1 << 20)
WITHOUT_SIZE = "barrier"
UNMEASURED = ("neighbor_allgather", "neighbor_alltoall")
FAMILIES = ("openmpi", "mpich")
_SHORT_US = 1.0
_BATCHES_PASSED_ON = 201  # tens of nanoseconds are sought


class Request(NamedTuple):
    """What to measure."""

    families: Sequence[str]
    ranks: int
    operations: Sequence[str]
    sizes: Sequence[int]
    strategies: Sequence[str]
    batches: int


def measurable_operations() -> list[str]:
    """Name the operations that the measuring program knows."""
    return [name for name in operations() if name not in UNMEASURED]


def candidates(operation: str, chosen: Sequence[str]) -> list[str]:
    """Name what takes turns: native first, then the index's strategies with default parameters, or those chosen."""
    names = [entry.name for entry in all_strategies(operation)]
    return ["native", *(name for name in names if not chosen or name in chosen)]


def measure(family: str, request: Request, *, passed_on: bool) -> Iterator[dict[str, Any]]:
    """Measure native against strategies, or against calls that are passed on to it.

    Calls are passed on in a job of their own, started as programs are: recorded for a summary, no strategy chosen.
    """
    program = trial_program(family, os.environ)
    batches = max(request.batches, _BATCHES_PASSED_ON) if passed_on else request.batches
    with Session(
        ["-n", str(request.ranks), "--", program], mode=Mode.RECORDED if passed_on else Mode.ENGINE
    ) as session:
        for operation in request.operations:
            names = [NATIVE, PASSED_ON] if passed_on else candidates(operation, request.strategies)
            for size in (0,) if operation == WITHOUT_SIZE else request.sizes:
                for candidate, samples in session.measure(operation, size, names, batches=batches).items():
                    yield {
                        "operation": operation,
                        "bytes": size,
                        "ranks": request.ranks,
                        "candidate": candidate,
                        "completion_us": median(samples.completion_us),
                        "cpu_us": median(samples.cpu_us),
                    }


def rows_of(family: str, results: Iterable[dict[str, Any]]) -> list[Row]:
    """Put every strategy beside native: completion time and all ranks' CPU time, per call."""
    found = list(results)
    native = {(one["operation"], one["bytes"]): one for one in found if one["candidate"] == "native"}
    rows = []
    for one in found:
        peer = native[one["operation"], one["bytes"]]
        if one is peer:
            continue
        case = f"{one['operation']} {one['candidate']}, {one['bytes']} B, {one['ranks']} ranks"
        for metric in ("completion", "cpu"):
            figures = one[f"{metric}_us"], peer[f"{metric}_us"]
            rows.append(make_row(case, f"{metric} time", "us", *figures, BY_NAME[family].title))
    return rows


def best_rows(rows: Sequence[Row]) -> list[tuple[str, Row]]:
    """Find the best strategy for each operation, size and MPI by completion time."""
    best: dict[str, Row] = {}
    for row in rows:
        words = row["case"].replace(",", "").split()
        key = f"{row['peer_name']}: {words[0]} {words[2]} B"
        if (
            row["metric"] == "completion time"
            and words[1] != PASSED_ON
            and (key not in best or row["ours"] < best[key]["ours"])
        ):
            best[key] = row
    return list(best.items())


def run(request: Request, json_file: str) -> None:
    """Measure, print the best of each case, and write all rows."""
    unknown = [name for name in request.operations if name not in measurable_operations()]
    if unknown:
        message = f"thalweg bench: {unknown[0]} cannot be measured"
        raise ThalwegError(USAGE, message, "choose among " + ", ".join(measurable_operations()))
    rows: list[Row] = []
    for family in request.families:
        for passed_on in (True, False):
            rows += rows_of(family, measure(family, request, passed_on=passed_on))
    _print(best_rows(rows))
    _print_passed_on(rows)
    if json_file:
        write_rows(rows, json_file)


def _print(best: Sequence[tuple[str, Row]]) -> None:
    from rich.console import Console  # noqa: PLC0415 - slow
    from rich.table import Table  # noqa: PLC0415

    table = Table("case", "native", "best of Thalweg", "strategy", "ratio", box=None, header_style="bold")
    for key, row in best:
        strategy = row["case"].split(",")[0].split()[1]
        table.add_row(key, f"{row['peer']:.2f} us", f"{row['ours']:.2f} us", strategy, f"{row['ratio']:.2f}")
    console = Console(soft_wrap=True)
    console.print(table)
    mean = geometric_mean([row["ratio"] for _, row in best])
    console.print(f"geometric mean of native / best: {mean:.2f}", highlight=False)


def _print_passed_on(rows: Sequence[Row]) -> None:
    """Print what passing a call on costs; where calls take microseconds their own spread hides it."""
    for title in dict.fromkeys(row["peer_name"] for row in rows):
        added = sorted(
            1000 * (row["ours"] - row["peer"])
            for row in rows
            if row["peer_name"] == title
            and row["metric"] == "completion time"
            and f" {PASSED_ON}," in row["case"]
            and row["peer"] < _SHORT_US
        )
        if added:
            median = added[len(added) // 2]
            print(f"{title}: a call that is passed on costs {median:.0f} ns more (median; at most {added[-1]:.0f} ns)")
