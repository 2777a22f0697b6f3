# SPDX-License-Identifier: BSD-3-Clause
"""What is worth tuning for a program, from a report of one of its runs: the calls that cost the most time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from thalweg.errors import USAGE, ThalwegError
from thalweg.lab.hosts import saved
from thalweg.pages.render import percent
from thalweg.report.run_report import CallSite, RunReport, read_report
from thalweg.trials.cases import MODES, NONBLOCKING, OPERATIONS, OWN_SIZES, TEAM, WITHOUT_SIZE, Case
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Mapping

# Calls that take less than this part of the run are not worth a search.
SHARE_MIN = 0.001
# What is called a gain of a run's time.
SAVING_MIN = 0.01
SEVERAL = 2
_UNIT = 8
"""Sizes that are tried are multiples of it."""
_PLACES_MAX = 3
_CALLS_WITH_WHOLE_VECTOR = ("broadcast", "reduce", "allreduce", "scan", "exscan")
_NEIGHBORS = 2
"""Of a rank where neighborhoods are tuned, which is on a ring; reports do not count them."""


class Wanted(NamedTuple):
    """A case, the places that it was called from, and the part of the run that its transfer took."""

    case: Case
    places: tuple[str, ...]
    share: float


def call_of(function: str) -> tuple[str, bool]:
    """Name the call of an MPI function as selections do, and tell whether its program goes on between begin and end.

    Of persistent ones it does, as of nonblocking ones.
    """
    if function in TEAM:
        return TEAM[function], False
    name = function.removeprefix("MPI_").removesuffix("_c")
    call = name.removeprefix("I").lower().removesuffix("_init")
    return {"bcast": "broadcast"}.get(call, call), name.startswith("I") or name.endswith("_init")


def mode_of(function: str) -> str:
    """Name how far a team's call synchronizes its ranks; empty for functions of MPI."""
    return MODES["".join(function.partition("@")[1:])] if function in TEAM else ""


def unit_size(call: str, total: float, ranks: int) -> int:
    """Give the bytes of a unit from the payload of one rank's call, as reports count it."""
    if call in _CALLS_WITH_WHOLE_VECTOR or call in ("gather", "scatter", "allgather", "allgatherv", "barrier"):
        return round(total)
    if call.startswith("neighbor_"):
        return round(total / _NEIGHBORS)
    return round(total / max(ranks, 1))


def operation_of(function: str) -> str:
    """Name the operation that `thalweg tune` knows a function by; empty for one that it does not tune."""
    if function in TEAM:
        return function
    call, has_overlap = call_of(function)
    kinds = NONBLOCKING if has_overlap else OPERATIONS
    return next((operation for operation, known in kinds.items() if known == call), "")


def wanted(report: RunReport) -> list[Wanted]:
    """Give the cases of calls that went to the library, the most expensive first: of all ranks, or of equal groups."""
    found: dict[Case, list[tuple[CallSite, float]]] = {}
    for site in report.calls:
        cases = _cases_of(site, len(report.ranks), report.nodes)
        for case in cases:
            found.setdefault(case, []).append((site, report.share(cost_ns(site, report) / len(cases))))
    kinds = [
        Wanted(case, tuple(dict.fromkeys(site.place for site, _ in sites)), sum(share for _, share in sites))
        for case, sites in found.items()
    ]
    worth = [one for one in kinds if one.share >= SHARE_MIN]
    return _with_one_size(sorted(worth, key=lambda one: (-one.share, one.case.name)))


def cost_ns(site: CallSite, report: RunReport) -> float:
    """Give what a site's calls cost their ranks: the transfer, or what nonblocking ones exposed.

    Several requests may have been waited for at once, and each is exposed then; ranks were in MPI once.
    """
    transfer_ns = site.time_ns - site.waiting_ns
    return max(transfer_ns, min(site.hidden.exposed_ns, report.mpi_ns)) if site.hidden else transfer_ns


def groups_of(site_ranks: int, ranks: int, nodes: int) -> list[str]:
    """Say which groups of a job a communicator may be, as trials write it; none: it is not one of equal groups.

    A report does not tell which ranks they are. With several ranks on each of several nodes, both kinds are there: rows
    of neighbors, and columns of ranks that are far apart.
    """
    if site_ranks < SEVERAL or ranks % site_ranks:
        return []
    if site_ranks == ranks:
        return [""]
    return [f"/{site_ranks}", f"/{site_ranks}s"] if 1 < nodes < ranks else [f"/{site_ranks}"]


def _cases_of(site: CallSite, ranks: int, nodes: int) -> list[Case]:
    operation = operation_of(site.function)
    if not operation or not site.calls:
        return []
    size = 0
    if operation not in WITHOUT_SIZE:
        call = {**NONBLOCKING, **TEAM}.get(operation) or OPERATIONS[operation]
        total = unit_size(call, site.bytes / site.calls, site.ranks)
        size = max(_UNIT, (total + _UNIT // 2) // _UNIT * _UNIT)
    return [Case(operation + group, size) for group in groups_of(site.ranks, ranks, nodes)]


def _with_one_size(found: list[Wanted]) -> list[Wanted]:
    """Leave one size to each call whose size a rank knows for itself alone: the most expensive one.

    Ranks could not agree on one of several picks, so that none would take effect.
    """
    kept: dict[object, Wanted] = {}
    for one in found:
        is_known_to_all = not (one.case.is_nonblocking and one.case.call in OWN_SIZES)
        kind = one.case if is_known_to_all else one.case.operation
        first = kept.setdefault(kind, one)
        if first is not one:
            places = tuple(dict.fromkeys((*first.places, *one.places)))
            kept[kind] = Wanted(first.case, places, first.share + one.share)
    return sorted(kept.values(), key=lambda one: (-one.share, one.case.name))


class RunToTune(NamedTuple):
    """A run, by its report, and what is worth tuning for it."""

    path: str
    report: RunReport
    wanted: list[Wanted]

    def expected(self, ratios: Mapping[Case, float]) -> str:
        """Say how long the run would take with what a search found: for cases, what a pick takes as a part of native.

        The transfer of calls shrinks by that part. Waiting for ranks that come late, and what ranks compute, stay.
        """
        saved = sum(one.share * (1 - min(1.0, ratios.get(one.case, 1.0))) for one in self.wanted)
        if saved < SAVING_MIN:
            return f"the run of {self.path} would gain less than {percent(SAVING_MIN)} by what was found"
        before, after = (time_text(part * self.report.wall_ns * 1e-9) for part in (1, 1 - saved))
        return f"the run of {self.path} took {before}, and would take about {after} with these picks"


def read_run(path: str) -> RunToTune:
    """Read a report, and see what is worth tuning for it. Raises ThalwegError where nothing is."""
    report = read_report(path)
    found = wanted(report)
    if not found:
        share = f"{path}: no collective of all ranks or of equal groups takes a thousandth of the run and can be tuned"
        raise ThalwegError(USAGE, share, f"thalweg report {path} shows where the time goes")
    return RunToTune(path, report, found)


def lab_of(report: RunReport) -> str:
    """Name the lab on whose hosts a run was, if it is up; empty: there is none."""
    hosts = {rank.host for rank in report.ranks}
    name = next(iter(sorted(hosts)), "").rpartition("-")[0]
    try:
        known = saved(name) if name else None
    except ThalwegError:
        return ""
    return name if known is not None and hosts <= set(known.names) else ""


def other_shape(report: RunReport, path: str) -> str:
    """Say what to do where a report is of several nodes, which a search with the usual launcher may not reach."""
    if report.nodes < SEVERAL:
        return ""
    return (
        f"{path} is of a job on {report.nodes} nodes; picks hold for jobs of the same shape alone: start the search "
        f"as that job was, as thalweg tune --for {path} -- srun -N {report.nodes} -n {len(report.ranks)}"
    )


def describe(found: list[Wanted]) -> list[str]:
    """Say what is tuned, and for which calls: a line each."""
    return [
        f"{one.case.name:<24} {percent(one.share):>6} of the run: {', '.join(one.places[:_PLACES_MAX])}"
        + (" and others" if len(one.places) > _PLACES_MAX else "")
        for one in found
    ]
