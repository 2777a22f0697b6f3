# SPDX-License-Identifier: BSD-3-Clause
"""Which send belongs to which receive, and who came last to a collective."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

TOLERANCE_NS = 20_000
"""Clocks of different hosts are held against each other about so well."""


@dataclass(eq=False)
class Message:
    """One side of a message. `end` is -1 where it was not over; `peer` and `tag` are -1 where nobody knows them."""

    row: int
    rank: int
    peer: int
    tag: int
    communicator: int
    bytes: int
    begin: int
    end: int
    is_send: bool
    call: Interval
    """The call that began it."""
    completing: Interval | None = None
    """The call in which it was over."""
    partner: Message | None = None


@dataclass(eq=False)
class Interval:
    """A call's time; `late` is until when it waited for others, and `late_rank` the last of them."""

    row: int
    begin: int
    end: int
    late: int = 0
    late_rank: int = -1

    def waits(self, until: int, rank: int) -> None:
        """It could not end before others came."""
        until = min(until, self.end)
        if until > max(self.begin, self.late):
            self.late, self.late_rank = until, rank


def match_messages(messages: Iterable[Message], cut_ranks: set[int]) -> None:
    """Make partners of sends and receives: by their order of the same ranks, tag and communicator.

    Where events of a rank in `cut_ranks` are lost, the last ones belong together.
    """
    channels: dict[tuple[int, int, int, int], tuple[list[Message], list[Message]]] = defaultdict(lambda: ([], []))
    for one in messages:
        source, target = (one.rank, one.peer) if one.is_send else (one.peer, one.rank)
        if min(source, target) >= 0 and one.tag >= 0:
            channels[source, target, one.tag, one.communicator][0 if one.is_send else 1].append(one)
    for (source, target, _, _), (sends, receives) in channels.items():
        sends.sort(key=lambda one: one.begin)
        receives.sort(key=lambda one: one.begin)
        is_cut = not cut_ranks.isdisjoint((source, target))
        for send, receive in _paired(sends, receives, is_cut=is_cut):
            send.partner, receive.partner = receive, send


def _paired(sends: list[Message], receives: list[Message], *, is_cut: bool) -> Iterator[tuple[Message, Message]]:
    if not is_cut:
        pairs = list(zip(sends, receives, strict=False))
    else:
        over = [one for one in receives if one.end >= 0]
        pairs = []
        for skipped in range(len(sends)):
            kept = sends[: len(sends) - skipped]
            count = min(len(kept), len(over))
            pairs = list(zip(kept[-count:], over[-count:], strict=True)) if count else []
            if all(map(_is_possible, *zip(*pairs, strict=True))) if pairs else True:
                break
    return (pair for pair in pairs if _is_possible(*pair))


def _is_possible(send: Message, receive: Message) -> bool:
    return receive.end < 0 or receive.end + TOLERANCE_NS >= send.begin


def find_late_partners(messages: Iterable[Message]) -> None:
    """Find calls that waited for a send that began late, or for a receive."""
    for one in messages:
        if one.partner is None or one.completing is None:
            continue
        call, partner = one.completing, one.partner
        is_late = call.begin < partner.begin
        if is_late and (not one.is_send or partner.begin <= one.end):
            call.waits(partner.begin, partner.rank)


class Arrival(NamedTuple):
    """A rank came to a collective; `waiting` is the call in which it waited: the same, or that of its request."""

    rank: int
    begin: int
    waiting: Interval | None


def find_late_ranks(collectives: Iterable[tuple[int, Sequence[Arrival]]]) -> None:
    """Find who came last to each, given how many ranks take part and those that are known to have come."""
    for ranks, arrivals in collectives:
        if len(arrivals) != ranks or ranks < 2:
            continue
        last = max(arrivals, key=lambda one: one.begin)
        for one in arrivals:
            if one.waiting is not None and one.rank != last.rank:
                one.waiting.waits(last.begin, last.rank)
