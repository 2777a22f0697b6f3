"""Time every operation, size and strategy against the MPI library's own, in one job for each MPI.

The job is benchmarks/collectives/measure.c: candidates take turns in batches that begin together, and medians count.
Here are the cases, the job's start, and the rows.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from thalweg.bench.rows import Row, geometric_mean, make_row, write_rows
from thalweg.errors import FAILED, INSTALLATION, USAGE, ThalwegError
from thalweg.libraries import bench_program
from thalweg.programs.families import BY_NAME
from thalweg.strategies import all_strategies, operations

SIZES = (*(8 * 4**power for power in range(9)), 1 << 20)
WITHOUT_SIZE = "barrier"
UNMEASURED = ("neighbor_allgather", "neighbor_alltoall")
FAMILIES = ("openmpi", "mpich")
PASSED_ON = "passed_on"
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
    """Name what takes turns: native first, then the index's strategies with standard parameters, or those chosen."""
    names = [entry.name for entry in all_strategies(operation)]
    return ["native", *(name for name in names if not chosen or name in chosen)]


def case_lines(request: Request, *, passed_on: bool) -> list[str]:
    """Write the measuring program's cases: native against strategies, or against calls that are passed on to it."""
    lines = []
    for operation in request.operations:
        sizes = (0,) if operation == WITHOUT_SIZE else request.sizes
        names = ["native", PASSED_ON] if passed_on else candidates(operation, request.strategies)
        lines += [f"{operation} {size} {' '.join(names)}" for size in sizes]
    return lines


def measure(family: str, request: Request, *, passed_on: bool) -> list[dict[str, Any]]:
    """Run a job under `thalweg run` and read what it wrote.

    Calls are passed on in a job of their own, started as programs are: recorded for a summary, no strategy chosen.
    """
    program = bench_program(f"measure-{family}")
    if program is None:
        message = f"the measuring program for {BY_NAME[family].title} is missing"
        raise ThalwegError(INSTALLATION, message, "build Thalweg with that MPI's compiler installed: make build")
    with tempfile.TemporaryDirectory(prefix="thalweg-bench-") as folder:
        cases, results = os.path.join(folder, "cases"), os.path.join(folder, "results")
        with open(cases, "w", encoding="utf-8") as file:
            file.write("\n".join(case_lines(request, passed_on=passed_on)) + "\n")
        # Any strategy will do: it makes communicators ready for the engine; the program chooses afterwards.
        some = all_strategies()[0]
        use = [] if passed_on else ["--use", f"{some.operation}={some.name}", "--no-summary"]
        start = [sys.executable, "-m", "thalweg", "run", *use, "-n", str(request.ranks)]
        batches = max(request.batches, _BATCHES_PASSED_ON) if passed_on else request.batches
        command = [*start, "--", program, cases, results, str(batches)]
        run = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
        if run.returncode:
            message = f"measuring {BY_NAME[family].title} failed with status {run.returncode}\n{run.stderr[-2000:]}"
            raise ThalwegError(FAILED, message)
        with open(results, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


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
