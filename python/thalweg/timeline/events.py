# SPDX-License-Identifier: BSD-3-Clause
"""Events as ranks kept them (src/run/mpi/timeline/event_memory.hpp): in the file that rank 0 wrote, or in memory."""

from __future__ import annotations

import json
import os
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.timeline.memory import PAGE, TimelineMemory

if TYPE_CHECKING:
    from numpy.typing import NDArray

CALL, COLLECTIVE, MEETING, SEND, RECEIVE, COMPLETION = range(1, 7)
UNKNOWN = -1
"""A rank or a tag that only the request's completion says."""

_MAGIC = b"thalweg-timeline-1".ljust(24, b"\0")
_HEAD = struct.Struct("24sIiiiiI QQQQQQdQQ 256s")
_OPEN = struct.Struct("QII")
_OPEN_CALLS = 64
_BLOCK_BYTES = 64 << 10
_BLOCK_HEAD = struct.Struct("QII")
_BLOCK_HEAD_BYTES = 64
_EVENT = np.dtype(
    [
        ("begin", "<u8"), ("end", "<u8"), ("bytes", "<u8"), ("call", "<u4"), ("communicator", "<u4"), ("peer", "<i4"),
        ("tag", "<i4"), ("request", "<u4"), ("sequence", "<u4"),
    ]
)  # fmt: skip
_EVENTS_MAX = (_BLOCK_BYTES - _BLOCK_HEAD_BYTES) // _EVENT.itemsize
_KIND_SHIFT = np.uint64(56)
_RUNNING = 1
_UNKNOWN_END = -1
"""The end of a rank whose host's clock cannot be read: that of its last event."""


class CallPlace(NamedTuple):
    """A call in the program: which function, and where."""

    function: str
    module: str
    address: int
    python: str
    """The function in Python; there `module` is the source file and `address` the line."""
    phase: int
    is_own: bool
    """Is it one that a library of Thalweg's made, such as streams?"""


class Communicator(NamedTuple):
    """A communicator as one rank knows it; the number is the same on all ranks."""

    number: int
    ranks: int
    members: tuple[int, ...]
    """Its ranks' numbers in the world; none of the world itself."""

    @property
    def is_world(self) -> bool:
        """Say whether it is MPI_COMM_WORLD."""
        return not self.members


class ThreadEvents(NamedTuple):
    """Events of a thread in their order, with their kinds; times in nanoseconds of rank 0's host."""

    thread: int
    events: NDArray[np.void]
    kinds: NDArray[np.uint8]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass
class RankEvents:
    """What a rank kept; times in nanoseconds of rank 0's host."""

    rank: int
    ranks: int
    node: int
    host: str
    begin: int
    end: int
    lost_events: int
    lost_until: int
    """From then on all events are there; `begin` where none are lost."""
    is_finished: bool
    """Did the rank come to MPI_Finalize?"""
    threads: list[ThreadEvents] = field(default_factory=list)
    calls: dict[int, CallPlace] = field(default_factory=dict)
    communicators: dict[int, Communicator] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    open_calls: list[tuple[int, int, int]] = field(default_factory=list)
    """Calls that had not ended: thread, begin, call."""


class _Clock(NamedTuple):
    start_ticks: int
    start_ns: int
    ns_per_tick: float
    offset_ns: float

    def ns(self, ticks: NDArray[np.uint64] | int) -> NDArray[np.int64]:
        """Turn ticks into nanoseconds; differences first, so that no digits are lost."""
        since = (np.asarray(ticks, dtype=np.uint64) - np.uint64(self.start_ticks)).astype(np.int64)
        begin = self.start_ns + round(self.offset_ns)
        found: NDArray[np.int64] = begin + np.rint(since * self.ns_per_tick).astype(np.int64)
        return found


def read_file(path: str) -> list[RankEvents]:
    """Read what rank 0 gathered of all ranks; raises ThalwegError for a file that is damaged."""
    try:
        content = memoryview(Path(path).read_bytes())
    except OSError as error:
        raise ThalwegError(SETTINGS, f"{path} cannot be read: {error.strerror}", "name a timeline's events") from error
    ranks = []
    place = 0
    while place < len(content):
        length = int.from_bytes(content[place : place + 8], "little")
        place += 8
        if place + length > len(content) or not length:
            raise _damaged(path, place)
        ranks.append(_read_gathered(path, content[place : place + length], place))
        place += length
    return ranks


def read_memory(memory: TimelineMemory, *, is_of_here: bool = True) -> list[RankEvents]:
    """Read what ranks left, however they ended; the clock of this host says when, where they were here."""
    found = []
    now = time.monotonic_ns() if is_of_here else _UNKNOWN_END
    for begin, size in memory.sections():
        head = os.pread(memory.file, PAGE, begin)
        if len(head) < PAGE or head[: len(_MAGIC)] != _MAGIC:
            continue
        rank, definitions, blocks = _read_head(head, now)
        room = definitions[1]
        _define(rank[0], os.pread(memory.file, definitions[0], begin + PAGE))
        first = begin + PAGE + room
        read = [os.pread(memory.file, _BLOCK_BYTES, first + number * _BLOCK_BYTES) for number in range(blocks)]
        assert first - begin + blocks * _BLOCK_BYTES <= size
        _add_blocks(*rank, [block for block in read if len(block) == _BLOCK_BYTES])
        rank[0].end = max(rank[0].end, *(int(thread.ends.max()) for thread in rank[0].threads), rank[0].begin)
        found.append(rank[0])
    return found


def read_part(path: str) -> list[RankEvents]:
    """Read what a rank of any host left in a file; nothing where that is damaged."""
    try:
        with open(path, "rb") as file:
            return read_memory(TimelineMemory(file.fileno()), is_of_here=False)
    except (OSError, ValueError, struct.error):
        return []


def _damaged(path: str, place: int) -> ThalwegError:
    return ThalwegError(SETTINGS, f"{path}: byte {place}: no whole timeline's events", "run the program again")


def _read_gathered(path: str, content: memoryview, place: int) -> RankEvents:
    if len(content) < PAGE or content[: len(_MAGIC)] != _MAGIC:
        raise _damaged(path, place)
    (rank, clock), (definition_bytes, _), _ = _read_head(bytes(content[:PAGE]), 0)
    _define(rank, bytes(content[PAGE : PAGE + definition_bytes]))
    at = PAGE + definition_bytes
    blocks = []
    while at < len(content):
        if at + _BLOCK_HEAD_BYTES > len(content):
            raise _damaged(path, place + at)
        _, _, used = _BLOCK_HEAD.unpack_from(content, at)
        size = _BLOCK_HEAD_BYTES + used * _EVENT.itemsize
        if used > _EVENTS_MAX or at + size > len(content):
            raise _damaged(path, place + at)
        blocks.append(bytes(content[at : at + size]))
        at += size
    _add_blocks(rank, clock, blocks)
    return rank


def _read_head(head: bytes, now: int) -> tuple[tuple[RankEvents, _Clock], tuple[int, int], int]:
    """Give the rank with its clock, the definitions' bytes and room, and how many blocks there may be.

    `now` is the clock of this host, where the rank did not come to MPI_Finalize; 0 for one that did.
    """
    (
        _, state, rank, ranks, node, _, blocks, room, definitions, start_ticks, start_ns, latest_ticks, latest_ns,
        offset, lost, lost_until, host,
    ) = _HEAD.unpack_from(head)  # fmt: skip
    is_scaled = latest_ticks > start_ticks and latest_ns > start_ns
    scale = (latest_ns - start_ns) / (latest_ticks - start_ticks) if is_scaled else 1.0
    clock = _Clock(start_ticks, start_ns, scale, offset)
    begin = int(clock.ns(start_ticks))
    is_finished = now == 0 or state != _RUNNING
    found = RankEvents(
        rank, ranks, node, host.rstrip(b"\0").decode(errors="replace"), begin,
        now if now > 0 and not is_finished else int(clock.ns(latest_ticks)), lost,
        int(clock.ns(lost_until)) if lost_until else begin, is_finished,
    )  # fmt: skip
    opened = (_OPEN.unpack_from(head, _HEAD.size + number * _OPEN.size) for number in range(_OPEN_CALLS))
    if not is_finished:
        found.open_calls = [
            (thread, int(clock.ns(begun)), call) for thread, (begun, call, _) in enumerate(opened) if begun and call
        ]
    return (found, clock), (definitions, room), blocks


def _define(rank: RankEvents, lines: bytes) -> None:
    for line in lines.decode(errors="replace").splitlines():
        one = json.loads(line)
        if "call" in one:
            rank.calls[one["call"]] = CallPlace(
                one["function"], one["module"], one["address"], one["python"], one["phase"], one["own"]
            )
        elif "communicator" in one:
            rank.communicators[one["communicator"]] = Communicator(
                one["id"], one["ranks"], tuple(one.get("members", ()))
            )
        else:
            rank.texts[one["text"]] = one["value"]


def _add_blocks(rank: RankEvents, clock: _Clock, blocks: list[bytes]) -> None:
    """Put the blocks of each thread one behind the other."""
    by_thread: dict[int, list[tuple[int, NDArray[np.void]]]] = {}
    for block in blocks:
        number, thread, used = _BLOCK_HEAD.unpack_from(block)
        if number and 0 < used <= _EVENTS_MAX:
            events = np.frombuffer(block, _EVENT, used, _BLOCK_HEAD_BYTES)
            by_thread.setdefault(thread, []).append((number, events))
    for thread, parts in sorted(by_thread.items()):
        events = np.concatenate([part for _, part in sorted(parts, key=lambda one: one[0])])
        kinds = (events["bytes"] >> _KIND_SHIFT).astype(np.uint8)
        events["bytes"] &= (np.uint64(1) << _KIND_SHIFT) - np.uint64(1)
        ends = np.where(events["end"] == 0, -1, clock.ns(np.maximum(events["end"], np.uint64(clock.start_ticks))))
        rank.threads.append(ThreadEvents(thread, events, kinds, clock.ns(events["begin"]), ends))
