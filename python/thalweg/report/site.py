# SPDX-License-Identifier: BSD-3-Clause
"""What the logs of a center's jobs say together: who loses most, in which programs, and at which calls."""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thalweg.documents import Document
from thalweg.errors import USAGE, ThalwegError
from thalweg.pages.render import percent
from thalweg.report.accounts import user_name
from thalweg.report.running import program_name, short_name
from thalweg.units import count_text, time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FORMAT = "thalweg-job"
VERSION = 1
_HOUR_S = 3600
_SPANS_S = {"h": _HOUR_S, "d": 24 * _HOUR_S, "w": 7 * 24 * _HOUR_S}


@dataclass
class Loss:
    """Times of all ranks of some jobs, in nanoseconds. `untuned_ns` is transfer in collectives of the library's."""

    jobs: int = 0
    rank_ns: float = 0.0
    mpi_ns: float = 0.0
    waiting_ns: float = 0.0
    untuned_ns: float = 0.0

    def add(self, rank_ns: float, part: Document, time: str) -> None:
        """Add a job, or a call site of one; `time` is the key of its time in MPI."""
        self.jobs += 1
        self.rank_ns += rank_ns
        self.mpi_ns += part.number(time)
        self.waiting_ns += part.number("waiting_ns")
        self.untuned_ns += part.number("untuned_ns")


@dataclass
class Center:
    """All jobs of a folder of logs."""

    whole: Loss = field(default_factory=Loss)
    users: dict[str, Loss] = field(default_factory=dict)
    programs: dict[str, Loss] = field(default_factory=dict)
    calls: dict[tuple[str, str, str], Loss] = field(default_factory=dict)
    """By program, place and function."""
    unended: int = 0
    """How many jobs did not end by MPI_Finalize."""
    unread: list[str] = field(default_factory=list)
    """Files that are no such logs."""

    def add(self, job: Document) -> None:
        """Add a job. Raises ValueError for what lacks a part, and adds nothing then."""
        single = Loss()
        rank_ns = job.number("rank_ns")
        single.add(rank_ns, job, "mpi_ns")
        program = program_name(tuple(str(word) for word in job.value("command") or ()))
        user, ended_by = user_name(job.text("user")), job.text("ended_by")
        sites = [
            ((program, site.text("source"), short_name(site.text("function"))), site) for site in job.parts("calls")
        ]
        for _, site in sites:
            Loss().add(rank_ns, site, "time_ns")
        for loss in (self.whole, _of(self.users, user), _of(self.programs, program)):
            loss.add(rank_ns, job, "mpi_ns")
        for key, site in sites:
            _of(self.calls, key).add(rank_ns, site, "time_ns")
        self.unended += ended_by != "MPI_Finalize"


def _of(losses: dict[Any, Loss], key: Any) -> Loss:
    return losses.setdefault(key, Loss())


def read_site(folder: str, since: dt.datetime | None = None) -> Center:
    """Read all logs below a folder of jobs that began at some time or later. Raises ThalwegError where none is."""
    center = Center()
    for path in _files(folder):
        try:
            with open(path, encoding="utf-8") as file:
                job = Document(json.load(file), "the file")
            if job.value("format") != FORMAT or job.value("version") != VERSION:
                continue
            if since is None or _time_of(job.text("start_time")) >= since:
                center.add(job)
        except (OSError, ValueError, RecursionError, TypeError):
            center.unread.append(path)
    if not center.whole.jobs:
        which = f" since {since:%Y-%m-%d %H:%M}" if since else ""
        remedy = "jobs leave them where THALWEG_LOGS names the folder"
        raise ThalwegError(USAGE, f"{folder} has no logs of jobs{which}", remedy)
    return center


def _files(folder: str) -> Iterator[str]:
    yield from (str(path) for path in sorted(Path(folder).rglob("*.json")))


def _time_of(text: str) -> dt.datetime:
    time = dt.datetime.fromisoformat(text)
    return time if time.tzinfo else time.astimezone()


def since_from_text(text: str, now: dt.datetime) -> dt.datetime:
    """Read 12h, 7d or 4w as a time before now, or a date as 2026-11-01."""
    if found := re.fullmatch(r"(\d{1,5})([hdw])", text.strip()):
        return now - dt.timedelta(seconds=int(found[1]) * _SPANS_S[found[2]])
    try:
        return _time_of(text.strip())
    except ValueError:
        raise ThalwegError(USAGE, f"--since {text!r} is no time", "write 12h, 7d, 4w or 2026-11-01") from None


def lines_of(center: Center, rows: int) -> list[str]:
    """Write tables of those that lose most, and what is to be done."""
    whole = center.whole
    share = [percent(part / whole.rank_ns) if whole.rank_ns else "-" for part in (whole.mpi_ns, whole.waiting_ns)]
    jobs = f"{count_text(whole.jobs, 'job')}, {hours_text(whole.rank_ns)} of ranks"
    untuned = f"{hours_text(whole.untuned_ns)} in collectives that nobody has tuned"
    lines = [f"{jobs}: {share[0]} in MPI, {share[1]} waiting for late ranks; {untuned}"]
    if center.unended:
        lines.append(f"{count_text(center.unended, 'job')} did not end by MPI_Finalize")
    lines += _table("user", [((name,), loss) for name, loss in center.users.items()], rows)
    lines += _table("program", [((name,), loss) for name, loss in center.programs.items()], rows)
    lines += _table("call site", list(center.calls.items()), rows)
    if center.unread:
        lines.append(f"{count_text(len(center.unread), 'file')} could not be read, as {center.unread[0]}")
    return [*lines, "", *_advice(center)]


def _table(title: str, losses: Iterable[tuple[tuple[str, ...], Loss]], rows: int) -> list[str]:
    """Write the largest losses, by time in MPI."""
    ordered = sorted(losses, key=lambda entry: (-entry[1].mpi_ns, entry[0]))
    shown = [("  ".join(key), loss) for key, loss in ordered[:rows]]
    width = max(len(title), *(len(name) for name, _ in shown)) if shown else len(title)
    lines = ["", f"{title:{width}}  {'jobs':>6}  {'in MPI':>9}  {'waiting':>9}  {'untuned':>9}"]
    for name, loss in shown:
        times = (hours_text(time) for time in (loss.mpi_ns, loss.waiting_ns, loss.untuned_ns))
        lines.append(f"{name:{width}}  {loss.jobs:>6}  " + "  ".join(f"{time:>9}" for time in times))
    if left := len(ordered) - len(shown):
        lines.append(f"{left} more")
    return lines


def _advice(center: Center) -> list[str]:
    program, loss = max(center.programs.items(), key=lambda entry: entry[1].untuned_ns)
    if loss.untuned_ns <= 0:
        return ["next: look at the ranks that are late: thalweg run --report run.json … names them"]
    commands = f"thalweg run --report run.json … {program}, then thalweg tune --for run.json"
    return [f"next: a tuned file would help {program} the most: {commands}"]


def hours_text(time_ns: float) -> str:
    """Write a time as hours; one of less than an hour in seconds and their parts."""
    hours = time_ns * 1e-9 / _HOUR_S
    return f"{hours:,.1f} h" if hours >= 1 else time_text(time_ns * 1e-9) if time_ns > 0 else "0"


def document_of(center: Center) -> dict[str, Any]:
    """Give all figures as JSON has them, in nanoseconds."""

    def entries(losses: dict[Any, Loss], names: tuple[str, ...]) -> list[dict[str, Any]]:
        ordered = sorted(losses.items(), key=lambda entry: -entry[1].mpi_ns)
        keys = ((key if isinstance(key, tuple) else (key,), loss) for key, loss in ordered)
        return [dict(zip(names, key, strict=True)) | vars(loss) for key, loss in keys]

    return {
        **vars(center.whole),
        "not_ended_by_finalize": center.unended,
        "users": entries(center.users, ("user",)),
        "programs": entries(center.programs, ("program",)),
        "calls": entries(center.calls, ("program", "source", "function")),
        "unread": center.unread,
    }
