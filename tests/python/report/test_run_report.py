# SPDX-License-Identifier: BSD-3-Clause
"""Reports are read as a whole or refused, judged in a few sentences, and shown as a page."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_documents import SITE, document
from report_pages import whole_document

from thalweg.errors import ThalwegError
from thalweg.report.page import page
from thalweg.report.rank_times import BARS_MAX
from thalweg.report.run_report import RunReport, read_report
from thalweg.report.site_rows import SITES_MAX
from thalweg.report.verdict import SENTENCES_MAX, verdict


def read(folder: Path, **changes: Any) -> RunReport:
    path = folder / "run.json"
    path.write_text(json.dumps(document(**changes)))
    return read_report(str(path))


def test_losses_come_in_their_order_with_commands(tmp_path: Path) -> None:
    found = verdict(read(tmp_path), "run.json")
    assert [one.subject for one in found] == [
        "15 % of the run is waiting for late ranks",
        "5 % of the run is transfer in collectives that nobody has tuned",
        "MPI_Allreduce at main.cpp:46",
    ]
    assert "Rank 1 causes 100 % of it" in found[0].text
    assert found[1].command == "thalweg tune --for run.json"


def test_what_a_command_may_mend_comes_before_what_it_shows(tmp_path: Path) -> None:
    """Whoever follows the first command of a page gains something, where something is to be gained."""
    calls = [SITE | {"time_ns": 1e9, "time_ns_least_rank": 4e8, "time_ns_most_rank": 6e8}]
    ranks = [rank | {"mpi_ns": 5e8} for rank in document()["ranks"]]
    found = verdict(read(tmp_path, calls=calls, ranks=ranks), "run.json")
    assert [one.subject for one in found[:2]] == [
        "12 % of the run is transfer in collectives that nobody has tuned",
        "38 % of the run is waiting for late ranks",
    ]
    assert found[0].command == "thalweg tune --for run.json"


def test_a_run_that_computes_has_little_to_gain(tmp_path: Path) -> None:
    ranks = [rank | {"mpi_ns": 1e6} for rank in document()["ranks"]]
    found = verdict(read(tmp_path, ranks=ranks), "run.json")
    assert [one.text for one in found] == ["takes 0.1 % of the run: there is little to gain here."]


def test_a_run_that_was_ended_says_so_first(tmp_path: Path) -> None:
    found = verdict(read(tmp_path, ended_by="SIGTERM", ranks_without_report=1), "run.json")
    assert found[0].subject == "The run was ended by SIGTERM"
    assert found[0].text.endswith("1 rank left no report.")
    missing = [{"host": "n2", "ranks": "1", "count": 1, "part": ""}]
    found = verdict(read(tmp_path, ended_by="SIGTERM", ranks_without_report=1, missing=missing), "run.json")
    assert found[0].text.endswith("1 rank left no report: rank 1 of n2.")


def test_chosen_strategies_are_not_called_untuned(tmp_path: Path) -> None:
    ran = [{"strategy": "allreduce=ring", "calls": 10}]
    found = verdict(read(tmp_path, calls=[SITE | {"ran_on": ran}]), "run.json")
    assert not any("nobody has tuned" in one.subject for one in found)


def test_a_page_is_one_file_and_escapes_names(tmp_path: Path) -> None:
    text = page(read(tmp_path), "run.json")
    assert "a&amp;b" in text
    assert "solve&lt;int&gt;" in text
    assert not re.search(r"""src=|href="(?!#|data:,")|@import|url\(""", text)


def test_many_ranks_and_sites_stay_a_page(tmp_path: Path) -> None:
    """10,000 ranks on 2,500 nodes are bars of some nodes."""
    text = page(read(tmp_path, rank_count=10_000, nodes=2500, calls=[SITE] * 1000), "run.json")
    assert BARS_MAX // 2 < text.count('<span class="column"') <= BARS_MAX
    assert text.count("<tbody data-last=") == SITES_MAX
    assert len(text) < 1 << 20


def test_no_calls_and_no_time_are_shown_too(tmp_path: Path) -> None:
    ranks = [{"rank": 0, "node": 0, "host": "", "pid": 1, "wall_ns": 0, "mpi_ns": 0}]
    text = page(read(tmp_path, ranks=ranks, calls=[], wall_ns=0), "run.json")
    assert "No collective was sampled" in text


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "thalweg-report"}', "[" * 100_000])
def test_what_is_no_report_is_refused_by_name(text: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(ThalwegError, match=re.escape(str(path))):
        read_report(str(path))


WRONG: st.SearchStrategy[Any] = st.sampled_from([None, [], {}, "", "x", -1, 1.5, True, [None], [{}]])


@pytest.mark.parametrize("make", [document, whole_document])
@given(data=st.data())
def test_a_damaged_report_is_refused_or_shown(
    make: Callable[[], dict[str, Any]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Any value may be missing or another one: nothing but a ThalwegError comes of it."""
    damaged = copy.deepcopy(make())
    part: Any = damaged
    while True:
        key = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
        if isinstance(part[key], dict | list) and part[key] and data.draw(st.booleans()):
            part = part[key]
            continue
        if isinstance(part, dict) and data.draw(st.booleans()):
            del part[key]
        else:
            part[key] = data.draw(WRONG)
        break
    path = tmp_path_factory.mktemp("damaged") / "run.json"
    path.write_text(json.dumps(damaged))
    try:
        report = read_report(str(path))
    except ThalwegError as error:
        assert str(path) in str(error)
    else:
        assert len(verdict(report, "run.json")) <= SENTENCES_MAX
        assert "</html>" in page(report, "run.json")
