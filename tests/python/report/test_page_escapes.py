# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a report's texts are, they are texts on the page; and sources of programs are all that is read for it."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_pages import whole_document

from thalweg.report.page import page
from thalweg.report.run_report import report_of
from thalweg.report.sources import AROUND, excerpt

PIECES = ("<", ">", '"', "'", "&", "</script>", "<!--", "]]>", "{{", "{%", "<img onerror=", "\u2028", "a", " ", "\n")
HOSTILE = st.lists(st.sampled_from(PIECES) | st.characters(codec="utf-8"), min_size=1, max_size=8).map("".join)


class Tags(HTMLParser):
    """Lists the tags with the names of their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def with_text(text: str) -> dict[str, Any]:
    """Give a report that has a text wherever one may stand."""
    whole = whole_document(4)
    for site in whole["calls"]:
        site |= {"function": f"MPI_{text}", "source": f"{text}:1", "within": f"in {text}"}
        for end in site["ran_on"]:
            end |= {"strategy": f"s{text}", "passed_on_because": f"b{text}"}
    for rank in whole["ranks"]:
        rank["host"] = f"h{text}"
    for pick in whole["picks"]:
        pick |= {"strategy": f"p{text}", "operation": text, "source": text}
    whole["placing"] |= {"why": text, "network": f"n{text}", "method": f"m{text}"}
    whole["streams"] = [{"source": text, "shape": text, "remarks": [text], "ranks": 4}]
    whole["learned"][0] |= {"call": text, "state": text}
    return whole | {"command": ["./a", text], "user": f"u{text}", "ended_by": text, "tuning": f"t{text}"}


@settings(max_examples=40, deadline=None)
@given(text=HOSTILE)
def test_texts_never_become_tags(text: str) -> None:
    plain = Tags(page(report_of(with_text("a")), "run.json"))
    hostile = Tags(page(report_of(with_text(text)), "run.json"))
    assert hostile.found == plain.found


def test_lines_around_a_call_are_read_from_sources_alone(tmp_path: Path) -> None:
    lines = [f"line {number}" for number in range(1, 21)]
    for name in ("solve.cpp", "secret", "secret.txt"):
        (tmp_path / name).write_text("\n".join(lines))
    found = excerpt(str(tmp_path / "solve.cpp"), 10)
    assert [line.number for line in found] == list(range(10 - AROUND, 10 + AROUND + 1))
    assert [line.text for line in found if line.is_call] == ["line 10"]
    assert [excerpt(str(tmp_path / name), 10) for name in ("secret", "secret.txt", "none.cpp")] == [[], [], []]


@pytest.mark.parametrize(("path", "line"), [("", 1), ("solve.cpp", 1), ("/dev/zero.c", 1), ("/tmp\0.c", 1)])
def test_what_is_no_file_has_no_lines(path: str, line: int) -> None:
    assert excerpt(path, line) == []


def test_lines_beyond_the_end_are_none(tmp_path: Path) -> None:
    path = tmp_path / "short.f90"
    path.write_text("end program\n")
    assert [len(excerpt(str(path), line)) for line in (-1, 0, 1, 2)] == [0, 0, 1, 0]
