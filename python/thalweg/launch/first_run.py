# SPDX-License-Identifier: BSD-3-Clause
"""Before the first run with so many ranks of an MPI on this machine: look what is surely faster there, once.

The look is a command of its own (`thalweg setup`), so that whatever happens to it, the program starts. It is left for
another day where the machine is busy, as its figures would say nothing; where it failed, it is not tried again.
"""

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from thalweg.launch.allocation import even_nodes
from thalweg.launch.cores import core_count
from thalweg.settings.layers import Settings
from thalweg.settings.values import NO_TUNING

BUDGET_S = 5
PATIENCE_S = 30
"""A look that takes so long is ended: the program is to start."""
END_S = 12
"""A look that is to end gets so long to end its job."""
IDLE_LOAD = 0.5
"""Processes that ran in the last minute, for each core, of a machine that is not busy."""


def look_first(mpi: str, ranks: int, settings: Settings, environment: Mapping[str, str]) -> None:
    """Look, if nobody has: `mpi` is the library of the job, which has so many ranks."""
    if not _is_wanted(mpi, ranks, settings, environment) or not _is_idle():
        return
    mark = _mark(mpi, ranks, environment)
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch(exist_ok=False)  # of jobs that start together one looks
    except OSError:
        return
    print(
        f"thalweg: the first run here with {ranks} ranks: {BUDGET_S} s to find out what is faster on this machine "
        "(once; --no-setup leaves it out)",
        file=sys.stderr,
        flush=True,
    )
    command = ["-m", "thalweg", "setup", "-n", str(ranks), "--mpi", mpi, "--budget", f"{BUDGET_S}s"]
    if why := _failure_of([sys.executable, *command, "--tuning", str(settings["tuning"].value)], environment):
        print(f"thalweg: nothing was found out: {why}", file=sys.stderr, flush=True)


def _is_wanted(mpi: str, ranks: int, settings: Settings, environment: Mapping[str, str]) -> bool:
    """Tell whether what is found would be used: by jobs of one node in which each rank has a core."""
    is_used = settings["learn"].value != "off" and settings["tuning"].value != NO_TUNING and not settings["use"].value
    is_on = bool(settings["setup"].value) and not settings["disable"].value
    fits = bool(mpi) and 2 <= ranks <= core_count() and even_nodes(ranks, environment) == 1
    return is_on and is_used and fits and not _mark(mpi, ranks, environment).exists()


def _is_idle() -> bool:
    return os.getloadavg()[0] <= IDLE_LOAD * (os.cpu_count() or 1)


def _mark(mpi: str, ranks: int, environment: Mapping[str, str]) -> Path:
    """Name the file that says that the look was taken: by this library, on such a host, with so many ranks.

    Hosts that are alike and share the folder share it.
    """
    home = environment.get("XDG_CACHE_HOME") or os.path.join(environment.get("HOME", "/"), ".cache")
    try:
        changed = os.stat(mpi).st_mtime_ns
    except OSError:
        changed = 0
    of = (os.path.realpath(mpi), changed, ranks, core_count(), _processor(), os.uname().release)
    return Path(home) / "thalweg" / "looked" / hashlib.sha256(repr(of).encode()).hexdigest()[:16]


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            return next((line for line in file if line.startswith("model name")), "")
    except OSError:
        return ""


def _failure_of(command: list[str], environment: Mapping[str, str]) -> str:
    """Run the look; gives the last line of what went wrong, or nothing."""
    # Its own jobs are no first runs.
    own = dict(environment) | {"THALWEG_SETUP": "0"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=own,
        start_new_session=True,
    )
    try:
        _, errors = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return f"it took more than {PATIENCE_S} s"
    finally:
        _end(process)
    if process.returncode == 0:
        return ""
    return (errors.strip().splitlines() or [f"status {process.returncode}"])[-1]


def _end(process: "subprocess.Popen[str]") -> None:
    """End the look with its job, which is in a session of its own and ends by the look's own hand."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=END_S)
    process.communicate()
