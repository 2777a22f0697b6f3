# SPDX-License-Identifier: BSD-3-Clause
"""Before and after as bars: whole runs, and call sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from thalweg.pages.charts import Bar, paired
from thalweg.pages.render import ns_text, percent
from thalweg.report.compare import SAME

if TYPE_CHECKING:
    from thalweg.report.compare import Comparison, Pair

SITES_MAX = 40


class Change(NamedTuple):
    """What a figure was before, and how it became: a class of the style with a text."""

    before: str
    kind: str
    text: str


class SiteChange(NamedTuple):
    """A call site of both runs; times are means of ranks, in nanoseconds."""

    name: str
    before: Bar
    after: Bar
    before_ns: float
    after_ns: float
    judgment: Change


def change_of(before: float, after: float, *, is_share: bool = False) -> Change:
    """Judge a time, or a share of one, against that before."""
    said = percent(before) if is_share else ns_text(before)
    if before <= 0 or after <= 0:
        return Change(said, "soft", "")
    factor = before / after
    if SAME[0] <= factor <= SAME[1] or (is_share and abs(before - after) < 0.02):
        return Change(said, "soft", "the same")
    if is_share:
        return Change(said, "soft", "")
    return Change(said, "good" if factor > 1 else "bad", f"{factor:.2f}x faster" if factor > 1 else _slower(factor))


def _slower(factor: float) -> str:
    return f"{1 / factor:.2f}x slower"


def comparison_rows(found: Comparison) -> list[tuple[Bar, Bar, str]]:
    """Give bars of the whole runs."""
    largest = max(max(pair.before_ns or 0.0, pair.after_ns or 0.0) for pair in found.whole)
    return [
        paired(pair.name, pair.before_ns or 0.0, pair.after_ns or 0.0, largest, _said(pair)) for pair in found.whole
    ]


def _said(pair: Pair) -> str:
    change = change_of(pair.before_ns or 0.0, pair.after_ns or 0.0)
    return f"{change.before} to {ns_text(pair.after_ns or 0.0)}" + (f", {change.text}" if change.text else "")


def site_changes(found: Comparison) -> list[SiteChange]:
    """Give the call sites whose times differ the most."""
    shown = found.sites[:SITES_MAX]
    largest = max((max(pair.before_ns or 0.0, pair.after_ns or 0.0) for pair in shown), default=0.0)
    changes = []
    for pair in shown:
        before, after, _ = paired(pair.name, pair.before_ns or 0.0, pair.after_ns or 0.0, largest, "")
        changes.append(SiteChange(pair.name, before, after, pair.before_ns or 0.0, pair.after_ns or 0.0, _judged(pair)))
    return changes


def _judged(pair: Pair) -> Change:
    if pair.before_ns is None or pair.after_ns is None:
        return Change("", "soft", "only after" if pair.before_ns is None else "only before")
    return change_of(pair.before_ns, pair.after_ns)
