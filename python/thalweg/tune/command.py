"""What `thalweg tune` prints: a bar while it works, a line for each case, and what the search took."""

import os
import re
import sys
from collections.abc import Sequence
from statistics import geometric_mean

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from thalweg.errors import USAGE, ThalwegError
from thalweg.settings.layers import default_tuning_file
from thalweg.trials.cases import OPERATIONS, SIZES, cases
from thalweg.tune import store
from thalweg.tune.run import Found, Request, native_ratio, tune, write_document
from thalweg.tune.search import EXHAUSTIVE, Effort
from thalweg.units import size_text, time_text

_UNITS = {"s": 1, "": 1, "m": 60, "min": 60, "h": 3600}


def seconds_from_text(text: str) -> float:
    """Read 60s, 5m or 1h."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|)", text)
    if match is None:
        raise ThalwegError(USAGE, f"'{text}' is no time", "write 60s, 5m or 1h")
    return float(match[1]) * _UNITS[match[2]]


def line(found: Found) -> str:
    """Tell one case's outcome."""
    outcome = found.outcome
    size = size_text(found.case.size) if found.case.size else ""
    return (
        f"{found.case.operation:<15} {size:>9}  native {time_text(outcome.native_seconds):>8}, "
        f"{outcome.pick} {time_text(outcome.seconds)}: {native_ratio(outcome):.2f} "
        f"(tried {len(outcome.tried)} of {outcome.space})"
    )


def main(  # noqa: PLR0913
    *,
    launcher: Sequence[str],
    ranks: int,
    mpi: str,
    lab: str,
    operations: Sequence[str],
    sizes: Sequence[int],
    budget: str,
    exhaustive: bool,
    library: bool,
    machine: str,
    tuning: str,
    json_file: str,
) -> None:
    """Tune, show, and say what it took."""
    request = Request(
        mpi=mpi,
        ranks=ranks,
        launcher=launcher,
        lab=lab,
        cases=cases(operations or list(OPERATIONS), sizes or SIZES),
        budget_s=seconds_from_text(budget),
        effort=EXHAUSTIVE if exhaustive else Effort(),
        machine_file=machine,
        tuning_file=tuning or default_tuning_file(os.environ),
        with_library=library,
    )
    if why := store.unusable_reason(request.tuning_file):
        print(f"thalweg: {why}", file=sys.stderr)
    columns = (
        TextColumn("tuning"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(request.cases))

        def show(found: Found, part: float) -> None:
            progress.update(task, completed=part * len(request.cases))
            print(line(found), flush=True)

        found = tune(request, show)
    tried = sum(len(one.outcome.tried) for one in found)
    space = sum(one.outcome.space for one in found)
    mean = geometric_mean([native_ratio(one.outcome) for one in found])
    print(f"geometric mean of native / pick: {mean:.2f}; tried {tried} of {space} candidates ({tried / space:.0%})")
    if json_file:
        write_document(found, json_file)
