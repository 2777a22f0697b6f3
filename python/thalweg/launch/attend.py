# SPDX-License-Identifier: BSD-3-Clause
"""Start a job's launcher, wait for its end, and report what its ranks left if they did not report themselves.

The launcher keeps the terminal, and its end is this process's own: the same exit status, or the same signal. Signals
that are sent to this process are passed on. Those of the terminal reach the launcher by themselves.
"""

import os
import signal
import struct
import sys
from typing import NamedTuple, NoReturn

from thalweg.errors import NOT_EXECUTABLE, ThalwegError
from thalweg.launch.become import become
from thalweg.launch.plan import Plan
from thalweg.launch.screen import bars
from thalweg.libraries import unfinished_program

JOURNAL = "THALWEG_JOURNAL"
COLUMNS = "THALWEG_COLUMNS"
_MAGIC = b"thalweg-journal-1".ljust(24, b"\0")
_PAGE = 4096
_SECTION = 16 << 20
_RUNNING = 1
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_BY_KERNEL = 0x80  # SI_KERNEL of signal(7)'s si_code: from the terminal, to all of its foreground
_PR_SET_PDEATHSIG = 1


class Wanted(NamedTuple):
    """What is to be told of the job: a report's path, which may be empty, and whether a summary."""

    report: str
    summary: bool


NOTHING = Wanted("", summary=False)


class Journal(NamedTuple):
    """The memory in which ranks of this host count (src/run/mpi/observe/journal.hpp); it goes with its last user."""

    file: int

    @property
    def path(self) -> str:
        """Where ranks find it."""
        return f"/proc/{os.getpid()}/fd/{self.file}"

    def is_left(self) -> bool:
        """Tell whether some rank began to count and did not report."""
        (sections,) = struct.unpack("I", os.pread(self.file, 4, len(_MAGIC)))
        places = (_PAGE + number * _SECTION for number in range(sections))
        states = (os.pread(self.file, 4, place) for place in places)
        return any(len(state) == 4 and struct.unpack("I", state)[0] == _RUNNING for state in states)


def make_journal() -> Journal | None:
    """Make the memory; without it a job runs all the same."""
    try:
        file = os.memfd_create("thalweg-journal")
        os.pwrite(file, _MAGIC, 0)
        os.ftruncate(file, _PAGE)
    except OSError:
        return None
    return Journal(file)


def variables_of(journal: Journal) -> dict[str, str]:
    """Tell ranks where to count, and how wide the screen is that they write to."""
    return {JOURNAL: journal.path} | ({COLUMNS: str(wide)} if (wide := columns()) else {})


def columns() -> int:
    """Give the width of the screen that stderr is on; 0 where it is on none."""
    if not sys.stderr.isatty():
        return 0
    wanted = os.environ.get("COLUMNS", "")
    return int(wanted) if wanted.isdecimal() and int(wanted) else os.get_terminal_size(sys.stderr.fileno()).columns


def attend(plan: Plan, journal: Journal, wanted: Wanted) -> int:
    """Run the launcher to its end, and end as it does."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*_PASSED_ON, signal.SIGCHLD})
    own = os.getpid()
    child = os.fork()
    if child == 0:
        _become(plan, before, own)
    status, cause = _wait(child)
    if journal.is_left():
        _report(plan, journal, wanted, cause or _cause_of(status))
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


def _wait(child: int) -> tuple[int, str]:
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
        if came.si_code != _BY_KERNEL:
            os.kill(child, came.si_signo)


def _cause_of(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"the launcher ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"the job ended without MPI_Finalize, with status {os.WEXITSTATUS(status)}"


def _report(plan: Plan, journal: Journal, wanted: Wanted, cause: str) -> None:
    import subprocess  # noqa: PLC0415 - for jobs that did not end well

    words = [
        unfinished_program(), str(journal.file), wanted.report, "1" if wanted.summary else "0", str(columns()), cause,
    ]  # fmt: skip
    subprocess.run(words, pass_fds=[journal.file], env=plan.environment | bars(os.environ), check=False)


def _end_as(status: int, mask: set[signal.Signals | int]) -> int:
    if not os.WIFSIGNALED(status):
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    os.kill(os.getpid(), number)
    return 128 + number
