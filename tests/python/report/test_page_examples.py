# SPDX-License-Identifier: BSD-3-Clause
"""The Python of the pages runs as a reader copies it, with the inputs that the page speaks of.

Programs with mpi4py are files of their own, which jobs run: test_documents.py holds the pages to them.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_documents import document

import thalweg

DOCS = Path(__file__).resolve().parents[3] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LOADS = np.arange(8, dtype=np.int64)
INPUTS: dict[str, dict[str, Any]] = {
    "balance": {"loads": LOADS, "nodes": LOADS},
    "machines": {"nodes": np.arange(8), "a": [0, 1], "b": [2, 3], "sent_bytes": [1e6, 2e6]},
    "packets": {},
    "placement": {"bytes_from_i_to_j": np.diag(np.ones(63), 1)},
    "python": {},
    "simulation": {"slots": np.arange(512)[::-1]},
}
WITH_MPI = {"balance": 1, "objects": 1, "placing": 1, "streams": 1, "teams": 1}
"""How many blocks of a page need ranks."""


def examples(page: str) -> list[str]:
    return [text for text in BLOCK.findall((DOCS / f"{page}.md").read_text()) if "MPI.COMM_WORLD" not in text]


@pytest.mark.parametrize("page", INPUTS)
def test_the_python_of_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text(json.dumps(document()))
    assert len(examples(page)) == 1
    names = dict(INPUTS[page])
    exec(compile(examples(page)[0], f"{page}.md", "exec"), names)
    found = names.get("found") or names.get("machine") or names.get("run")
    assert type(found).__module__.startswith("thalweg.")
    assert repr(found).startswith("<")
    assert thalweg.__version__


def test_no_python_of_a_page_is_left_out() -> None:
    blocks = {path.stem: BLOCK.findall(path.read_text()) for path in sorted(DOCS.glob("*.md"))}
    assert {page: len(found) for page, found in blocks.items() if found} == {
        page: (page in INPUTS) + WITH_MPI.get(page, 0) for page in {*INPUTS, *WITH_MPI}
    }
