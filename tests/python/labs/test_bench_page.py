# SPDX-License-Identifier: BSD-3-Clause
"""Rows of benchmarks become a page, whatever their keys are."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg.errors import ThalwegError
from thalweg_labs.bench.page import read_rows, rows_page, run

VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.lists(st.integers())


@given(rows=st.lists(st.dictionaries(st.text(max_size=6), VALUES, max_size=4), min_size=1, max_size=5))
def test_any_rows_are_a_table(rows: list[dict[str, object]]) -> None:
    assert rows_page(rows, "rows.json").count("<tbody>") == len(rows)


def test_figures_have_units(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.json"
    path.write_text(
        json.dumps([{"name": "<ring>", "bytes": 65536, "native_s": 0.0021, "median_us": 3.5, "ranks": 4096}])
    )
    run(str(path), "")
    page = tmp_path / "rows.html"
    assert capsys.readouterr().out == f"page: {page.as_uri()}\n"
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page.read_text())
    assert cells == ["&lt;ring&gt;", "64 KiB", "2.1 ms", "3.5 us", "4,096"]


@pytest.mark.parametrize("text", ["[]", "{}", "[1]", "x"])
def test_what_has_no_rows_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rows.json"
    path.write_text(text)
    with pytest.raises(ThalwegError, match=re.escape(str(path))):
        read_rows(str(path))
