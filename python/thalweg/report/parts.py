# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a run's report that version 2 added, as typed values; nanoseconds and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from thalweg.documents import Document


@dataclass(frozen=True)
class Job:
    """The job of a resource manager; every text is empty where there was none."""

    manager: str = ""
    id: str = ""
    name: str = ""


@dataclass(frozen=True)
class RankGroup:
    """The ranks of one node in a job of more ranks than are listed singly: means of a rank, and the extremes."""

    first: int
    last: int
    node: int
    host: str
    ranks: int
    wall_ns: float
    mpi_ns: float
    mpi_ns_min: float
    mpi_ns_max: float
    waiting_ns: float
    transfer_ns: float
    latest_rank: int
    """The one that others waited for the longest; -1 where nobody waited."""


@dataclass(frozen=True)
class SliceRow:
    """What the ranks from `first` to `last` spent in each slice of the run: means of a rank."""

    first: int
    last: int
    mpi_ns: tuple[float, ...]
    waiting_ns: tuple[float, ...]


@dataclass(frozen=True)
class Slices:
    """The run over time, in slices of one width."""

    begin_ns: float
    width_ns: float
    rows: tuple[SliceRow, ...]


class TrafficEntry(NamedTuple):
    """What one rank, or one node, sent to another."""

    sender: int
    receiver: int
    bytes: int
    messages: int


@dataclass(frozen=True)
class Traffic:
    """Who sent how much to whom: the heaviest entries of a sparse matrix."""

    by: str
    """What rows are: "rank" or "node"."""
    size: int
    entries: tuple[TrafficEntry, ...]
    total_bytes: float
    kept_share: float
    """The share of the bytes that the entries have."""
    groups: tuple[tuple[int, int], ...] = ()
    """First and last rank of each row, where rows are nodes."""


@dataclass(frozen=True)
class Alternative:
    """Another strategy for a pick's calls, and the time of one call by it; None where nobody measured or predicted."""

    strategy: str
    time_ns: float | None
    predicted_ns: float | None = None


@dataclass(frozen=True)
class Pick:
    """What ran the calls of one kind, who chose it, and the times of the others."""

    call: int
    """The call site: an index into RunReport.calls; -1 where several have such calls."""
    operation: str
    bytes: int
    ranks: int
    strategy: str
    source: str
    """Who chose: "tuning file", "learned", "rule" or "use"."""
    time_ns: float | None
    predicted_ns: float | None
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True)
class Durations:
    """How long single calls took; the percentiles are right to a quarter of a power of two."""

    p50_ns: float
    p95_ns: float
    max_ns: float
    histogram: tuple[tuple[float, int], ...]
    """The lower bound of each class, with its calls."""


class SizeClass(NamedTuple):
    """Calls whose payload has at least so many bytes, and less than twice as many; 0 stands apart."""

    lower_bytes: int
    calls: int
    bytes: int


@dataclass(frozen=True)
class Hidden:
    """How much of nonblocking operations' time the program hid behind its own work."""

    in_flight_ns: float
    """From the start of each to the end of its wait."""
    exposed_ns: float
    """The part of that spent inside of MPI: in the start, the tests and the wait."""

    @property
    def share(self) -> float:
        """Give the hidden part, from 0 to 1."""
        return max(0.0, 1 - self.exposed_ns / self.in_flight_ns) if self.in_flight_ns > 0 else 0.0


def number_or_none(part: Document, key: str) -> float | None:
    """Give a number, or None where there is none. Raises ValueError for another value."""
    return None if part.value(key) is None else part.number(key)


def text_or(part: Document, key: str, fallback: str) -> str:
    """Give a text, or another one where there is none. Raises ValueError for another value."""
    return fallback if part.value(key) is None else part.text(key)


def whole_or(part: Document, key: str, fallback: int) -> int:
    """Give a whole number, or another one where there is none. Raises ValueError for another value."""
    return fallback if part.value(key) is None else part.whole_number(key)


def optional_parts(document: Document, key: str) -> list[Document]:
    """Give a list of objects; an empty one where there is none."""
    return [] if document.value(key) is None else document.parts(key)


def job_of(document: Document) -> Job:
    """Read the resource manager's job."""
    if document.value("job") is None:
        return Job()
    part = document.part("job")
    return Job(part.text("manager"), part.text("id"), part.text("name"))


def rank_group_of(part: Document) -> RankGroup:
    """Read the ranks of a node."""
    return RankGroup(
        first=part.whole_number("first"),
        last=part.whole_number("last"),
        node=part.whole_number("node"),
        host=part.text("host"),
        ranks=part.whole_number("ranks"),
        wall_ns=part.number("wall_ns"),
        mpi_ns=part.number("mpi_ns"),
        mpi_ns_min=part.number("mpi_ns_min"),
        mpi_ns_max=part.number("mpi_ns_max"),
        waiting_ns=part.number("waiting_ns"),
        transfer_ns=part.number("transfer_ns"),
        latest_rank=whole_or(part, "latest_rank", -1),
    )


def slices_of(document: Document) -> Slices | None:
    """Read the slices over time."""
    if document.value("slices") is None:
        return None
    part = document.part("slices")
    rows = tuple(
        SliceRow(
            row.whole_number("first"), row.whole_number("last"), _numbers(row, "mpi_ns"), _numbers(row, "waiting_ns")
        )
        for row in part.parts("rows")
    )
    return Slices(part.number("begin_ns"), part.number("width_ns"), rows)


def traffic_of(document: Document) -> Traffic | None:
    """Read the matrix of who sent to whom."""
    if document.value("traffic") is None:
        return None
    part = document.part("traffic")
    return Traffic(
        by=part.text("by"),
        size=part.whole_number("size"),
        entries=tuple(TrafficEntry(*entry) for entry in _rows(part, "entries", 4)),
        total_bytes=part.number("total_bytes"),
        kept_share=part.number("kept_share"),
        groups=tuple((first, last) for first, last in _rows(part, "groups", 2)),
    )


def pick_of(part: Document) -> Pick:
    """Read a pick."""
    return Pick(
        call=whole_or(part, "call", -1),
        operation=part.text("operation"),
        bytes=part.whole_number("bytes"),
        ranks=part.whole_number("ranks"),
        strategy=part.text("strategy"),
        source=part.text("source"),
        time_ns=number_or_none(part, "time_ns"),
        predicted_ns=number_or_none(part, "predicted_ns"),
        alternatives=tuple(
            Alternative(one.text("strategy"), number_or_none(one, "time_ns"), number_or_none(one, "predicted_ns"))
            for one in part.parts("alternatives")
        ),
    )


def durations_of(site: Document) -> Durations | None:
    """Read how long calls took."""
    if site.value("durations") is None:
        return None
    part = site.part("durations")
    histogram = tuple((lower, calls) for lower, calls in _rows(part, "histogram", 2))
    return Durations(part.number("p50_ns"), part.number("p95_ns"), part.number("max_ns"), histogram)


def sizes_of(site: Document) -> tuple[SizeClass, ...]:
    """Read how large payloads were."""
    return tuple(SizeClass(*entry) for entry in _rows(site, "sizes", 3))


def hidden_of(site: Document) -> Hidden | None:
    """Read what was hidden of nonblocking operations."""
    if site.value("hidden") is None:
        return None
    part = site.part("hidden")
    return Hidden(part.number("in_flight_ns"), part.number("exposed_ns"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(part: Document, key: str) -> tuple[float, ...]:
    values = part.value(key)
    if not isinstance(values, list) or not all(_is_number(value) for value in values):
        raise part.without(key, "list of numbers")
    return tuple(values)


def _rows(part: Document, key: str, columns: int) -> list[list[Any]]:
    rows = [] if part.value(key) is None else part.value(key)
    for row in rows if isinstance(rows, list) else [None]:
        if not isinstance(row, list) or len(row) != columns or not all(_is_number(value) for value in row):
            raise part.without(key, f"list of rows of {columns} numbers")
    return list(rows)
