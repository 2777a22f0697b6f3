# SPDX-License-Identifier: BSD-3-Clause
"""Generated documents are those of the command as it is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from house.sources import LICENSE

from thalweg.documentation.__main__ import documents
from thalweg.settings.options import BY_NAME

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("name", "text"), list(documents().items()), ids=lambda value: value if "\n" not in value else ""
)
def test_documents_are_up_to_date(name: str, text: str) -> None:
    assert (DOCS / name).read_text() == text, "run: make man"


PARTS = ("words", "kinds", "lookup", "distances", "threads")


@pytest.mark.parametrize(
    ("page", "program"),
    [
        ("placing.md", "api/placer/jobs/page.cpp"),
        ("teams.md", "api/team/page.cpp"),
        ("teams.md", "api/team/page_memory.cpp"),
        ("teams.md", "api/team/python/page.py"),
        ("fortran.md", "api/fortran/page_team.f90"),
        ("fortran.md", "api/fortran/page_stream.f90"),
        ("streams.md", "api/stream/jobs/page.cpp"),
        *[("streams.md", f"api/stream/jobs/page/{part}.inc") for part in PARTS],
        ("streams.md", "api/stream/python/page.py"),
        ("objects.md", "api/objects/jobs/page.cpp"),
        ("objects.md", "api/objects/python/page.py"),
    ],
)
def test_the_example_of_a_page_is_the_one_that_is_run(page: str, program: str) -> None:
    text = LICENSE.sub("", (ROOT / "tests" / program).read_text())
    assert f"\n{text}```\n" in (DOCS / page).read_text()


def test_man_pages_are_roff() -> None:
    groff = shutil.which("groff")
    for path in sorted((DOCS / "man").glob("*.1")):
        text = path.read_text()
        assert text.startswith(".TH THALWEG")
        assert ".SH EXIT STATUS" in text
        if groff:
            result = subprocess.run([groff, "-man", "-ww", "-z", str(path)], capture_output=True, text=True, check=True)
            assert result.stderr == ""


def test_defaults_in_documents_are_those_of_the_interposer() -> None:
    waiting = (ROOT / "src" / "runtime" / "wait" / "yield_history.hpp").read_text()
    settings = (ROOT / "src" / "run" / "mpi" / "state" / "settings.hpp").read_text()
    inside = {
        "poll_us": re.search(r"\bpoll_us = (\d+);", waiting),
        "yield_us": re.search(r"\byield_us = (\d+);", waiting),
        "sleep_us": re.search(r"\bsleep_us_max = (\d+);", waiting),
        "learn_budget": re.search(r"\blearn_budget_percent = (\d+);", settings),
    }
    for name, found in inside.items():
        assert found, name
        assert found[1] == BY_NAME[name].unset, name
