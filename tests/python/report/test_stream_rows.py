# SPDX-License-Identifier: BSD-3-Clause
"""Streams on the page: how even ranks' loads were before fences and after, and how long ranks waited for phases."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_documents import document

from thalweg.report.page import page
from thalweg.report.run_report import report_of
from thalweg.report.stream_rows import MOVED_RANKS_MAX, Stream, streams_of

LOADS = st.lists(st.integers(0, 10**10), min_size=4, max_size=40)


def stream(**parts: Any) -> dict[str, Any]:
    ranks = parts.pop("ranks", 4)
    return {"source": "objects", "ranks": ranks, "reporting_ranks": ranks, "shape": "direct", **parts}


def load(number: int, loads: list[int], moved: int = 0) -> dict[str, Any]:
    total = {"load_ns": sum(loads), "left": moved, "entered": moved}
    return {"number": number, "total": total, "max_of_a_rank": {"load_ns": max(loads)}, "load_ns_of_ranks": loads}


def shown(one: dict[str, Any]) -> Stream:
    return streams_of(report_of(document(one["ranks"], streams=[one])))[0]


@given(LOADS, LOADS)
def test_bars_end_at_the_busiest_rank(first: list[int], second: list[int]) -> None:
    size = min(len(first), len(second))
    first, second = first[:size], second[:size]
    bars = shown(stream(ranks=size, loads=[load(1, first, 3), load(2, second)])).loads
    if not max(first + second):
        assert bars == []
        return
    for bar, loads in zip(bars, (first, second), strict=True):
        assert sum(width for _, width in bar.parts) == pytest.approx(100 * max(loads) / max(first + second), abs=0.02)
        assert dict(bar.parts)["compute"] == pytest.approx(100 * sum(loads) / size / max(first + second), abs=0.02)


def test_ranks_are_paired_at_the_fence_where_most_moved() -> None:
    before, after = [40, 10, 10, 20], [20, 20, 20, 20]
    one = stream(loads=[load(1, [80, 0, 0, 0], 1), load(2, before, 5), load(3, after), load(9, [1, 1, 1, 1])])
    title, pairs = shown(one).moved
    assert "fence 2" in title
    assert [pair[0].name for pair in pairs] == [f"rank {rank}" for rank in range(4)]
    assert [pair[0].parts[0][1] for pair in pairs] == [100 * value / 40 for value in before]
    assert [pair[1].parts[0][1] for pair in pairs] == [100 * value / 40 for value in after]
    text = page(report_of(document(4, streams=[one])), "run.json")
    assert "Work before each fence" in text and "Ranks&#39; loads before fence 2" in text


def test_a_step_of_which_fences_are_not_kept_is_not_shown() -> None:
    """Between the first fences that are kept and the last there may be others."""
    assert shown(stream(loads=[load(16, [4, 1, 1, 1], 9), load(40, [1, 1, 1, 1])])).moved == ("", [])
    assert shown(stream(loads=[load(1, [4, 1, 1, 1], 0), load(2, [1, 1, 1, 1])])).moved == ("", [])


def test_of_many_ranks_those_are_shown_whose_load_changed_most() -> None:
    before, after = [100] * 100, [100] * 100
    after[77] = 5
    pairs = shown(stream(ranks=100, loads=[load(1, before, 1), load(2, after)])).moved[1]
    assert len(pairs) == MOVED_RANKS_MAX
    assert "rank 77" in [pair[0].name for pair in pairs]


def test_phases_show_how_long_ranks_waited_for_their_end() -> None:
    phases = [
        {"number": number, "total": {"finish_ns": 4 * waited}, "max_of_a_rank": {"duration_ns": 100}}
        for number, waited in enumerate((0, 25, 200))
    ]
    bars = shown(stream(phases=phases)).phases
    assert [dict(bar.parts) for bar in bars] == [
        {"compute": 100, "waiting": 0},
        {"compute": 75, "waiting": 25},
        {"compute": 0, "waiting": 100},
    ]
