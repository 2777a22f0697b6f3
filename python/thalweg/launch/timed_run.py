# SPDX-License-Identifier: BSD-3-Clause
"""Run one command to its end, with its wall time, and the CPU time and memory of all its processes."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """A run that ended well. The memory is the most that one of its processes had at a time."""

    wall_s: float
    cpu_s: float
    output: str
    memory_bytes: int = 0


class RunFailedError(Exception):
    """A command that could not be started, ended badly or ran too long; with the end of its output."""


class OverdueError(RunFailedError):
    """A command that ran longer than it may."""


def run(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, limit_s: float, *, cwd: Path | None = None
) -> Run:
    """Run in a folder, or in `cwd`, and wait; what the command writes is kept in files of the folder.

    CPU time is that of the command and of every process below it that was waited for: launchers wait for the
    ranks of their own machine. What the command started is killed with it when it runs longer than the limit.
    """
    output_path = folder / "output"
    errors_path = folder / "errors"
    with output_path.open("wb") as output, errors_path.open("wb") as errors:
        begin_s = time.monotonic()
        try:
            process = subprocess.Popen(
                command,
                cwd=cwd or folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            message = f"{command[0]} cannot be started: {error.strerror}"
            raise RunFailedError(message) from error
        watchdog = threading.Timer(limit_s, _kill_session, [process.pid])
        watchdog.start()
        try:
            _, wait_status, usage = os.wait4(process.pid, 0)
        except BaseException:  # an interrupt: the session is its own, and hears of none
            _kill_session(process.pid)
            raise
        finally:
            watchdog.cancel()
        wall_s = time.monotonic() - begin_s
        process.returncode = os.waitstatus_to_exitcode(wait_status)  # keeps Popen from waiting a second time
    text = output_path.read_text(errors="replace")
    if process.returncode != 0:
        tail = "\n".join((text + errors_path.read_text(errors="replace")).splitlines()[-12:])
        if wall_s >= limit_s:
            message = f"{' '.join(command)}\nran longer than {limit_s:.0f} s\n{tail}"
            raise OverdueError(message)
        message = f"{' '.join(command)}\nended with status {process.returncode}\n{tail}"
        raise RunFailedError(message)
    return Run(wall_s, usage.ru_utime + usage.ru_stime, text, usage.ru_maxrss << 10)


def _kill_session(pid: int) -> None:
    """Ask the session to end, so that launchers take their ranks along, then insist."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(pid, number)
        except ProcessLookupError:
            return
        time.sleep(1)
