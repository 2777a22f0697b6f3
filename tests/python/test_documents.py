"""Generated documents are those of the command as it is."""

import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from thalweg.documentation.__main__ import documents

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("name", "text"), list(documents().items()), ids=lambda value: value if "\n" not in value else ""
)
def test_documents_are_up_to_date(name: str, text: str) -> None:
    assert (DOCS / name).read_text() == text, "run: make man"


def test_the_example_of_teams_is_the_one_that_is_run() -> None:
    program = textwrap.indent((ROOT / "tests" / "team" / "page.cpp").read_text(), "    ")
    assert program in (DOCS / "teams.md").read_text()


def test_man_pages_are_roff() -> None:
    groff = shutil.which("groff")
    for path in sorted((DOCS / "man").glob("*.1")):
        text = path.read_text()
        assert text.startswith(".TH THALWEG")
        assert ".SH EXIT STATUS" in text
        if groff:
            result = subprocess.run([groff, "-man", "-ww", "-z", str(path)], capture_output=True, text=True, check=True)
            assert result.stderr == ""
