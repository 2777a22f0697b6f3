# SPDX-License-Identifier: BSD-3-Clause
"""The typed form of a run's report, format "thalweg-report" versions 1 and 2.

What version 2 added is None or empty in reports of version 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from thalweg.documents import REPORT, Document, parse_json
from thalweg.errors import USAGE, ThalwegError
from thalweg.launch.missing import Missing, missing_of
from thalweg.report import parts
from thalweg.report.accounts import user_name
from thalweg.text_files import read_text

REMEDY = "thalweg run --report FILE writes one"
VERSIONS = (1, 2)


def schema_text() -> str:
    """Give the JSON Schema of reports."""
    return (files(__package__) / "report.schema.json").read_text()


@dataclass(frozen=True)
class RankTime:
    """A rank's time from MPI_Init to MPI_Finalize, and the part of it in MPI; nanoseconds.

    Waiting and transfer are what the calls that were sampled say of the whole time in collectives.
    """

    rank: int
    node: int
    host: str
    wall_ns: float
    mpi_ns: float
    pid: int = 0
    waiting_ns: float | None = None
    transfer_ns: float | None = None
    sent_bytes: float | None = None
    own_ns: float = 0.0
    """In calls that Thalweg made for itself."""


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
    id: int
    file: str
    """Its whole path; empty where no line is known."""
    line: int
    within: str
    """The function of the program that calls."""
    is_own: bool
    """Thalweg made the calls, not the program."""
    module: str
    address: str
    phase: int
    callers: int
    """Ranks that made such calls."""
    sampled_ns: float
    transfer_share: float | None
    in_progress: tuple[tuple[int, float], ...]
    """Ranks whose call had not ended with the job, and since when."""
    durations: parts.Durations | None
    sizes: tuple[parts.SizeClass, ...]
    hidden: parts.Hidden | None
    stream: dict[str, Any] | None
    """What a stream would save, as the report has it."""
    exchange: dict[str, Any] | None
    """What another exchange would save, as the report has it."""

    @property
    def waiting_ns(self) -> float:
        """Give the part that is waiting for late ranks."""
        return self.time_ns * (self.waiting_share or 0.0)

    @property
    def place(self) -> str:
        """Give file and line."""
        return self.source.partition(" (")[0]

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
    missing: tuple[Missing, ...]
    """Who these are, where that is known."""
    nodes: int
    wall_ns: float
    ranks: tuple[RankTime, ...]
    calls: tuple[CallSite, ...]
    """The program's; a pick's `call` is an index into them."""
    settings: tuple[str, ...]
    user_settings: tuple[str, ...]
    fingerprint: tuple[str, ...]
    method: tuple[tuple[str, str], ...]
    document: dict[str, Any]
    version: int
    thalweg: str
    """The version of Thalweg that wrote it."""
    start_time: str
    """When MPI began, in UTC as ISO 8601 writes it."""
    user: str
    folder: str
    job: parts.Job
    thread_level: str
    family: str
    yields: bool
    precedence: str
    shared_memory: str
    network: str
    nic: str
    gpu_memory: str
    named_fingerprint: tuple[tuple[str, str], ...]
    """Names and values; the names are empty in version 1."""
    rank_groups: tuple[parts.RankGroup, ...]
    slices: parts.Slices | None
    traffic: parts.Traffic | None
    picks: tuple[parts.Pick, ...]
    learned: tuple[dict[str, Any], ...]
    streams: tuple[dict[str, Any], ...]
    last_on_nics: tuple[dict[str, Any], ...]
    pattern: dict[str, Any] | None
    placing: dict[str, Any] | None
    own_calls: tuple[CallSite, ...]
    """Where libraries of Thalweg's call MPI: part of what the program called them for."""

    @property
    def total_ns(self) -> float:
        """Give the time of all ranks together: what shares are parts of."""
        if self.rank_groups:
            return sum(group.wall_ns * group.ranks for group in self.rank_groups)
        return sum(rank.wall_ns for rank in self.ranks)

    @property
    def mpi_ns(self) -> float:
        """Give the time of all ranks in MPI."""
        if self.rank_groups:
            return sum(group.mpi_ns * group.ranks for group in self.rank_groups)
        return sum(rank.mpi_ns for rank in self.ranks)

    @property
    def rank_count(self) -> int:
        """Give the number of ranks that left a report."""
        return sum(group.ranks for group in self.rank_groups) or len(self.ranks)

    @property
    def waiting_ns(self) -> float:
        """Give the time that collectives of all ranks waited for late ranks."""
        return sum(site.waiting_ns for site in self.calls)

    @property
    def samples_waiting(self) -> bool:
        """Say whether it is known of any collective how long it waited."""
        return any(site.waiting_share is not None for site in self.calls)

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
    if value.get("version") not in VERSIONS:
        known = (
            f"{path} has version {value.get('version')!r}, and versions {VERSIONS[0]} to {VERSIONS[-1]} are known here"
        )
        raise ThalwegError(USAGE, known, "read it with the Thalweg that wrote it")
    try:
        return report_of(value)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ThalwegError(USAGE, f"{path} is no whole report of a run: {error}", REMEDY) from error


def report_of(value: dict[str, Any]) -> RunReport:
    """Read a report from what JSON gave. Raises ValueError and the like for what is no whole report."""
    document = Document(value, "the report")
    sites = [_site_of(number, part) for number, part in enumerate(document.parts("calls"))]
    fingerprint = _fingerprint(document)
    return RunReport(
        command=_texts(document, "command"),
        library=document.part("mpi").text("library"),
        library_path=document.part("mpi").text("path"),
        waits=document.part("wait").text("reason"),
        tuning=document.text("tuning"),
        ended_by=document.text("ended_by"),
        ranks_without_report=document.whole_number("ranks_without_report"),
        missing=missing_of(document),
        nodes=document.whole_number("nodes"),
        wall_ns=document.number("wall_ns"),
        ranks=tuple(_rank_of(part) for part in document.parts("ranks")),
        calls=tuple(site for site in sites if not site.is_own),
        settings=_texts(document, "settings"),
        user_settings=_texts(document.part("precedence"), "user_settings"),
        fingerprint=tuple(text for _, text in fingerprint),
        method=tuple((key, str(text)) for key, text in document.part("method").items()),
        document=value,
        version=document.whole_number("version"),
        thalweg="" if document.value("thalweg") is None else document.part("thalweg").text("version"),
        start_time=parts.text_or(document, "start_time", ""),
        user=user_name(parts.text_or(document, "user", "")),
        folder=parts.text_or(document, "folder", ""),
        job=parts.job_of(document),
        thread_level=parts.text_or(document, "thread_level", ""),
        family=parts.text_or(document.part("mpi"), "family", ""),
        yields=document.part("wait").value("yields") is True,
        precedence=parts.text_or(document.part("precedence"), "rule", ""),
        shared_memory=parts.text_or(document, "shared_memory", ""),
        network=parts.text_or(document, "network", ""),
        nic=parts.text_or(document, "nic", ""),
        gpu_memory=parts.text_or(document, "gpu_memory", ""),
        named_fingerprint=fingerprint,
        rank_groups=tuple(parts.rank_group_of(part) for part in parts.optional_parts(document, "rank_groups")),
        slices=parts.slices_of(document),
        traffic=parts.traffic_of(document),
        picks=tuple(parts.pick_of(part) for part in parts.optional_parts(document, "picks")),
        learned=_objects(document, "learned"),
        streams=_objects(document, "streams"),
        last_on_nics=_objects(document, "last_on_nics"),
        pattern=_object(document, "pattern"),
        placing=_object(document, "placing"),
        own_calls=tuple(site for site in sites if site.is_own),
    )


def _texts(document: Document, key: str) -> tuple[str, ...]:
    values = document.value(key)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise document.without(key, "list of texts")
    return tuple(values)


def _objects(document: Document, key: str) -> tuple[dict[str, Any], ...]:
    return tuple(part.as_dict() for part in parts.optional_parts(document, key))


def _object(document: Document, key: str) -> dict[str, Any] | None:
    return None if document.value(key) is None else document.part(key).as_dict()


def _fingerprint(document: Document) -> tuple[tuple[str, str], ...]:
    values = document.value("fingerprint")
    if isinstance(values, list) and any(isinstance(value, dict) for value in values):
        return tuple((part.text("name"), part.text("value")) for part in document.parts("fingerprint"))
    return tuple(("", text) for text in _texts(document, "fingerprint"))


def _rank_of(part: Document) -> RankTime:
    return RankTime(
        part.whole_number("rank"),
        part.whole_number("node"),
        part.text("host"),
        part.number("wall_ns"),
        part.number("mpi_ns"),
        pid=parts.whole_or(part, "pid", 0),
        waiting_ns=parts.number_or_none(part, "waiting_ns"),
        transfer_ns=parts.number_or_none(part, "transfer_ns"),
        sent_bytes=parts.number_or_none(part, "sent_bytes"),
        own_ns=parts.number_or_none(part, "own_ns") or 0.0,
    )


def _site_of(number: int, part: Document) -> CallSite:
    is_sampled = part.value("waiting_share") is not None
    source = part.text("source")
    return CallSite(
        function=part.text("function"),
        source=source,
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
        id=parts.whole_or(part, "id", number),
        file=parts.text_or(part, "file", ""),
        line=parts.whole_or(part, "line", 0),
        within=parts.text_or(part, "within", source.partition(" (")[2].removesuffix(")")),
        is_own=part.value("own") is True,
        module=parts.text_or(part, "module", ""),
        address=parts.text_or(part, "address", ""),
        phase=parts.whole_or(part, "phase", 0),
        callers=parts.whole_or(part, "callers", 0),
        sampled_ns=parts.number_or_none(part, "sampled_ns") or 0.0,
        transfer_share=parts.number_or_none(part, "transfer_share"),
        in_progress=tuple(
            (one.whole_number("rank"), one.number("since_ns")) for one in parts.optional_parts(part, "in_progress")
        ),
        durations=parts.durations_of(part),
        sizes=parts.sizes_of(part),
        hidden=parts.hidden_of(part),
        stream=_object(part, "stream"),
        exchange=_object(part, "exchange"),
    )
