# SPDX-License-Identifier: BSD-3-Clause
"""The timeline of a run, from its ranks' events."""

from __future__ import annotations

from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from thalweg.timeline import events as kept
from thalweg.timeline.calls import Call, PendingRequest, RankCalls, ThreadCalls
from thalweg.timeline.matching import Arrival, find_late_partners, find_late_ranks, match_messages
from thalweg.timeline.model import (
    CALL,
    COLLECTIVE,
    COMPUTE,
    OWN,
    TRANSFER,
    WAITING,
    Arrow,
    Communicator,
    Request,
    Row,
    Slice,
    Timeline,
)
from thalweg.timeline.places import line_of, source_of
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from thalweg.timeline.events import RankEvents
    from thalweg.timeline.matching import Message


def timeline_of(events: Sequence[RankEvents], title: str) -> Timeline:
    """Put all ranks' events together."""
    events = sorted(events, key=lambda one: one.rank)
    zero = min((one.begin for one in events), default=0)
    made = Timeline(title, events[0].ranks if events else 0, _nodes(events), [])
    ranks: list[RankCalls] = []
    for one in events:
        ranks.append(RankCalls(one, len(made.rows), zero))
        made.rows += [Row(one.node, one.rank, thread.thread, _row_name(one, thread)) for thread in ranks[-1].threads]
    _find_waiting(ranks)
    for rank in ranks:
        for thread in rank.threads:
            made.slices += _slices(rank.rank, thread, zero)
        made.requests += [_request(pending) for pending in rank.requests.values() if pending.end >= 0]
    made.arrows = [
        Arrow(one.row, one.begin, one.partner.row, one.partner.end, one.tag, one.bytes, one.communicator)
        for rank in ranks
        for one in rank.messages
        if one.is_send and one.partner is not None and one.partner.end >= 0
    ]
    made.communicators = {
        one.number: Communicator(_communicator_name(one), one.members or tuple(range(one.ranks)))
        for rank in events
        for one in rank.communicators.values()
    }
    made.remarks = list(_remarks(events, zero))
    return made


def _nodes(events: Sequence[RankEvents]) -> dict[int, str]:
    return {one.node: f"node {one.node} ({one.host})" for one in sorted(events, key=lambda one: one.node)}


def _row_name(rank: RankEvents, thread: ThreadCalls) -> str:
    return f"rank {rank.rank}" + (f", thread {thread.thread}" if thread.thread else "")


def _find_waiting(ranks: Sequence[RankCalls]) -> None:
    messages = [message for rank in ranks for message in rank.messages]
    match_messages(messages, {rank.rank.rank for rank in ranks if rank.rank.lost_events})
    find_late_partners(messages)
    groups: dict[tuple[int, int], list[tuple[int, Arrival]]] = defaultdict(list)
    for rank in ranks:
        for call in (call for thread in rank.threads for call in thread.calls):
            if call.sequence and call.communicator is not None:
                completing = rank.requests[call.request].completing if call.request else call
                waiting = completing.interval if completing else None
                arrival = Arrival(rank.rank.rank, call.interval.begin, waiting)
                groups[call.communicator.number, call.sequence].append((call.communicator.ranks, arrival))
    find_late_ranks((group[0][0], [arrival for _, arrival in group]) for group in groups.values())


def _slices(rank: RankEvents, thread: ThreadCalls, zero: int) -> Iterator[Slice]:
    """Give a thread's calls, what they waited for, and what was computed between them."""
    row = thread.row
    first = max(rank.begin, rank.lost_until) - zero
    at = first if thread.thread == 0 else -1
    for call, following in zip_longest(thread.calls, thread.calls[1:]):
        begin, end = call.interval.begin, call.interval.end
        if at >= 0 and begin > at:
            yield Slice(row, at, begin, "compute", COMPUTE, {})
        is_simple = begin >= at and (following is None or following.interval.begin >= end)
        number = call.communicator.number if call.communicator is not None else 0
        yield Slice(row, begin, end, _name(call), _kind(call), _details(call), number)
        if is_simple:
            yield from _parts(call)
        at = max(at, end)
    if thread.thread == 0 and rank.end - zero > at >= 0:
        yield Slice(row, at, rank.end - zero, "compute", COMPUTE, {})


def _parts(call: Call) -> Iterator[Slice]:
    """Give the time until the last one had come, and the rest."""
    row, begin, end, late = call.interval.row, call.interval.begin, call.interval.end, call.interval.late
    communicates = call.messages or call.sequence or call.kind == kept.COLLECTIVE or late > begin
    if not communicates or call.is_open:
        return
    if late > begin:
        yield Slice(row, begin, late, "waiting", WAITING, {"for rank": call.interval.late_rank})
    if end > max(begin, late):
        yield Slice(row, max(begin, late), end, "transfer", TRANSFER, {})


def _kind(call: Call) -> str:
    if call.place is not None and call.place.is_own:
        return OWN
    return COLLECTIVE if call.kind in (kept.COLLECTIVE, kept.MEETING) else CALL


def _name(call: Call) -> str:
    """Name the function and the line; of collectives what ran them, too."""
    if call.place is None:
        return "call"
    words = [call.place.function, line_of(call.place)]
    return " ".join([*words, call.strategy] if call.strategy else words)


def _details(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if call.place is not None:
        found["source"] = source_of(call.place)
        if call.place.phase:
            found["phase"] = call.place.phase
    if call.kind == kept.COLLECTIVE or call.bytes:
        found["bytes"] = call.bytes
    found |= _details_of_collective(call)
    for message in call.messages:
        found |= _details_of_message(message)
    if call.request:
        found["request"] = call.request
    if call.is_open:
        found["not ended"] = "the job ended in this call"
    return found


def _details_of_message(message: Message) -> dict[str, Any]:
    peer = message.peer if message.peer >= 0 else "any"
    return {"to" if message.is_send else "from": peer, "tag": message.tag if message.tag >= 0 else "any"}


def _details_of_collective(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = {"strategy": call.strategy} if call.strategy else {}
    if call.root >= 0:
        found["root"] = call.root
    if call.communicator is not None:
        found["communicator"] = _communicator_name(call.communicator)
    if call.sequence:
        found["collective"] = call.sequence
    return found


def _communicator_name(known: kept.Communicator) -> str:
    return "MPI_COMM_WORLD" if known.is_world else f"{known.number & 0xFFFFFFFF:08x} of {known.ranks} ranks"


def _request(pending: PendingRequest) -> Request:
    """Give a request; the row was in the calls that began and ended it, and the rest of its time is hidden."""
    exposed = []
    begun, completing = pending.begun, pending.completing
    if begun is not None:
        exposed.append((pending.begin, min(begun.interval.end, pending.end)))
    if completing is not None and (begun is None or completing is not begun):
        begin = max(completing.interval.begin, exposed[-1][1] if exposed else pending.begin)
        exposed.append((begin, pending.end))
    exposed = [part for part in exposed if part[1] > part[0]]
    details = _details(begun) if begun is not None else {"messages": len(pending.messages)}
    details["exposed ns"] = sum(end - begin for begin, end in exposed)
    name = _name(begun) if begun is not None else "request"
    return Request(pending.row, pending.number, pending.begin, pending.end, name, tuple(exposed), details)


def _remarks(events: Sequence[RankEvents], zero: int) -> Iterator[str]:
    """Say what the timeline lacks."""
    cut = [one for one in events if one.lost_events]
    if cut:
        lost = sum(one.lost_events for one in cut)
        since = max(one.lost_until for one in cut) - zero
        ranks = f"{len(cut)} of {len(events)} ranks"
        yield f"{lost} events of {ranks} are lost; all are there from {time_text(since / 1e9)} on"
    if events and len(events) < events[0].ranks:
        yield f"{events[0].ranks - len(events)} of {events[0].ranks} ranks are missing"
    if unfinished := [one.rank for one in events if not one.is_finished]:
        yield f"{len(unfinished)} ranks did not come to MPI_Finalize"
