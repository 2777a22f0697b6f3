# SPDX-License-Identifier: BSD-3-Clause
"""What is worth tuning for a program, from a report of one of its runs: the calls that cost the most time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from thalweg.errors import USAGE, ThalwegError
from thalweg.pages.render import percent
from thalweg.report.run_report import CallSite, RunReport, read_report
from thalweg.trials.cases import NONBLOCKING, OPERATIONS, WITHOUT_SIZE, Case
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
    name = function.removeprefix("MPI_").removesuffix("_c")
    call = name.removeprefix("I").lower().removesuffix("_init")
    return {"bcast": "broadcast"}.get(call, call), name.startswith("I") or name.endswith("_init")


def unit_size(call: str, total: float, ranks: int) -> int:
    """Give the bytes of a unit from the payload of one rank's call, as reports count it."""
    if call in _CALLS_WITH_WHOLE_VECTOR or call in ("gather", "scatter", "allgather", "allgatherv", "barrier"):
        return round(total)
    if call.startswith("neighbor_"):
        return round(total / _NEIGHBORS)
    return round(total / max(ranks, 1))


def operation_of(function: str) -> str:
    """Name the operation that `thalweg tune` knows a function by; empty for one that it does not tune."""
    call, has_overlap = call_of(function)
    kinds = NONBLOCKING if has_overlap else OPERATIONS
    return next((operation for operation, known in kinds.items() if known == call), "")


def wanted(report: RunReport) -> list[Wanted]:
    """Give the cases of calls of all ranks that went to the library, the most expensive first."""
    found: dict[Case, list[CallSite]] = {}
    for site in report.calls:
        if (case := _case_of(site, len(report.ranks))) is not None:
            found.setdefault(case, []).append(site)
    cases = [
        Wanted(
            case,
            tuple(dict.fromkeys(site.place for site in sites)),
            report.share(sum(_cost_ns(site) for site in sites)),
        )
        for case, sites in found.items()
    ]
    worth = [one for one in cases if one.share >= SHARE_MIN]
    return sorted(worth, key=lambda one: (-one.share, one.case.name))


def _cost_ns(site: CallSite) -> float:
    """Give what a site's calls cost their ranks: the transfer, or what nonblocking ones exposed."""
    transfer_ns = site.time_ns - site.waiting_ns
    return max(transfer_ns, site.hidden.exposed_ns) if site.hidden else transfer_ns


def _case_of(site: CallSite, ranks: int) -> Case | None:
    operation = operation_of(site.function)
    if not operation or site.ranks != ranks or ranks < 2 or not site.calls:
        return None
    if operation in WITHOUT_SIZE:
        return Case(operation, 0)
    call = NONBLOCKING.get(operation) or OPERATIONS[operation]
    size = unit_size(call, site.bytes / site.calls, ranks)
    return Case(operation, max(_UNIT, (size + _UNIT // 2) // _UNIT * _UNIT))


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
        share = f"{path}: no collective of all ranks takes a thousandth of the run and can be tuned"
        raise ThalwegError(USAGE, share, f"thalweg report {path} shows where the time goes")
    return RunToTune(path, report, found)


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
