# SPDX-License-Identifier: BSD-3-Clause
"""The calls of a finished run, a row for each kind: what ran, what would run now, and what that may save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg import _core
from thalweg.pages.render import percent
from thalweg.trials.session import NATIVE
from thalweg.tune.explain import Question, known_picks
from thalweg.tune.explain_learned import learned_name, learned_of
from thalweg.tune.wanted import call_of, cost_ns, mode_of, operation_of, unit_size
from thalweg.units import count_text, size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.report.run_report import CallSite, RunReport

HEADINGS = ("call", "size", "ranks", "now runs", "time", "hidden", "would run", "may save", "where")
HIDDEN = HEADINGS.index("hidden")
_TEXTS = ("call", "now runs", "would run", "where")
"""The columns of words."""

TUNABLE = "nothing was measured for it"


class Row(NamedTuple):
    """Calls of one function from one place, with units of one size. `size` is a mean.

    The time of nonblocking calls is what they exposed, also in tests and waits. `gain` and `gain_max` are parts of the
    run: what measurements say that `would_run` saves, and what a search may save. They are None where nothing was
    measured, and where no search serves the calls.
    """

    call: str
    where: str
    size: int
    ranks: int
    calls: int
    ran: tuple[tuple[str, int], ...]
    time_ns: float
    share: float
    would_run: str
    gain: float | None
    gain_max: float | None
    why: str
    operation: str
    """As `thalweg tune --ops` has it; empty where no search serves the calls."""
    hidden: float | None = None
    """Of the time from the calls' starts to their ends, the part in which the program did something else."""
    would_hide: float | None = None
    """The same of the pick, where it was tuned, beside a computation that is long enough."""

    def cells(self) -> list[str]:
        """Write the row for people."""
        ran = ", ".join(dict.fromkeys(strategy for strategy, _ in self.ran))
        saves = "" if self.gain is None else percent(self.gain)
        saves = saves if self.gain_max is None else f"up to {percent(self.gain_max)}"
        time = f"{time_text(self.time_ns * 1e-9)}, {percent(self.share)}"
        size = size_text(self.size) if self.size else ""
        hidden = "" if self.hidden is None else percent(self.hidden)
        hidden += "" if self.would_hide is None else f", then {percent(self.would_hide)}"
        return [self.call, size, str(self.ranks), ran, time, hidden, self.would_run, saves, self.where]

    def as_data(self) -> dict[str, Any]:
        """Write it as plain data."""
        ran = [{"strategy": strategy, "calls": calls} for strategy, calls in self.ran]
        data = self._asdict() | {"bytes": self.size, "ran": ran}
        del data["size"], data["operation"]
        return data


def table_of(rows: Sequence[Row]) -> tuple[tuple[str, ...], list[list[str]], tuple[int, ...]]:
    """Give headings, cells, and the columns of words; without the column of hidden time where there is none."""
    has_hidden = any(row.hidden is not None for row in rows)
    shown = [index for index in range(len(HEADINGS)) if has_hidden or index != HIDDEN]
    headings = tuple(HEADINGS[index] for index in shown)
    cells = [[row.cells()[index] for index in shown] for row in rows]
    return headings, cells, tuple(headings.index(name) for name in _TEXTS)


def question_of(site: CallSite, report: RunReport) -> Question | None:
    """Ask for the calls of a site; None where no strategy serves them."""
    call, has_overlap = call_of(site.function)
    if call not in _core.calls() or site.ranks <= 1 or not site.is_collective:
        return None
    per_node = -(-site.ranks // max(min(site.ranks, report.nodes), 1))
    size = unit_size(call, site.bytes / max(site.calls, 1), site.ranks)
    return Question(call, size, site.ranks, per_node, is_nonblocking=has_overlap, mode=mode_of(site.function))


def rows_of(report: RunReport, tuning: Sequence[_core.Tuning]) -> list[Row]:
    """Give the rows of all collectives, the longest first; sites that are alike in all but their phase are one."""
    found: dict[tuple[Any, ...], Row] = {}
    for site in report.calls:
        question = question_of(site, report)
        if question is None:
            continue
        row = _row(site, report, question, tuning)
        kind = (row.call, row.where, row.size, row.ranks, row.would_run)
        found[kind] = _sum(found[kind], row) if kind in found else row
    return sorted(found.values(), key=lambda row: (-row.time_ns, row.call, row.where))


def _sum(one: Row, other: Row) -> Row:
    def both(a: float | None, b: float | None) -> float | None:
        return None if a is None or b is None else a + b

    def mean(a: float | None, b: float | None) -> float | None:
        return b if a is None else a if b is None else (a * one.calls + b * other.calls) / (one.calls + other.calls)

    return one._replace(
        hidden=mean(one.hidden, other.hidden),
        calls=one.calls + other.calls,
        ran=one.ran + other.ran,
        time_ns=one.time_ns + other.time_ns,
        share=one.share + other.share,
        gain=both(one.gain, other.gain),
        gain_max=both(one.gain_max, other.gain_max),
    )


def _row(site: CallSite, report: RunReport, question: Question, tuning: Sequence[_core.Tuning]) -> Row:
    is_nonblocking = question.is_nonblocking
    picks = known_picks(tuning, question, nonblocking=is_nonblocking)
    learned = learned_of(report.document, learned_name(question, site.function), question.ranks, question.size)
    transfer = report.share(cost_ns(site, report))
    exposed_ns = min(site.hidden.exposed_ns, report.mpi_ns) if site.hidden else 0.0
    would_hide = None
    operation = operation_of(site.function)
    gain = gain_max = None
    if picks:
        pick = picks[0][0]
        use, why = pick.use, f"measured in {count_text(pick.trials, 'trial')}"
        runs_already = any(end.strategy == use for end in site.ran_on)
        would_hide = None if runs_already or not is_nonblocking else _hidden_by(pick)
        gain = 0.0 if runs_already else transfer * (1 - min(1.0, pick.seconds / (pick.native_seconds or pick.seconds)))
    elif learned:
        use, why = learned[0]["use"], "learned while the program ran"
    elif not operation:
        use, why = NATIVE, f"thalweg tune does not tune {'nonblocking ' if is_nonblocking else ''}{question.call}"
    else:
        use, why = NATIVE, TUNABLE
        gain_max = transfer
    return Row(
        call=operation if question.mode else ("nonblocking " if is_nonblocking else "") + question.call,
        where=site.place,
        size=question.size,
        ranks=site.ranks,
        calls=site.calls,
        ran=tuple((end.strategy, end.calls) for end in site.ran_on),
        time_ns=max(site.time_ns, exposed_ns),
        share=report.share(max(site.time_ns, exposed_ns)),
        would_run=use,
        gain=gain,
        gain_max=gain_max,
        why=why,
        operation=operation,
        hidden=site.hidden.share if site.hidden else None,
        would_hide=would_hide,
    )


def _hidden_by(pick: _core.Pick) -> float | None:
    if pick.overlaps is None or pick.overlaps.pick.completion <= 0:
        return None
    return max(0.0, 1 - pick.overlaps.pick.exposed / pick.overlaps.pick.completion)
