# SPDX-License-Identifier: BSD-3-Clause
"""Start a job's launcher, wait for its end, and report what its ranks left if they did not report themselves.

The launcher keeps the terminal, and its end is this process's own: the same exit status, or the same signal. Signals
that are sent to this process are passed on. Those of the terminal reach the launcher by themselves. At SIGUSR1 the
report of the job as it is so far is written; ranks get the signal only where one of them waits for it, since it would
end all others, and with MPICH never.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from thalweg.errors import NOT_EXECUTABLE, ThalwegError
from thalweg.launch.become import become
from thalweg.launch.screen import bars
from thalweg.libraries import unfinished_program
from thalweg.programs.families import MPICH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thalweg.launch.plan import Plan
    from thalweg.timeline.memory import TimelineMemory

JOURNAL = "THALWEG_JOURNAL"
FOLDER = "THALWEG_JOURNAL_FOLDER"
PARTS = ".parts"
"""Ends the name of the folder beside a report, in which ranks count that do not see the command's memory."""
NAME = "thalweg-journal"
COLUMNS = "THALWEG_COLUMNS"
TIMELINE = "THALWEG_TIMELINE_MEMORY"
_MAGIC = b"thalweg-journal-3".ljust(24, b"\0")
_PAGE = 4096
_SECTION = 16 << 20
_RUNNING = 1
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_BY_KERNEL = 0x80  # SI_KERNEL of signal(7)'s si_code: from the terminal, to all of its foreground
_PR_SET_PDEATHSIG = 1
_PATIENCE_S = 20
_HURRY_S = 5
"""For parts of other hosts: in an allocation that ends, nothing can be started for long."""


class Wanted(NamedTuple):
    """What is kept of the job: files' paths, whether a summary, and the folder of jobs' logs; texts may be empty."""

    report: str
    summary: bool
    timeline: str = ""
    logs: str = ""

    @property
    def parts(self) -> str:
        """Give the folder of what ranks leave; empty where there is no report."""
        return self.report + PARTS if self.report else ""


def is_nothing(wanted: Wanted) -> bool:
    """Say whether there is nothing to tell."""
    return not any(wanted)


class Section(NamedTuple):
    """The beginning of a rank's part of a journal."""

    state: int
    rank: int
    ranks: int
    node: int
    pid: int
    has_steady_counter: bool
    host: bytes
    job: int
    """When it began, in nanoseconds: the same for all ranks."""

    @property
    def is_running(self) -> bool:
        """Tell whether the rank began to count and did not report."""
        return self.state == _RUNNING


_SECTION_HEAD = struct.Struct("5i?256sQ")


class Journal(NamedTuple):
    """The memory in which ranks of this host count (src/run/mpi/observe/journal.hpp); it goes with its last user."""

    file: int

    @property
    def path(self) -> str:
        """Where ranks find it."""
        return f"/proc/{os.getpid()}/fd/{self.file}"

    def sections(self) -> list[Section]:
        """Read the parts of ranks; none of what is no journal."""
        head = os.pread(self.file, len(_MAGIC) + 4, 0)
        if len(head) != len(_MAGIC) + 4 or not head.startswith(_MAGIC):
            return []
        (count,) = struct.unpack("I", head[len(_MAGIC) :])
        places = (_PAGE + number * _SECTION for number in range(count))
        heads = (os.pread(self.file, _SECTION_HEAD.size, place) for place in places)
        return [Section(*_SECTION_HEAD.unpack(one)) for one in heads if len(one) == _SECTION_HEAD.size]

    def is_left(self) -> bool:
        """Tell whether some rank began to count and did not report."""
        return any(section.is_running for section in self.sections())


def make_journal() -> Journal | None:
    """Make the memory; without it a job runs all the same."""
    try:
        file = os.memfd_create(NAME)
        os.pwrite(file, _MAGIC, 0)
        os.ftruncate(file, _PAGE)
    except OSError:
        return None
    return Journal(file)


class Attended(NamedTuple):
    """What ranks of this host leave behind, however they end."""

    journal: Journal | None
    timeline: TimelineMemory | None = None
    title: str = ""


def variables_of(attended: Attended, wanted: Wanted) -> dict[str, str]:
    """Tell ranks where to count and to keep events, and how wide the screen is that they write to."""
    variables = {JOURNAL: attended.journal.path} if attended.journal else {}
    if wanted.parts:
        variables[FOLDER] = wanted.parts
    if attended.timeline is not None:
        variables[TIMELINE] = attended.timeline.path
    return variables | ({COLUMNS: str(wide)} if (wide := columns()) else {})


def columns() -> int:
    """Give the width of the screen that stderr is on; 0 where it is on none."""
    if not sys.stderr.isatty():
        return 0
    wanted = os.environ.get("COLUMNS", "")
    return int(wanted) if wanted.isdecimal() and int(wanted) else os.get_terminal_size(sys.stderr.fileno()).columns


def attend(plan: Plan, attended: Attended, wanted: Wanted, at_end: Callable[[], None] = lambda: None) -> int:
    """Run the launcher to its end, call `at_end`, and end as the launcher does."""
    if wanted.timeline:
        _forget_events(wanted.timeline)
    _remove(parts_in(wanted.parts))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*_PASSED_ON, signal.SIGCHLD})
    own = os.getpid()
    child = os.fork()
    if child == 0:
        _become(plan, before, own)
    journal = attended.journal
    status, cause = _wait(child, lambda: journal is not None and _show_so_far(journal, wanted, plan.environment))
    if journal is not None:
        _report_what_is_left(journal, wanted, cause or _cause_of(status), plan.environment)
    if wanted.timeline:
        _write_timeline(attended.timeline, wanted.timeline, attended.title)
    at_end()
    return _end_as(status, before)


def _become(plan: Plan, mask: set[signal.Signals | int], parent: int) -> NoReturn:
    """Turn into the launcher, which is not to outlive this process if that is killed."""
    import ctypes  # noqa: PLC0415 - not for ranks

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    error = ThalwegError(NOT_EXECUTABLE, f"{plan.path} cannot be started")
    try:
        if os.getppid() == parent:
            become(plan.path, plan.command, plan.environment)
    except OSError as refused:
        error = ThalwegError(NOT_EXECUTABLE, f"{plan.path} cannot be started: {refused.strerror}")
    print(f"thalweg: {error}", file=sys.stderr, flush=True)
    os._exit(error.status.number)


def parts_in(folder: str) -> list[str]:
    """Name what ranks have left in a folder; nothing where there is none."""
    try:
        names = os.listdir(folder) if folder else []
    except OSError:
        return []
    return sorted(os.path.join(folder, name) for name in names if name.endswith(".journal"))


def _remove(parts: Sequence[str]) -> None:
    """Take away what was left, here or by an earlier job with a report of the same name."""
    for part in parts:
        with suppress(OSError):
            os.unlink(part)
            os.rmdir(os.path.dirname(part))  # fails until it is empty


def _show_so_far(journal: Journal, wanted: Wanted, environment: dict[str, str]) -> bool:
    """Write what is known of the job now, and tell whether the signal that asked for it is for this process alone."""
    running = [section.pid for section in journal.sections() if section.is_running]
    if running:
        journals = [str(journal.file), *parts_in(wanted.parts)]
        _report(journals, wanted._replace(logs=""), f"{signal.SIGUSR1.name} (the job goes on)", environment)
    return bool(running) and not any(_waits_for(pid, signal.SIGUSR1) for pid in running)


def _waits_for(pid: int, number: int) -> bool:
    """Tell whether a program has a handler for a signal. MPICH has one of its own, by which ranks learn of failures."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            caught = next(line.split()[1] for line in status if line.startswith("SigCgt:"))
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            is_mpich = any(f"/{name}" in line for line in maps for name in MPICH.sonames)
    except (OSError, StopIteration):
        return False
    return bool(int(caught, 16) >> (number - 1) & 1) and not is_mpich


def _wait(child: int, show_so_far: Callable[[], bool]) -> tuple[int, str]:
    """Wait for the launcher's end and pass signals on; return its status, and the signal that was to end it."""
    cause = ""
    while True:
        came = signal.sigwaitinfo({*_PASSED_ON, signal.SIGCHLD})
        if came.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended == child:
                return status, cause
            continue
        if came.si_signo in _ENDING:
            cause = cause or signal.Signals(came.si_signo).name
        if came.si_signo == signal.SIGUSR1 and show_so_far():
            continue
        if came.si_code != _BY_KERNEL:
            os.kill(child, came.si_signo)


def _cause_of(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"the launcher ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"the job ended without MPI_Finalize, with status {os.WEXITSTATUS(status)}"


def _report_what_is_left(journal: Journal, wanted: Wanted, cause: str, environment: dict[str, str]) -> None:
    """Report what ranks have left here, and on other hosts as far as it can be had."""
    if not journal.is_left() and not parts_in(wanted.parts):
        return
    from thalweg.launch import missing  # noqa: PLC0415 - for jobs that did not end well

    is_known_of_all = not wanted.parts or _has_all_ranks(journal, wanted.parts)
    if not is_known_of_all and missing.can_bring(environment):
        lacking = wanted._replace(summary=False, logs="")
        _report([str(journal.file), *parts_in(wanted.parts)], lacking, cause, environment)
        patience_s = _HURRY_S if cause.startswith("SIG") else _PATIENCE_S
        missing.bring(missing.missing_in(lacking.report), wanted.parts, environment, patience_s)
    parts = parts_in(wanted.parts)
    _report([str(journal.file), *parts], wanted, cause, environment)
    elsewhere = [] if is_known_of_all else [one for one in missing.missing_in(wanted.report) if one.part]
    if not elsewhere:
        _remove(parts)
        return
    missing.keep_memory(journal.file, wanted.parts)
    print(f"thalweg: {missing.remark_on(elsewhere, wanted.report, wanted.parts)}", file=sys.stderr)


def _has_all_ranks(journal: Journal, folder: str) -> bool:
    """Say whether all ranks of the job that began last have left something that can be read here."""
    running = [section for section in journal.sections() if section.is_running]
    for path in parts_in(folder):
        with suppress(OSError), open(path, "rb") as part:
            running += [section for section in Journal(part.fileno()).sections() if section.is_running]
    newest = max((section.job for section in running), default=0)
    found = [section for section in running if section.job == newest]
    return bool(found) and len({section.rank for section in found}) == found[0].ranks


def _report(journals: Sequence[str], wanted: Wanted, cause: str, environment: dict[str, str]) -> None:
    import subprocess  # noqa: PLC0415 - for jobs that did not end well

    words = words_of(wanted, cause, journals)
    subprocess.run(words, pass_fds=[int(journals[0])], env=environment | bars(os.environ), check=False)


def _forget_events(path: str) -> None:
    """Take away what an earlier run has left that nobody waited for."""
    from thalweg.timeline.memory import EVENTS, PARTS, remove_parts  # noqa: PLC0415 - for timelines alone

    remove_parts(path + PARTS)
    with suppress(OSError):
        os.unlink(path + EVENTS)


def _write_timeline(memory: TimelineMemory | None, path: str, title: str) -> None:
    from thalweg.timeline.command import write_of_run  # noqa: PLC0415 - for timelines alone

    try:
        line = write_of_run(memory, path, title)
    except ThalwegError as error:
        line = f"no timeline: {error}"
    print(f"thalweg: {line or 'no timeline: no rank has kept any events'}", file=sys.stderr)


def words_of(wanted: Wanted, cause: str, journals: Sequence[str]) -> list[str]:
    """Write the command that reports what journals hold: descriptors' numbers, and files."""
    summary = "1" if wanted.summary else "0"
    return [unfinished_program(), wanted.report, summary, str(columns()), cause, wanted.logs, *journals]


def _end_as(status: int, mask: set[signal.Signals | int]) -> int:
    if not os.WIFSIGNALED(status):
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    os.kill(os.getpid(), number)
    return 128 + number
