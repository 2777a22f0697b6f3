# SPDX-License-Identifier: BSD-3-Clause
"""The typed form of a run's report, format "thalweg-report" version 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thalweg.documents import REPORT, Document, parse_json
from thalweg.errors import USAGE, ThalwegError
from thalweg.text_files import read_text

REMEDY = "thalweg run --report FILE writes one"
VERSION = 1


@dataclass(frozen=True)
class RankTime:
    """A rank's time from MPI_Init to MPI_Finalize, and the part of it in MPI; nanoseconds."""

    rank: int
    node: int
    host: str
    wall_ns: float
    mpi_ns: float


@dataclass(frozen=True)
class Ending:
    """How many calls of a site ran by a strategy, and why not by another."""

    strategy: str
    calls: int
    passed_on_because: str


@dataclass(frozen=True)
class CallSite:
    """The calls of one function from one place in the program, of all ranks.

    Times are sums over ranks; the min and max are single ranks'. Waiting is what calls waited for ranks that came late;
    None where the function has no such measure.
    """

    function: str
    source: str
    ranks: int
    calls: int
    bytes: float
    time_ns: float
    time_ns_min: float
    time_ns_max: float
    longest_call_ns: float
    cpu_ns: float
    waiting_share: float | None
    last_ranks: tuple[tuple[int, float], ...]
    ran_on: tuple[Ending, ...]

    @property
    def waiting_ns(self) -> float:
        """Give the part that is waiting for late ranks."""
        return self.time_ns * (self.waiting_share or 0.0)

    @property
    def place(self) -> str:
        """Give file and line."""
        return self.source.partition(" (")[0]

    @property
    def within(self) -> str:
        """Give the function of the program that calls."""
        return self.source.partition(" (")[2].removesuffix(")")

    @property
    def is_collective(self) -> bool:
        """Say whether its calls could run by a strategy."""
        return bool(self.ran_on)


@dataclass(frozen=True)
class RunReport:
    """A run: who ran what, how it ended, its ranks' times and its call sites."""

    command: tuple[str, ...]
    library: str
    library_path: str
    waits: str
    tuning: str
    ended_by: str
    ranks_without_report: int
    nodes: int
    wall_ns: float
    ranks: tuple[RankTime, ...]
    calls: tuple[CallSite, ...]
    settings: tuple[str, ...]
    user_settings: tuple[str, ...]
    fingerprint: tuple[str, ...]
    method: tuple[tuple[str, str], ...]
    document: dict[str, Any]

    @property
    def total_ns(self) -> float:
        """Give the time of all ranks together: what shares are parts of."""
        return sum(rank.wall_ns for rank in self.ranks)

    @property
    def mpi_ns(self) -> float:
        """Give the time of all ranks in MPI."""
        return sum(rank.mpi_ns for rank in self.ranks)

    @property
    def waiting_ns(self) -> float:
        """Give the time that collectives of all ranks waited for late ranks."""
        return sum(site.waiting_ns for site in self.calls)

    def share(self, time_ns: float) -> float:
        """Give a time as a part of all ranks' time."""
        return time_ns / self.total_ns if self.total_ns > 0 else 0.0

    def blamed(self) -> list[tuple[int, float]]:
        """Give ranks with the time that others waited for them, the largest first."""
        blamed: dict[int, float] = {}
        for site in self.calls:
            for rank, waited_ns in site.last_ranks:
                blamed[rank] = blamed.get(rank, 0.0) + waited_ns
        return sorted(blamed.items(), key=lambda entry: (-entry[1], entry[0]))


def read_report(path: str) -> RunReport:
    """Read a report from a file. Raises ThalwegError with the file, and what is wrong with it."""
    value = parse_json(read_text(path, REMEDY), path, REMEDY)
    if not isinstance(value, dict) or value.get("format") != REPORT:
        raise ThalwegError(USAGE, f"{path} is no report of a run", REMEDY)
    if value.get("version") != VERSION:
        known = f"{path} has version {value.get('version')!r}, and version {VERSION} is known here"
        raise ThalwegError(USAGE, known, "read it with the Thalweg that wrote it")
    try:
        return _report_of(Document(value, "the report"), value)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ThalwegError(USAGE, f"{path} is no whole report of a run: {error}", REMEDY) from error


def _report_of(document: Document, value: dict[str, Any]) -> RunReport:
    return RunReport(
        command=_texts(document, "command"),
        library=document.part("mpi").text("library"),
        library_path=document.part("mpi").text("path"),
        waits=document.part("wait").text("reason"),
        tuning=document.text("tuning"),
        ended_by=document.text("ended_by"),
        ranks_without_report=document.whole_number("ranks_without_report"),
        nodes=document.whole_number("nodes"),
        wall_ns=document.number("wall_ns"),
        ranks=tuple(_rank_of(part) for part in document.parts("ranks")),
        calls=tuple(_site_of(part) for part in document.parts("calls")),
        settings=_texts(document, "settings"),
        user_settings=_texts(document.part("precedence"), "user_settings"),
        fingerprint=_texts(document, "fingerprint"),
        method=tuple((key, str(text)) for key, text in value["method"].items()),
        document=value,
    )


def _texts(document: Document, key: str) -> tuple[str, ...]:
    values = document.value(key)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise document.without(key, "list of texts")
    return tuple(values)


def _rank_of(part: Document) -> RankTime:
    return RankTime(
        part.whole_number("rank"),
        part.whole_number("node"),
        part.text("host"),
        part.number("wall_ns"),
        part.number("mpi_ns"),
    )


def _site_of(part: Document) -> CallSite:
    is_sampled = part.value("waiting_share") is not None
    return CallSite(
        function=part.text("function"),
        source=part.text("source"),
        ranks=part.whole_number("communicator_ranks"),
        calls=part.whole_number("calls"),
        bytes=part.number("bytes"),
        time_ns=part.number("time_ns"),
        time_ns_min=part.number("time_ns_least_rank"),
        time_ns_max=part.number("time_ns_most_rank"),
        longest_call_ns=part.number("longest_call_ns"),
        cpu_ns=part.number("cpu_ns"),
        waiting_share=part.number("waiting_share") if is_sampled else None,
        last_ranks=tuple(
            (last.whole_number("rank"), last.number("others_waited_ns"))
            for last in (part.parts("last_ranks") if is_sampled else [])
        ),
        ran_on=tuple(
            Ending(end.text("strategy"), end.whole_number("calls"), str(end.value("passed_on_because") or ""))
            for end in part.parts("ran_on")
        ),
    )
