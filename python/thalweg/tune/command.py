# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg tune search` prints: a bar while it works, a line for each case, and what the search took."""

import math
import os
import re
import signal
import sys
from collections.abc import Sequence
from statistics import geometric_mean

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from thalweg.errors import USAGE, ThalwegError
from thalweg.lab.hosts import saved
from thalweg.nic import status
from thalweg.pages.writing import write_page
from thalweg.progress import ProgressLines
from thalweg.settings.layers import default_tuning_file
from thalweg.text_files import check_writable
from thalweg.trials.cases import OFFLOADED, OPERATIONS, SIZES, Case, cases
from thalweg.tune import store
from thalweg.tune.clock import Clock
from thalweg.tune.objective import Objective, objective_of
from thalweg.tune.page import tuning_page
from thalweg.tune.run import Found, Request, native_ratio, tune, write_document
from thalweg.units import size_text, time_text

_UNITS = {"s": 1, "": 1, "m": 60, "min": 60, "h": 3600}


def seconds_from_text(text: str) -> float:
    """Read 60s, 5m or 1h."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|)", text)
    if match is None:
        raise ThalwegError(USAGE, f"'{text}' is no time", "write 60s, 5m or 1h")
    return float(match[1]) * _UNITS[match[2]]


def usual_operations(lab: str) -> list[str]:
    """List what is tuned where nothing is named: nonblocking calls too where hosts have agents that run them."""
    try:
        known = saved(lab) if lab else None
        has_agents = known.nic if known else bool(not lab and status.ask())
    except ThalwegError:
        has_agents = False
    return [*OPERATIONS, *(OFFLOADED if has_agents else ())]


def usual_cases(operations: Sequence[str], sizes: Sequence[int], lab: str, degrees: Sequence[int] = ()) -> list[Case]:
    """Give the cases of some operations, sizes and degrees, or of what is tuned where none are named."""
    return cases(operations or usual_operations(lab), sizes or SIZES, degrees)


def line(found: Found) -> str:
    """Tell one case's outcome."""
    outcome = found.outcome
    size = size_text(found.case.size) if found.case.size else ""
    return (
        f"{found.case.operation:<15} {size:>9}  native {time_text(outcome.native_seconds):>8}, "
        f"{outcome.pick} {time_text(outcome.seconds)}: {native_ratio(outcome):.2f} "
        f"(tried {len(outcome.tried)} of {outcome.space})"
    )


class Bar:
    """Shows what is being done and the time that is left, as lines where there is no terminal; prints each case."""

    def __init__(self, progress: Progress, clock: Clock, cases: int) -> None:
        """Draw on this progress display."""
        self._progress, self._clock, self._cases = progress, clock, cases
        self._task: TaskID = progress.add_task("", total=cases, gain="")
        self._lines = ProgressLines(first_after_s=0)
        self.all: dict[Case, Found] = {}

    def announce(self, what: str) -> None:
        """Show what is being done, and the time that is left."""
        left_s = max(0.0, self._clock.left_s())
        left = "" if math.isinf(left_s) else f", {left_s:.0f} s left"
        self._progress.update(self._task, description=f"{what}{left}")
        self._lines.show(f"{what}{left}")

    def found(self, one: Found, part: float) -> None:
        """Tell what was found."""
        self.all[one.case] = one
        mean = geometric_mean([native_ratio(known.outcome) for known in self.all.values()])
        self._progress.update(self._task, completed=part * self._cases, gain=f"native / pick {mean:.2f} so far")
        print(line(one), flush=True)


def _print_sums(found: Sequence[Found], cases: int, budget: str) -> None:
    """Say what was found in the mean, and how many of the cases fitted into the budget."""
    tried = sum(len(one.outcome.tried) for one in found)
    space = sum(one.outcome.space for one in found)
    part = tried / max(space, 1)
    if found:
        mean = geometric_mean([native_ratio(one.outcome) for one in found])
        print(f"geometric mean of native / pick: {mean:.2f}; tried {tried} of {space} candidates ({part:.0%})")
    if left_out := cases - len(found):
        print(f"{left_out} of {cases} cases did not fit into {budget}: a longer --budget tries them")


def search(
    launcher: Sequence[str],
    *,
    ranks: int,
    mpi: str,
    lab: str,
    wanted: Sequence[Case],
    budget: str,
    exhaustive: bool,
    library: bool,
    machine: str,
    tuning: str,
    figures: str,
    html: str,
    objective: Objective | None = None,
) -> list[Found]:
    """Tune, show, and say what it took. Gives the cases that fitted into the budget."""
    file = tuning or default_tuning_file(os.environ)
    check_writable(file, "nothing was changed; name another file: --tuning FILE or THALWEG_TUNING", makes_folders=True)
    request = Request(
        mpi=mpi,
        ranks=ranks,
        launcher=launcher,
        lab=lab,
        cases=wanted,
        clock=Clock(math.inf if exhaustive else seconds_from_text(budget)),
        is_exhaustive=exhaustive,
        machine_file=machine,
        tuning_file=file,
        with_library=library,
        objective=objective,
    )
    for case in request.cases:
        objective_of(case, objective)
    if why := store.unusable_reason(request.tuning_file):
        print(f"thalweg: {why}", file=sys.stderr)
    columns = (
        TextColumn("tuning"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total}: {task.description} {task.fields[gain]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = Bar(progress, request.clock, len(request.cases))
        try:
            found = tune(request, bar)
        except KeyboardInterrupt:
            progress.stop()
            print(f"thalweg: stopped; what was found for {len(bar.all)} cases is in {file}", file=sys.stderr)
            raise SystemExit(128 + signal.SIGINT) from None
    _print_sums(found, len(request.cases), budget)
    nonblocking = {one.case.call for one in found if one.case.is_nonblocking}
    for remark in store.disagreeing(store.readable(file), nonblocking):
        print(f"thalweg: {remark}; tune one size, or edit {file}", file=sys.stderr)
    if figures:
        write_document(found, figures)
    if html:
        print(write_page(tuning_page(found, ranks, mpi, file), html))
    return found
