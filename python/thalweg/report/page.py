# SPDX-License-Identifier: BSD-3-Clause
"""A report as one page of HTML that opens without a network."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg.pages.charts import Bar
from thalweg.pages.render import bytes_text, counted, ns_text, percent, render
from thalweg.report.compare import compare
from thalweg.report.comparison_rows import Change, change_of, comparison_rows, site_changes
from thalweg.report.lenient import item, number, objects, text
from thalweg.report.over_time import over_time
from thalweg.report.picks import choices_of, gained_ns
from thalweg.report.placed import placing_of
from thalweg.report.rank_times import rank_columns
from thalweg.report.site_rows import SITES_MAX, own_time_ns, site_rows
from thalweg.report.stream_rows import streams_of
from thalweg.report.traffic import between_nodes, traffic_of
from thalweg.report.verdict import verdict

if TYPE_CHECKING:
    from thalweg.report.run_report import RunReport

LATE_MAX = 12
WAITING_HELP = (
    "In collectives, until the last rank came. No algorithm can shorten it; only the balance of the work can."
)
TRANSFER_HELP = "The time in MPI that is not known to be waiting for late ranks."


class Tile(NamedTuple):
    """A figure of the first screen; `help` explains it, and `change` says how it was before."""

    value: str
    label: str
    help: str = ""
    change: Change | None = None


class Missing(NamedTuple):
    """A section that has no data, and what would bring it."""

    section: str
    remedy: str


def page(report: RunReport, path: str, before: RunReport | None = None) -> str:
    """Write the page; `path` is the report's, which commands of the verdict name. `before` is compared with it."""
    columns, columns_are, knows_waiting = rank_columns(report)
    sections: dict[str, Any] = {
        "columns": columns,
        "columns_are": columns_are,
        "knows_waiting": knows_waiting,
        "late": late_bars(report),
        "traffic": traffic_of(report),
        "traffic_before": traffic_of(before) if before else None,
        "time": over_time(report),
        "choices": choices_of(report),
        "placing": placing_of(report),
        "streams": streams_of(report),
    }
    comparison = compare(before, report) if before else None
    return render(
        "report.html.j2",
        title=shlex.join(report.command),
        report=report,
        origin=origin(report),
        tiles=tiles(report, before),
        findings=verdict(report, path),
        comparison=comparison,
        comparison_rows=comparison_rows(comparison) if comparison else [],
        site_changes=site_changes(comparison) if comparison else [],
        site_rows=site_rows(report),
        sites_max=SITES_MAX,
        own_ns=own_time_ns(report),
        facts=facts(report),
        missing=missing(report, sections),
        **sections,
    )


def origin(report: RunReport) -> list[tuple[str, str]]:
    """Give when, where and by whom the program was run, as far as the report says."""
    document = report.document
    started = text(document, "start_time").replace("T", " ").replace("Z", " UTC")
    manager = text(document, "job", "manager")
    job = " ".join(word for word in (text(document, "job", "id"), text(document, "job", "name")) if word)
    hosts = {text(one, "host") for key in ("ranks", "rank_groups") for one in objects(document, key)} - {""}
    found = [
        ("started", started),
        ("by", text(document, "user")),
        (f"{manager} job" if manager else "job", job),
        ("", report.library),
        ("on", f"{counted(report.rank_count, 'rank')}, {counted(report.nodes, 'node')}"),
        ("host" if len(hosts) == 1 else "hosts", ", ".join(sorted(hosts)[:4]) + (" …" if len(hosts) > 4 else "")),
    ]
    return [(name, said) for name, said in found if said]


def tiles(report: RunReport, before: RunReport | None) -> list[Tile]:
    """Give the figures of the first screen."""
    mpi, waiting = report.share(report.mpi_ns), report.share(report.waiting_ns)
    found = [
        Tile(ns_text(report.wall_ns), "wall time", "From MPI_Init to MPI_Finalize, of the slowest rank.",
             change_of(before.wall_ns, report.wall_ns) if before else None),
        Tile(percent(mpi), "of it in MPI", "Mean of all ranks.",
             change_of(before.share(before.mpi_ns), mpi, is_share=True) if before else None),
    ]  # fmt: skip
    if report.samples_waiting:
        was = change_of(before.share(before.waiting_ns), waiting, is_share=True) if before else None
        found += [
            Tile(percent(waiting), "waiting for late ranks", WAITING_HELP, was),
            Tile(percent(max(0.0, mpi - waiting)), "transfer and other calls", TRANSFER_HELP),
        ]
    total = number(report.document, "traffic", "total_bytes")
    if total > 0:
        far = between_nodes(report)
        leaves = f", {percent(far)} between nodes" if far is not None else ""
        found.append(Tile(bytes_text(total), f"sent{leaves}", "By all ranks, in messages of all kinds."))
    else:
        moved = sum(site.bytes for site in report.calls if site.is_collective)
        found.append(Tile(bytes_text(moved), "in collectives", "Sum over ranks of the buffers of their calls."))
    yields = item(report.document, "wait", "yields") is True
    found.append(Tile("yielding" if yields else "as in MPI", "how ranks wait", report.waits))
    if (gained := gained_ns(report) / max(report.total_ns, 1e-9)) >= 0.005:
        found.append(Tile(percent(gained), "saved by learning", "Of all ranks' time, by the times that were measured."))
    return found


def late_bars(report: RunReport) -> list[Bar]:
    """Give the ranks that others waited for, the worst first."""
    blamed = [(rank, waited) for rank, waited in report.blamed() if waited > 0]
    whole = sum(waited for _, waited in blamed)
    return [
        Bar(
            f"rank {rank}",
            (("waiting", round(100 * waited / blamed[0][1], 2)),),
            f"{ns_text(waited)}, {percent(waited / whole)}",
            rank=rank,
        )
        for rank, waited in blamed[:LATE_MAX]
    ]


def missing(report: RunReport, sections: dict[str, Any]) -> list[Missing]:
    """Say which sections have no data, and how to get it."""
    found = []
    if sections["traffic"] is None:
        found.append(Missing("Who talks to whom", "the report has no traffic: write it again with this version"))
    if sections["time"] is None:
        found.append(Missing("Over time", "the report has no slices of time: write it again with this version"))
    if not sections["choices"]:
        found.append(Missing("Learned and tuned", "thalweg run --learn full, or thalweg tune before the run"))
    if sections["placing"] is None:
        found.append(Missing("Placing", "thalweg run --place auto"))
    if not any(item(one, "hidden") for one in objects(report.document, "calls")):
        found.append(Missing("Hidden time", "only nonblocking collectives have it, and this run has none"))
    if not sections["streams"]:
        found.append(Missing("Streams and objects", "only programs that use them have it"))
    return found


def facts(report: RunReport) -> list[tuple[str, str]]:
    """Give what the page folds away."""
    document = report.document
    version = text(document, "thalweg", "version")
    found = [
        ("command", shlex.join(report.command)),
        ("folder", text(document, "folder")),
        ("Thalweg", version),
        ("ended by", report.ended_by),
        ("MPI library", report.library_path),
        ("thread level", text(document, "thread_level")),
        ("waiting", report.waits),
        ("tuning", report.tuning),
        ("shared memory", text(document, "shared_memory")),
        ("network", text(document, "network")),
        ("network card", text(document, "nic")),
        ("memory of GPUs", text(document, "gpu_memory")),
        *_fingerprint(report),
        ("settings", "; ".join(report.settings)),
        ("settings of the MPI library", "; ".join(report.user_settings)),
        *((f"how measured: {name}", said) for name, said in report.method),
    ]
    return [(name, said) for name, said in found if said]


def _fingerprint(report: RunReport) -> list[tuple[str, str]]:
    values = item(report.document, "fingerprint")
    if isinstance(values, list) and all(isinstance(one, dict) for one in values):
        return [(f"machine: {text(one, 'name')}", text(one, "value")) for one in values]
    return [("machine", ", ".join(str(one) for one in values))] if isinstance(values, list) else []
