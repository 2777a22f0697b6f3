# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg top`: running jobs, refreshed."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from thalweg.answers.answer import answered
from thalweg.cli.options import JsonFile  # noqa: TC001 - typer reads it
from thalweg.errors import USAGE, ThalwegError
from thalweg.terminal import print_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from thalweg.report.running import RunningJob

_SITES_MAX = 12
_COLUMNS = ("where", "call", "of the run", "calls", "mean", "waiting", "last rank")


def top(
    job: Annotated[
        int, typer.Argument(metavar="[JOB]", help="The process of a job, as the table shows it.", show_default="all")
    ] = 0,
    *,
    once: Annotated[bool, typer.Option("--once", help="Print it once, as where stdout is no terminal.")] = False,
    json_file: JsonFile = "",
    every: Annotated[float, typer.Option(metavar="SECONDS", min=0.2, help="The time between two looks.")] = 2.0,
) -> None:
    """Show where running jobs spend their time.

    Jobs are those that `thalweg run` started with a summary or a report, with ranks of this user on this host. They go
    on undisturbed. Of one job, the call sites are shown too. `kill -USR1` to the process of `thalweg run` writes the
    job's report as it is so far.
    """
    jobs = _jobs(job)
    if answered("top", {"jobs": [{"pid": one.pid, "report": one.report.document} for one in jobs]}, json_file):
        return
    if once or not sys.stdout.isatty():
        for line in _lines(jobs):
            print_line(line)
        return
    _watch(job, jobs, every)


def _jobs(pid: int) -> list[RunningJob]:
    from thalweg.report.running import running_jobs  # noqa: PLC0415 - help does without

    jobs = running_jobs()
    chosen = [one for one in jobs if pid in (0, one.pid)]
    if pid and not chosen:
        known = ", ".join(str(one.pid) for one in jobs)
        raise ThalwegError(
            USAGE, f"no job {pid} counts here", f"there are {known}" if jobs else "thalweg top names all"
        )
    return chosen


def _lines(jobs: list[RunningJob]) -> list[str]:
    """Write jobs, and the call sites of one that is alone."""
    from thalweg.report.running import headline, site_row  # noqa: PLC0415

    if not jobs:
        return ["no job of this user counts here: thalweg run with a summary or --report starts one"]
    lines = [headline(one) for one in jobs]
    if len(jobs) == 1:
        report = jobs[0].report
        rows = [_COLUMNS, *(site_row(report, site) for site in report.calls[:_SITES_MAX])]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
        for where, call, *figures in rows:
            cells = [f"{where:{widths[0]}}", f"{call:{widths[1]}}"]
            cells += [f"{cell:>{width}}" for cell, width in zip(figures, widths[2:], strict=True)]
            lines.append("  " + "  ".join(cells).rstrip())
    return lines


def _watch(pid: int, jobs: list[RunningJob], every: float) -> None:
    """Show them until they have ended, or Ctrl-C."""
    from rich.live import Live  # noqa: PLC0415 - slow

    with Live(_picture(jobs), auto_refresh=False) as live:
        while jobs:
            time.sleep(every)
            try:
                jobs = _jobs(pid)
            except ThalwegError:
                break
            live.update(_picture(jobs), refresh=True)
    print_line("the job has ended" if pid else "no job is left")


def _picture(jobs: list[RunningJob]) -> RenderableType:
    from rich.console import Group  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    return Group(*(Text(line, no_wrap=True, overflow="ellipsis") for line in _lines(jobs)))
