# SPDX-License-Identifier: BSD-3-Clause
"""A rank's calls, messages and requests, from its events: what began joined with what ended."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from thalweg.timeline import events as kept
from thalweg.timeline.matching import Interval, Message

if TYPE_CHECKING:
    from thalweg.timeline.events import CallPlace, Communicator, RankEvents, ThreadEvents


@dataclass(eq=False)
class Call:
    """A call of a thread, with what else is known of it."""

    interval: Interval
    place: CallPlace | None
    kind: int
    bytes: int = 0
    communicator: Communicator | None = None
    root: int = -1
    strategy: str = ""
    request: int = 0
    sequence: int = 0
    messages: list[Message] = field(default_factory=list)
    is_open: bool = False


@dataclass(eq=False)
class PendingRequest:
    """A request: the call that began it, its messages, and where it was over; `end` is -1 where that is not known."""

    number: int
    begun: Call | None
    row: int
    begin: int
    end: int = -1
    completing: Call | None = None
    messages: list[Message] = field(default_factory=list)


class ThreadCalls(NamedTuple):
    """The calls of a thread in the order in which they began, outer ones before those in them."""

    thread: int
    row: int
    calls: list[Call]


class RankCalls:
    """All of a rank; rows are numbered from `first_row`, and times are nanoseconds since `zero`."""

    def __init__(self, rank: RankEvents, first_row: int, zero: int) -> None:
        """Read the events."""
        self.rank = rank
        self.threads: list[ThreadCalls] = []
        self.messages: list[Message] = []
        self.requests: dict[int, PendingRequest] = {}
        self._zero = zero
        self._completions: list[tuple[int, int, int, int, int]] = []
        opened = {thread: (begin, call) for thread, begin, call in rank.open_calls}
        events = {one.thread: one for one in rank.threads}
        for row, number in enumerate(sorted({*events, *opened} or {0}), first_row):
            calls = self._read(events[number], row) if number in events else []
            if number in opened:
                begin, place = opened[number]
                interval = Interval(row, begin - zero, max(begin, rank.end) - zero)
                calls.append(Call(interval, rank.calls.get(place), kept.CALL, is_open=True))
            calls.sort(key=lambda one: (one.interval.begin, -one.interval.end))
            self.threads.append(ThreadCalls(number, row, calls))
        self._complete()

    def _read(self, thread: ThreadEvents, row: int) -> list[Call]:
        """Read a thread; messages stand before the call that they belong to."""
        calls: list[Call] = []
        messages: list[Message] = []
        columns = (thread.kinds.tolist(), thread.begins.tolist(), thread.ends.tolist(), thread.events.tolist())
        for kind, begin, end, event in zip(*columns, strict=True):
            _, _, size, _, communicator, peer, tag, request, _ = event
            if kind in (kept.SEND, kept.RECEIVE):
                known = self.rank.communicators.get(communicator)
                begin_ns, end_ns = begin - self._zero, end - self._zero if end >= 0 else -1
                messages.append(
                    Message(row, self.rank.rank, peer, tag, known.number if known else 0, size, begin_ns, end_ns,
                            kind == kept.SEND, Interval(row, begin_ns, max(begin_ns, end_ns)))
                )  # fmt: skip
                if request:
                    pending = self.requests.setdefault(request, PendingRequest(request, None, row, begin_ns))
                    pending.messages.append(messages[-1])
            elif kind == kept.COMPLETION:
                self._completions.append((row, end - self._zero, peer, tag, request))
            else:
                call = self._call(Interval(row, begin - self._zero, max(begin, end) - self._zero), kind, event)
                self._begin(call, messages)
                messages = []
                calls.append(call)
        self.messages += messages
        return calls

    def _call(self, interval: Interval, kind: int, event: tuple[int, ...]) -> Call:
        _, _, size, place, communicator, peer, tag, request, sequence = event
        call = Call(interval, self.rank.calls.get(place), kind, size, self.rank.communicators.get(communicator))
        call.request, call.sequence = request, sequence
        if kind == kept.COLLECTIVE:
            call.root, call.strategy = peer, self.rank.texts.get(tag, "")
        return call

    def _begin(self, call: Call, messages: list[Message]) -> None:
        """Note what a call began, or did."""
        for message in messages:
            message.call = call.interval
            if message.end >= 0:
                message.completing = call.interval
        call.messages = messages
        self.messages += messages
        if call.request:
            row, begin = call.interval.row, call.interval.begin
            self.requests.setdefault(call.request, PendingRequest(call.request, call, row, begin)).begun = call

    def _complete(self) -> None:
        """Find the calls in which requests were over."""
        begins = {thread.row: [call.interval.begin for call in thread.calls] for thread in self.threads}
        calls = {thread.row: thread.calls for thread in self.threads}
        for row, end, peer, tag, number in self._completions:
            pending = self.requests.get(number)
            if pending is None:
                continue
            place = bisect_left(begins[row], end) - 1
            pending.end = end
            pending.completing = calls[row][place] if place >= 0 else None
            for message in pending.messages:
                message.end = end
                message.completing = pending.completing.interval if pending.completing else None
                if not message.is_send:
                    message.peer, message.tag = peer, tag
