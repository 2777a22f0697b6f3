# SPDX-License-Identifier: BSD-3-Clause
"""The memory in which ranks of this host keep the timeline's events (src/run/mpi/timeline/event_memory.hpp).

The command holds it open, and it goes with its last user. Nothing here is slow to import: runs start with it.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from typing import NamedTuple

EVENTS = ".events"
"""Behind the timeline's name: the file in which rank 0 gathers all ranks' events."""
PARTS = ".parts"
"""Ends the name of the folder beside a timeline, in which ranks keep events that do not see the command's memory."""
DEFAULT_MEBIBYTES = 8
_MAGIC = b"thalweg-events-1".ljust(24, b"\0")
_HEAD = struct.Struct("24sIIQ")
PAGE = 4096


class TimelineMemory(NamedTuple):
    """A file without a name, with a section for each rank of this host."""

    file: int

    @property
    def path(self) -> str:
        """Where ranks find it."""
        return f"/proc/{os.getpid()}/fd/{self.file}"

    def sections(self) -> list[tuple[int, int]]:
        """Give where each section that a rank has taken begins, and its bytes."""
        _, taken, _, size = _HEAD.unpack(os.pread(self.file, _HEAD.size, 0))
        return [(PAGE + number * size, size) for number in range(taken)]


def parts_in(folder: str) -> list[str]:
    """Name the files of events that ranks have left in a folder; nothing where there is none."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(os.path.join(folder, name) for name in names if name.endswith(EVENTS))


def remove_parts(folder: str) -> None:
    """Take away what ranks have left."""
    for part in parts_in(folder):
        with suppress(OSError):
            os.unlink(part)
    with suppress(OSError):  # something else is there
        os.rmdir(folder)


def make_memory(mebibytes: int) -> TimelineMemory | None:
    """Make the memory, for so many MiB a rank; without it a job runs all the same, and its ranks have their own."""
    size = max(mebibytes, 1) << 20
    try:
        file = os.memfd_create("thalweg-timeline")
        os.pwrite(file, _HEAD.pack(_MAGIC, 0, 0, size), 0)
        os.ftruncate(file, PAGE)
    except OSError:
        return None
    return TimelineMemory(file)
