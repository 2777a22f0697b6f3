# SPDX-License-Identifier: BSD-3-Clause
"""What would run for a call, as a page: the candidates with their predicted times, and what was measured."""

from __future__ import annotations

import os

from thalweg import _core
from thalweg.machine import files
from thalweg.pages.charts import Bar
from thalweg.pages.plain import Figure, Page, Section, Table
from thalweg.trials.session import NATIVE
from thalweg.tune import store
from thalweg.tune.explain import (
    Question,
    candidates,
    command_for,
    is_measured,
    known_picks,
    predicted_text,
    reason,
    tuning_path_of,
)
from thalweg.units import count_text, time_text

ROWS_MAX = 400


def explain_page(question: Question, machine_file: str, tuning_file: str) -> str:
    """Write the page of a call."""
    tuning_path = tuning_path_of(tuning_file)
    picks = known_picks(store.load(tuning_path), question, nonblocking=question.is_nonblocking)
    path = machine_file or files.newest(os.environ)
    machine = files.load(path) if path else _core.default_machine()
    measured = {pick.use: pick.seconds for pick, _ in reversed(picks) if is_measured(pick, question)}
    if picks and is_measured(picks[0][0], question):
        measured[NATIVE] = picks[0][0].native_seconds
    space = candidates(question, machine)[:ROWS_MAX]
    longest = max((one.seconds for one in space), default=0.0) or 1.0
    rows = [
        (
            one.text,
            Figure(one.seconds, predicted_text(one)),
            Figure(one.cpu_seconds, time_text(one.cpu_seconds)),
            _measured(measured, one.text),
            Bar("", (("compute", round(100 * one.seconds / longest, 2)),)),
        )
        for one in space
    ]
    rows += [
        (use, Figure(0, ""), Figure(0, ""), _measured(measured, use), Bar("", ()))
        for use in measured
        if use not in {one.text for one in space}
    ]
    heads = ("candidate", "predicted", "processor time of a rank", "measured", "predicted, of the longest")
    command = command_for(question) if not picks else ""
    where = f"{count_text(question.ranks, 'rank')} on {count_text(question.node_count, 'node')}"
    return Page(
        kind="what would run",
        title=f"{question.title}, {where}",
        origin=machine.title,
        findings=[(f"{reason(question, picks, tuning_path)}.", command)],
        sections=[Section("Candidates", table=Table(heads, rows, codes=(0,)))],
    ).text()


def _measured(measured: dict[str, float], use: str) -> Figure:
    return Figure(measured.get(use, 0.0), time_text(measured[use]) if use in measured else "")
