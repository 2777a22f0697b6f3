# SPDX-License-Identifier: BSD-3-Clause
"""What tuning found, as a page: the picks, against the library and what else was tried."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from thalweg.pages.charts import Bar
from thalweg.pages.plain import Figure, Page, Section, Table, Tile
from thalweg.trials.session import NATIVE
from thalweg.tune.run import native_ratio
from thalweg.units import count_text, size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.tune.run import Found

TRIED_MAX = 12


def tuning_page(found: Sequence[Found], ranks: int, mpi: str, file: str) -> str:
    """Write the page; `file` is the tuning file."""
    ratios = [native_ratio(one.outcome) for one in found]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0
    faster = sum(ratio > 1 and one.outcome.pick != NATIVE for one, ratio in zip(found, ratios, strict=True))
    tiles = [
        Tile(f"{mean:.2f}x", "faster in the mean", "Geometric mean of the library's time over the pick's."),
        Tile(f"{faster} of {len(found)}", "kinds of calls run faster"),
        Tile(str(sum(len(one.outcome.tried) for one in found)), "candidates tried"),
    ]
    return Page(
        kind="tuning",
        title=f"Collectives of {count_text(ranks, 'rank')}",
        origin=f"{mpi}; kept in {file}",
        tiles=tiles,
        sections=[Section("Picks", table=_picks(found, ratios)), *(_case(one) for one in found if one.outcome.medians)],
        findings=[("Runs take these picks by themselves:", f"thalweg run -n {ranks} -- ./program")] if faster else [],
    ).text()


def _title(one: Found) -> str:
    return f"{one.case.operation}, {size_text(one.case.size)}" if one.case.size else one.case.operation


def _picks(found: Sequence[Found], ratios: Sequence[float]) -> Table:
    rows = []
    for one, ratio in zip(found, ratios, strict=True):
        outcome = one.outcome
        longest = max(outcome.native_seconds, outcome.seconds) or 1.0
        rows.append((
            one.case.operation,
            Figure(one.case.size, size_text(one.case.size)),
            outcome.pick,
            Figure(outcome.native_seconds, time_text(outcome.native_seconds)),
            Figure(outcome.seconds, time_text(outcome.seconds)),
            Figure(ratio, f"{ratio:.2f}x"),
            Bar("", (("after", round(100 * outcome.seconds / longest, 2)),)),
        ))  # fmt: skip
    heads = ("operation", "bytes", "pick", "library", "pick takes", "faster", "of the longer one")
    return Table(heads, rows, codes=(2,))


def _case(one: Found) -> Section:
    # What was measured last counts: the pick and the library have been compared in more batches than the others.
    final = {one.outcome.pick: one.outcome.seconds, NATIVE: one.outcome.native_seconds}
    times = one.outcome.medians | final
    shown = sorted(times.items(), key=lambda entry: entry[1])[:TRIED_MAX]
    longest = max(seconds for _, seconds in shown) or 1.0
    bars = [
        Bar(
            "MPI library" if name == NATIVE else name,
            (("after" if name == one.outcome.pick else "before", round(100 * seconds / longest, 2)),),
            time_text(seconds),
        )
        for name, seconds in shown
    ]
    left = len(times) - len(shown)
    return Section(_title(one), f"{count_text(left, 'slower candidate')} left out." if left else "", bars=bars)
