# SPDX-License-Identifier: BSD-3-Clause
"""What a command starts and what it says, without `subprocess` and `shutil`, which every run would wait for."""

import os
import select
import signal
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# What Python ignores for itself from its start on. A program that inherited that would go on writing into pipes that
# nobody reads, and into files beyond their limit.
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class Output(NamedTuple):
    """What a program wrote before it ended."""

    text: str
    errors: str


def executable(word: str, environment: Mapping[str, str]) -> str | None:
    """Find what a shell would start for a word; None if there is nothing, or what is there may not be executed."""
    search = environment.get("PATH", os.defpath)
    folders = [""] if os.path.dirname(word) else search.split(":") if search else []
    paths = (os.path.join(folder, word) for folder in folders)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def output_of(words: Sequence[str], environment: Mapping[str, str], seconds: float = 60) -> Output:
    """Run a program, named by its path, to its end, and give what it wrote.

    Raises OSError where it cannot be started, and TimeoutError where it does not end in time: it is killed then.
    """
    text, errors = os.memfd_create("text"), os.memfd_create("errors")
    try:
        actions = [(os.POSIX_SPAWN_DUP2, text, 1), (os.POSIX_SPAWN_DUP2, errors, 2)]
        child = os.posix_spawn(words[0], list(words), environment, file_actions=actions, setsigdef=IGNORED_BY_PYTHON)
        _await_end(child, seconds)
        return Output(_content(text), _content(errors))
    finally:
        os.close(text)
        os.close(errors)


def _await_end(child: int, seconds: float) -> None:
    has_ended = _ends_within(child, seconds)
    if not has_ended:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if not has_ended:
        message = f"it did not end within {seconds:.0f} seconds"
        raise TimeoutError(message)


def _ends_within(child: int, seconds: float) -> bool:
    try:
        end = os.pidfd_open(child)
    except OSError:  # kernels before 5.3, and filters of system calls
        return _is_seen_to_end(child, seconds)
    try:
        watch = select.poll()
        watch.register(end, select.POLLIN)
        return bool(watch.poll(seconds * 1000))
    finally:
        os.close(end)


def _is_seen_to_end(child: int, seconds: float) -> bool:
    """Look now and then, without taking the child's status away."""
    pause_s, last = 0.001, time.monotonic() + seconds
    while not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if time.monotonic() > last:
            return False
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, 0.05)
    return True


def _content(file: int) -> str:
    return os.pread(file, os.fstat(file).st_size, 0).decode(errors="replace")
