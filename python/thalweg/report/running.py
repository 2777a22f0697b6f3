# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that run on this host now: the memory in which their ranks count is found through /proc and read."""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from thalweg.launch.attend import NAME, Journal, Wanted, words_of
from thalweg.pages.render import percent
from thalweg.report.run_report import CallSite, RunReport, read_report
from thalweg.units import count_text, time_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_MEMORY = f"/memfd:{NAME}"
_FILE = ".journal"
_CAUSE = "now (the job goes on)"


class RunningJob(NamedTuple):
    """A job of which ranks run here. `pid` is that of `thalweg run`, or of the first rank where that is none."""

    pid: int
    ranks_here: int
    report: RunReport

    @property
    def program(self) -> str:
        """Give the name of the program."""
        return program_name(self.report.command)


@dataclass
class _Found:
    """A journal, and the processes that have it open."""

    path: str
    pids: list[int] = field(default_factory=list)


@dataclass
class _Job:
    """The journals of a job, open: one where a command started its launcher, else one of each host or rank."""

    files: list[int] = field(default_factory=list)
    ranks: set[int] = field(default_factory=set)
    """The processes of ranks that count."""
    pids: set[int] = field(default_factory=set)
    """All that have the journals open."""


def program_name(command: tuple[str, ...]) -> str:
    """Name a program as people do: an interpreter's by its script."""
    words = [os.path.basename(word) for word in command]
    is_python = bool(words) and words[0].startswith("python")
    script = next((word for word in words[1:] if word.endswith(".py")), "") if is_python else ""
    return script or (words[0] if words else "?")


def running_jobs() -> list[RunningJob]:
    """Read all jobs of this user that count here; the one that began first comes first."""
    known: dict[int, _Job] = {}
    try:
        for found in _journals():
            _add(found, known)
        read = [(job, _read(job.files)) for job in known.values()]
    finally:
        for job in known.values():
            for file in job.files:
                os.close(file)
    jobs = [
        RunningJob(min(job.pids - job.ranks or job.ranks), len(job.ranks), report)
        for job, report in read
        if report is not None
    ]
    return sorted(jobs, key=lambda job: (-job.report.wall_ns, job.pid))


def _journals() -> list[_Found]:
    journals: dict[tuple[int, int], _Found] = {}
    for pid, path in _open_files():
        with suppress(OSError):
            target = os.readlink(path)
            if target.startswith(_MEMORY) or target.endswith(_FILE):
                status = os.stat(path)
                journals.setdefault((status.st_dev, status.st_ino), _Found(path)).pids.append(pid)
    return list(journals.values())


def _open_files() -> Iterator[tuple[int, str]]:
    """Name the open files of this user's processes."""
    user = os.geteuid()
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == user:
                for number in os.listdir(f"/proc/{name}/fd"):
                    yield int(name), f"/proc/{name}/fd/{number}"


def _add(found: _Found, known: dict[int, _Job]) -> None:
    """Add a journal to its job, if ranks count there now."""
    try:
        file = os.open(found.path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    running = [section for section in Journal(file).sections() if section.is_running]
    newest = max((section.job for section in running), default=0)
    ranks = {section.pid for section in running if section.job == newest}
    if not ranks & set(found.pids):
        os.close(file)
        return
    job = known.setdefault(newest, _Job())
    job.files.append(file)
    job.ranks |= ranks
    job.pids |= set(found.pids)


def _read(files: list[int]) -> RunReport | None:
    with tempfile.TemporaryDirectory(prefix="thalweg-top-") as folder:
        path = os.path.join(folder, "run.json")
        words = words_of(Wanted(path, summary=False), _CAUSE, [str(file) for file in files])
        subprocess.run(words, pass_fds=files, check=False)
        return read_report(path) if os.path.exists(path) else None


def headline(job: RunningJob) -> str:
    """Write a job on one line: how long it runs, and what its time goes to."""
    report = job.report
    everybody = len(report.ranks) + report.ranks_without_report
    here = f" ({len(report.ranks)} here)" if report.ranks_without_report else ""
    seconds = int(report.wall_ns * 1e-9)
    elapsed = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    elapsed = elapsed if seconds >= 3600 else elapsed.removeprefix("0:")
    text = f"{job.pid}  {job.program}  {count_text(everybody, 'rank')}{here}  {elapsed}"
    text += f"  in MPI {percent(report.share(report.mpi_ns))}"
    if report.waiting_ns > 0:
        blamed = report.blamed()
        last = f" (rank {blamed[0][0]})" if blamed else ""
        text += f"  waiting {percent(report.share(report.waiting_ns))}{last}"
    if report.calls:
        site = max(report.calls, key=lambda one: one.time_ns)
        text += f"  {site.place} {short_name(site.function)} {percent(report.share(site.time_ns))}"
    return text


def short_name(function: str) -> str:
    """Leave MPI_ away."""
    return function.removeprefix("MPI_")


def site_row(report: RunReport, site: CallSite) -> tuple[str, ...]:
    """Write a call site as cells: place, call, part of the run, calls, mean time, waiting, last rank."""
    blamed = max(site.last_ranks, key=lambda entry: entry[1], default=None)
    return (
        f"{site.place} {site.within}".strip(),
        short_name(site.function),
        percent(report.share(site.time_ns)),
        str(site.calls),
        time_text(site.time_ns * 1e-9 / max(site.calls, 1)),
        "" if site.waiting_share is None else percent(site.waiting_share),
        "" if blamed is None else f"{blamed[0]}",
    )
