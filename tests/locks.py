# SPDX-License-Identifier: BSD-3-Clause
"""Locks between the processes that run tests at the same time (pytest-xdist)."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

BUILD = Path(__file__).parents[1] / "build"


@contextmanager
def locked(folder: Path, name: str = ".lock", *, shared: bool = False) -> Iterator[None]:
    """Hold a folder's lock, which ends with its process at the latest; a shared one beside other shared ones."""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


@contextmanager
def processors(*, alone: bool = False) -> Iterator[None]:
    """Run a job beside others, or alone where its ranks would wait for each other's turns on the processors."""
    # Who wants to be alone stands at the door, so that no further job goes past.
    with ExitStack() as inside:
        with locked(BUILD, ".door"):
            inside.enter_context(locked(BUILD, ".processors", shared=not alone))
        yield
