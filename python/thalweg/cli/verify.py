# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg strategies verify`: prove strategies over ranges of ranks, with a progress bar."""

import itertools
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Annotated

import typer

from thalweg.answers.answer import answered
from thalweg.cli.ending import leave_now
from thalweg.cli.options import JsonFile, Operations, words_in
from thalweg.errors import FAILED, USAGE, ThalwegError
from thalweg.progress import ProgressLines
from thalweg.strategies import all_strategies, prove

if TYPE_CHECKING:
    from thalweg._core import Strategy

ALL_ROOTS_UP_TO = 16
RANKS_MAX = 1 << 16


def verify(
    *,
    ranks: Annotated[
        str, typer.Option("--ranks", "-n", help="Numbers of ranks: ranges and single ones, 1-70,128,1024.")
    ] = "1-70",
    roots: Annotated[
        str, typer.Option(help=f"all, sample (first, middle, last), or auto: all up to {ALL_ROOTS_UP_TO} ranks.")
    ] = "auto",
    ops: Operations = "",
    strategy: Annotated[str, typer.Option(help="Only strategies of this name.", show_default="all")] = "",
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Proofs at a time; 0: one for each core.")] = 0,
    json_file: JsonFile = "",
) -> None:
    """Prove strategies.

    Every block arrives, every message is met, and nothing deadlocks, for every number of ranks that is given. The exit
    status is 1 if a strategy is wrong; ranks, parameters, rank and step are named then.
    """
    if roots not in ("all", "sample", "auto"):
        raise ThalwegError(USAGE, f"thalweg strategies verify: --roots {roots}", "choose all, sample or auto")
    counts = rank_counts(ranks)
    names = words_in(ops) or [""]
    entries = [entry for name in names for entry in all_strategies(name) if strategy in ("", entry.name)]
    if not entries:
        raise ThalwegError(
            USAGE, f"thalweg strategies verify: no strategy is called {strategy}", "`thalweg strategies` lists all"
        )
    begin = time.monotonic()
    problems, faults = _prove(entries, counts, roots, jobs or len(os.sched_getaffinity(0)))
    seconds = time.monotonic() - begin
    proven = {"strategies": len(entries), "ranks": counts, "problems": problems, "faults": faults, "seconds": seconds}
    is_silent = answered("strategies verify", proven, json_file)
    if not is_silent:
        for fault in faults:
            typer.echo(fault)
    summary = f"{len(entries)} strategies, {len(counts)} numbers of ranks, {problems} problems in {seconds:.1f} s"
    if faults:
        raise ThalwegError(FAILED, f"{len(faults)} faults in {summary}")
    if not is_silent:
        typer.echo(f"proven: {summary}")


def rank_counts(text: str) -> list[int]:
    """Read 1-70,128: a sorted list without repetitions."""
    counts: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ThalwegError(
                USAGE,
                f"thalweg strategies verify: --ranks {text}: {part!r} is no number and no range",
                "write 1-70,128",
            )
        begin, end = int(first), int(last) if dash else int(first)
        if not 1 <= begin <= end <= RANKS_MAX:
            raise ThalwegError(
                USAGE,
                f"thalweg strategies verify: --ranks {text}: {part!r} is out of range",
                f"choose 1 to {RANKS_MAX}",
            )
        counts.update(range(begin, end + 1))
    return sorted(counts)


def _prove(entries: Sequence["Strategy"], counts: Sequence[int], roots: str, jobs: int) -> tuple[int, list[str]]:
    """Prove everything on some threads (the core lets go of the interpreter); the largest problems first."""
    from rich.console import Console  # noqa: PLC0415 - slow, and completion does without
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    problems = done = 0
    faults: list[str] = []
    lines = ProgressLines()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    pool = ThreadPoolExecutor(jobs)
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("proving", total=len(entries) * len(counts))
        try:
            futures = {
                pool.submit(
                    prove, entry, count, all_roots=roots == "all" or (roots == "auto" and count <= ALL_ROOTS_UP_TO)
                ): entry
                for count, entry in itertools.product(reversed(counts), entries)
            }
            for future in as_completed(futures):
                proven, wrong = future.result()
                problems += proven
                faults += wrong
                entry = futures[future]
                done += 1
                progress.update(task, completed=done, description=f"{entry.operation} {entry.name}")
                lines.show(f"{done} of {len(futures)} proven, {entry.operation} {entry.name} the last")
        except (KeyboardInterrupt, SystemExit) as end:
            try:
                progress.stop()  # which may fail, as the interrupt comes amid anything
            finally:
                # The interpreter would wait for the proofs under way.
                leave_now(end.code if isinstance(end, SystemExit) and isinstance(end.code, int) else 130)
    pool.shutdown()
    return problems, faults
