# SPDX-License-Identifier: BSD-3-Clause
"""A timeline as it is written: rows, slices that nest, arrows between rows, requests in flight; in nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

COMPUTE, CALL, COLLECTIVE, WAITING, TRANSFER, OWN = ("compute", "call", "collective", "waiting", "transfer", "thalweg")
"""What slices are; Thalweg's libraries make calls of their own."""


class Row(NamedTuple):
    """A thread of a rank. `process` is the number of the node; simulations have one for all."""

    process: int
    rank: int
    thread: int
    name: str


class Communicator(NamedTuple):
    """Ranks that call collectives together; `members` are its ranks' numbers in the world, in its own order."""

    name: str
    members: tuple[int, ...]


class Slice(NamedTuple):
    """Something that a row did; a collective has its communicator's number, and others 0."""

    row: int
    begin: int
    end: int
    name: str
    kind: str
    details: dict[str, Any]
    communicator: int = 0


class Arrow(NamedTuple):
    """A message, from the call that sent it to the one in which it had come."""

    from_row: int
    sent: int
    to_row: int
    received: int
    tag: int
    bytes: int
    communicator: int
    """Its number on all ranks."""


class Request(NamedTuple):
    """Something in flight; `exposed` are the parts of that time in which the row was in calls for it."""

    row: int
    number: int
    begin: int
    end: int
    name: str
    exposed: tuple[tuple[int, int], ...]
    details: dict[str, Any]


@dataclass
class Timeline:
    """All of it; slices of a row are in their order, outer ones before those that they hold."""

    title: str
    ranks: int
    processes: dict[int, str]
    rows: list[Row]
    slices: list[Slice] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    communicators: dict[int, Communicator] = field(default_factory=dict)
    """By their numbers on all ranks: those that calls and messages name."""
    remarks: list[str] = field(default_factory=list)
    """What it lacks."""
