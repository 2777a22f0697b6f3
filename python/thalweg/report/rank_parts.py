# SPDX-License-Identifier: BSD-3-Clause
"""What ranks have left in a folder that were killed, merged into a report."""

from __future__ import annotations

import os
import subprocess

from thalweg.errors import FAILED, USAGE, ThalwegError
from thalweg.launch.attend import PARTS, Wanted, parts_in, words_of
from thalweg.launch.missing import bring, can_bring, missing_text
from thalweg.report.run_report import RunReport, read_report
from thalweg.terminal import print_line
from thalweg.units import count_text, time_text

_CAUSE = "an end without MPI_Finalize"
_PATIENCE_S = 20


def merged(folder: str) -> str:
    """Merge the parts of the job that began last, and say how far it got. Gives the path of its report.

    In the job's allocation parts of hosts that do not share the folder are brought first. Raises ThalwegError where
    nothing is there.
    """
    if not parts_in(folder):
        raise ThalwegError(USAGE, f"{folder} has no parts of a report", f"name a folder that ends in {PARTS}")
    path = os.path.join(folder, "run.json")
    report = _merge(folder, path)
    if any(one.part for one in report.missing) and can_bring(os.environ):
        bring(report.missing, folder, os.environ, _PATIENCE_S)
        report = _merge(folder, path)
    print_line(extent(report))
    if report.missing:
        print_line(f"missing: {missing_text(report.missing)}")
    return path


def _merge(folder: str, path: str) -> RunReport:
    done = subprocess.run(words_of(Wanted(path, summary=False), _CAUSE, parts_in(folder)), check=False)
    if done.returncode != 0 or not os.path.exists(path):
        raise ThalwegError(FAILED, f"{folder}: no rank left anything that can be read")
    return read_report(path)


def extent(report: RunReport) -> str:
    """Say how much of a job a report has."""
    here = len(report.ranks)
    everybody = here + report.ranks_without_report
    hosts = len({rank.host for rank in report.ranks})
    until = time_text(report.wall_ns * 1e-9)
    return (
        f"{here} of {count_text(everybody, 'rank')} on {hosts} of {count_text(report.nodes, 'node')}: "
        f"the last call in MPI was {until} after the start"
    )
