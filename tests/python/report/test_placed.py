# SPDX-License-Identifier: BSD-3-Clause
"""The part on placing names the machine file whose figures the job had."""

import os
from pathlib import Path

import pytest
from report_pages import whole_document

from thalweg.machine import files
from thalweg.report.placed import placing_of
from thalweg.report.run_report import report_of

FINGERPRINT = ["AMD EPYC", "2", "", "6.18", "MPICH 4.0.2", "shm", "4", "1"]


@pytest.mark.parametrize("is_probed", [True, False])
def test_the_machine_file_is_named_where_there_is_one(
    *, is_probed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = files.file_of(FINGERPRINT, os.environ)
    if is_probed:
        path.parent.mkdir(parents=True)
        path.write_text("")
    placing = placing_of(report_of(whole_document(fingerprint=FINGERPRINT)))
    assert placing is not None
    assert dict(placing.facts).get("machine file") == (str(path) if is_probed else None)
