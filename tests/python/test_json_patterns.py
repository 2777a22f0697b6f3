# SPDX-License-Identifier: BSD-3-Clause
"""Patterns as JSON, reports that name what their run recorded, and loads from reports."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from support import Command, examples
from thalweg.balancing.files import read_loads
from thalweg.errors import ThalwegError
from thalweg.placement.files import read_pattern, write_pattern
from thalweg.placement.pattern import TASKS_MAX, Pattern, Sent

RECORDED = "thalweg-pattern 1\nranks 2\nsite 0 call MPI_Send halo.c:4 (exchange)\nphase 2 1\n0 1 100 4 0\n"
REPORT = {
    "format": "thalweg-report",
    "pattern": {"file": "/nowhere/app.pattern"},
    "ranks": [
        {"rank": 1, "wall_ns": 5e9, "mpi_ns": 1e9},
        {"rank": 0, "wall_ns": 5e9, "mpi_ns": 4e9},
    ],
}
PATTERN = {
    "format": "thalweg-pattern",
    "version": 1,
    "ranks": 3,
    "phases": [{"name": "1", "repeats": 2, "sent": [[0, 1, 8, 1], [1, 2, 4.5, 3]]}],
    "sites": [{"name": "MPI_Isend halo.c:42 (exchange)", "sent": [[0, 1, 16]]}],
}

figures = st.floats(0, 1e12)
names = st.text(max_size=6)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Draw phases, and call sites or none."""
    tasks = draw(st.integers(0, 5))
    pattern = Pattern(tasks=tasks)
    pairs = st.tuples(st.integers(0, max(tasks - 1, 0)), st.integers(0, max(tasks - 1, 0)), figures, figures)
    rows = st.lists(pairs, max_size=8 if tasks else 0)
    for _ in range(draw(st.integers(0, 3))):
        table = np.array(draw(rows)).reshape(-1, 4)
        ends = (table[:, 0].astype(int), table[:, 1].astype(int))
        sizes, messages = (sparse.coo_array((table[:, one], ends), shape=(tasks, tasks)) for one in (2, 3))
        pattern.add_phase(draw(names), sizes, repeats=draw(st.floats(1, 1e6)), messages=messages)
    if draw(st.booleans()):
        table = np.array(draw(rows)).reshape(-1, 4)
        sites = draw(st.lists(names, min_size=1, max_size=3))
        numbers = np.sort(np.array(draw(st.lists(st.integers(0, len(sites) - 1), min_size=8, max_size=8))))
        ends32 = table[:, :2].astype(np.int32)
        pattern.sent = Sent(sites, ends32[:, 0], ends32[:, 1], table[:, 2], numbers[: len(table)])
    return pattern


def are_alike(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@given(pattern=patterns())
@settings(max_examples=examples(100))
def test_what_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, pattern: Pattern) -> None:
    path = str(tmp_path_factory.getbasetemp() / "back.json")
    write_pattern(pattern, path)
    back = read_pattern(path)
    assert back.tasks == pattern.tasks
    assert len(back.phases) == len(pattern.phases)
    assert all(are_alike(*phases) for phases in zip(back.phases, pattern.phases, strict=True))
    assert (back.sent is None) == (pattern.sent is None)
    assert back.sent is None or pattern.sent is None or are_alike(back.sent, pattern.sent)


def damaged(document: Any, data: st.DataObject) -> Any:
    """Put something else in the place of one value, somewhere in it."""
    if isinstance(document, dict | list) and document and data.draw(st.integers(0, 4)):
        keys = list(document) if isinstance(document, dict) else list(range(len(document)))
        key = data.draw(st.sampled_from(keys))
        copy = document.copy()
        copy[key] = damaged(document[key], data)
        return copy
    odd: list[Any] = [
        None,
        True,
        -1,
        1e308,
        float("nan"),
        10**400,
        2**31,
        "",
        [],
        {},
        [[]],
        [[0, 1]],
        [["x"] * 4],
        TASKS_MAX + 1,
    ]
    return data.draw(st.sampled_from(odd))


@given(data=st.data(), whole=st.sampled_from([PATTERN, REPORT]))
@settings(max_examples=examples(200))
def test_damaged_documents_are_refused_with_a_remedy(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, whole: dict[str, Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_text(json.dumps(damaged(whole, data)))
    for read in (read_pattern, lambda name: read_loads(name, None, 1e-3)):
        try:
            read(str(path))
        except ThalwegError as error:
            assert error.remedy


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[1]", '{"format": 3}', '{"format": "x"}', "\xff"])
def test_other_texts_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ThalwegError, match=r"other\.json"):
        read_pattern(str(tmp_path / "other.json"))


def test_a_report_leads_to_what_its_run_recorded(tmp_path: Path, thalweg: Command) -> None:
    """Where the run kept it, or beside the report; the command takes it as any pattern."""
    report = tmp_path / "report.json"
    report.write_text(json.dumps(REPORT))
    with pytest.raises(ThalwegError, match="nor beside the report"):
        read_pattern(str(report))
    (tmp_path / "app.pattern").write_text(RECORDED)
    assert read_pattern(str(report)).matrix().toarray().tolist() == [[0, 100], [0, 0]]
    found = thalweg("place", "map", str(report), "--machine", "mesh:2", "--proposals", "1", "--json")
    assert json.loads(found.stdout)["placed"]["hop-bytes"] == 100
    report.write_text(json.dumps({**REPORT, "pattern": None}))
    with pytest.raises(ThalwegError, match="thalweg run --record"):
        read_pattern(str(report))


def test_a_report_s_loads_are_what_ranks_computed(tmp_path: Path, thalweg: Command) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps(REPORT))
    assert read_loads(str(report), None, 0.5).tolist() == [2, 8]
    assert read_loads(str(report), 4, 1).tolist() == [1, 4, 0, 0]
    with pytest.raises(ThalwegError, match="2 ranks"):
        read_loads(str(report), 1, 1)
    found = thalweg("balance", str(report), "--task-time", "1s", "--scheme", "sweep", "--json")
    assert json.loads(found.stdout)["tasks"] == 5
