# SPDX-License-Identifier: BSD-3-Clause
"""Timelines as archives of OTF2, for Vampir, Scalasca and their like."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg.errors import INSTALLATION, SETTINGS, ThalwegError
from thalweg.timeline.files import OTF2
from thalweg.timeline.model import COLLECTIVE, COMPUTE, Communicator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from thalweg.timeline.model import Arrow, Slice, Timeline

_NS = 1_000_000_000
_WORLD = "MPI_COMM_WORLD"


class _Step(NamedTuple):
    """A moment of a row: it enters or leaves a slice."""

    time: int
    enters: bool
    slice: Slice


class _Message(NamedTuple):
    time: int
    is_send: bool
    arrow: Arrow


def write_otf2(timeline: Timeline, path: str) -> None:
    """Write an archive whose anchor file is `path`; raises ThalwegError where it cannot.

    Messages and collectives name their communicators, and ranks in these.
    """
    try:
        import otf2  # noqa: PLC0415 - an optional package
    except ImportError as error:
        remedy = "pip install 'thalweg[otf2]', or write .json"
        raise ThalwegError(INSTALLATION, f"{path} needs the Python package otf2", remedy) from error
    folder, name = os.path.split(path)
    archive = name.removesuffix(OTF2)
    if os.path.exists(path) or os.path.exists(path.removesuffix(OTF2)):
        raise ThalwegError(SETTINGS, f"{path}: there is an archive already", "take it away, or name another")
    try:
        with otf2.writer.open(folder or ".", archive, timer_resolution=_NS) as writer:
            _Archive(otf2, writer, timeline).write()
    except (OSError, RuntimeError) as error:
        raise ThalwegError(SETTINGS, f"{path} cannot be written: {error}", "name another file") from error


class _Archive:
    def __init__(self, otf2: Any, writer: Any, timeline: Timeline) -> None:
        self._otf2 = otf2
        self._writer = writer
        self._timeline = timeline
        self._definitions = writer.definitions
        self._regions: dict[str, Any] = {}
        self._locations = self._make_locations()
        self._communicators = _Communicators(otf2, writer.definitions, timeline, self._locations)

    def write(self) -> None:
        """Write the events of each row in their order."""
        slices: dict[int, list[Slice]] = defaultdict(list)
        for one in self._timeline.slices:
            if one.kind != COMPUTE:
                slices[one.row].append(one)
        messages: dict[int, list[_Message]] = defaultdict(list)
        for arrow in self._timeline.arrows:
            messages[arrow.from_row].append(_Message(arrow.sent, is_send=True, arrow=arrow))
            messages[arrow.to_row].append(_Message(arrow.received, is_send=False, arrow=arrow))
        for row, location in enumerate(self._locations):
            events = self._writer.event_writer_from_location(location)
            waiting = sorted(messages[row], key=lambda one: one.time)
            for step in _steps(slices[row]):
                while waiting and _is_before(waiting[0], step):
                    self._write_message(events, waiting.pop(0))
                self._write_step(events, step)

    def _make_locations(self) -> list[Any]:
        otf2, definitions = self._otf2, self._definitions
        root = definitions.system_tree_node("job", class_name="machine")
        nodes = {
            number: definitions.system_tree_node(name, class_name="node", parent=root)
            for number, name in self._timeline.processes.items()
        }
        groups = {
            row.rank: definitions.location_group(
                f"rank {row.rank}", location_group_type=otf2.LocationGroupType.PROCESS,
                system_tree_parent=nodes[row.process],
            )
            for row in self._timeline.rows
        }  # fmt: skip
        return [
            definitions.location(row.name, type=otf2.LocationType.CPU_THREAD, group=groups[row.rank])
            for row in self._timeline.rows
        ]

    def _region(self, name: str) -> Any:
        if name not in self._regions:
            paradigm = self._otf2.Paradigm.MPI if name.startswith("MPI_") else self._otf2.Paradigm.UNKNOWN
            self._regions[name] = self._definitions.region(name, paradigm=paradigm)
        return self._regions[name]

    def _write_message(self, events: Any, one: _Message) -> None:
        arrow, rows = one.arrow, self._timeline.rows
        peer = rows[arrow.to_row if one.is_send else arrow.from_row].rank
        communicator, place = self._communicators.place_of(arrow.communicator, peer)
        write = events.mpi_send if one.is_send else events.mpi_recv
        write(one.time, place, communicator, arrow.tag, arrow.bytes)

    def _write_step(self, events: Any, step: _Step) -> None:
        region = self._region(step.slice.name)
        operation = self._operation(step.slice)
        if step.enters:
            events.enter(step.time, region)
            if operation is not None:
                events.mpi_collective_begin(step.time)
            return
        if operation is not None:
            root = step.slice.details.get("root", self._otf2.Undefined.UINT32.value)
            size = step.slice.details.get("bytes", 0)
            communicator = self._communicators.of(step.slice.communicator)
            events.mpi_collective_end(step.time, operation, communicator, root, size, size)
        events.leave(step.time, region)

    def _operation(self, one: Slice) -> Any:
        """Give OTF2's name of a collective that blocks; None for other slices."""
        if one.kind != COLLECTIVE or not one.communicator or "request" in one.details:
            return None
        function = one.name.partition(" ")[0].removeprefix("MPI_").removesuffix("_c").upper()
        return getattr(self._otf2.CollectiveOp, function, None)


class _Communicators:
    """Communicators as OTF2 defines them: groups of locations, each with a rank in it."""

    def __init__(self, otf2: Any, definitions: Any, timeline: Timeline, locations: list[Any]) -> None:
        self._otf2 = otf2
        self._definitions = definitions
        self._known = timeline.communicators
        self._locations = {
            row.rank: location
            for row, location in zip(timeline.rows, locations, strict=True)
            if row.thread == 0 and row.rank < timeline.ranks
        }
        definitions.group(
            "MPI ranks", group_type=otf2.GroupType.COMM_LOCATIONS, paradigm=otf2.Paradigm.MPI,
            members=list(self._locations.values()),
        )  # fmt: skip
        self._world = Communicator(_WORLD, tuple(self._locations))
        self._made: dict[Communicator, Any] = {}
        self._define(self._world)

    def of(self, number: int) -> Any:
        """Give the communicator of that number; the world where nobody knows it."""
        return self._define(self._known.get(number, self._world))

    def place_of(self, number: int, rank: int) -> tuple[Any, int]:
        """Give the communicator, and the place in it of a rank of the world."""
        known = self._known.get(number, self._world)
        members = self._here(known)
        if rank not in members:  # both ends of a message between two groups
            known, members = self._world, self._here(self._world)
        return self._define(known), members.index(rank)

    def _here(self, known: Communicator) -> list[int]:
        """Name the members that the timeline has."""
        return [rank for rank in known.members if rank in self._locations]

    def _define(self, known: Communicator) -> Any:
        if known.name == _WORLD:
            known = self._world
        if known not in self._made:
            group = self._definitions.group(
                known.name, group_type=self._otf2.GroupType.COMM_GROUP, paradigm=self._otf2.Paradigm.MPI,
                members=[self._locations[rank] for rank in self._here(known)],
            )  # fmt: skip
            self._made[known] = self._definitions.comm(known.name, group=group)
        return self._made[known]


def _steps(slices: list[Slice]) -> Iterator[_Step]:
    """Turn slices that nest into steps; outer ones are entered first."""
    inside: list[Slice] = []
    for one in sorted(slices, key=lambda one: (one.begin, -one.end)):
        while inside and inside[-1].end <= one.begin:
            yield _Step(inside[-1].end, enters=False, slice=inside.pop())
        inside.append(one)
        yield _Step(one.begin, enters=True, slice=one)
    while inside:
        yield _Step(inside[-1].end, enters=False, slice=inside.pop())


def _is_before(message: _Message, step: _Step) -> bool:
    """A message lies in the slice of its call: behind its begin, and before its end."""
    if message.time != step.time:
        return message.time < step.time
    return not step.enters or not message.is_send
