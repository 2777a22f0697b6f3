"""Generated documents are those of the command as it is."""

import shutil
import subprocess
from pathlib import Path

import pytest

from thalweg.documentation.__main__ import documents

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


@pytest.mark.parametrize(
    ("name", "text"), list(documents().items()), ids=lambda value: value if "\n" not in value else ""
)
def test_documents_are_up_to_date(name: str, text: str) -> None:
    assert (DOCS / name).read_text() == text, "run: make man"


def test_man_pages_are_roff() -> None:
    groff = shutil.which("groff")
    for path in sorted((DOCS / "man").glob("*.1")):
        text = path.read_text()
        assert text.startswith(".TH THALWEG")
        assert ".SH EXIT STATUS" in text
        if groff:
            result = subprocess.run([groff, "-man", "-ww", "-z", str(path)], capture_output=True, text=True, check=True)
            assert result.stderr == ""
