# SPDX-License-Identifier: BSD-3-Clause
"""The report of a program with objects says how calls in brackets went, and why."""

import json
import subprocess
from pathlib import Path

from jobs import BUILD, Mode, run
from mpis import named

from thalweg_labs.demo.site import thalweg_command

PROGRAM = BUILD / "examples" / "molecules-openmpi"
OPTIONS = ("--transposes", "auto", "--steps", "12", "--period", "4", "--verify", "no")


def test_the_report_says_what_fences_chose(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    mode = Mode("report", preload=True, settings={"THALWEG_REPORT": str(report), "THALWEG_SUMMARY": "1"})
    result = run(named("openmpi4"), 3, [str(PROGRAM), *OPTIONS], mode)
    assert result.status == 0, result.explain()
    remarks = [
        remark
        for stream in json.loads(report.read_text())["streams"]
        if stream["source"] == "objects"
        for remark in stream.get("remarks", [])
    ]
    chosen = [remark for remark in remarks if " of 3 ranks, " in remark and " predicted" in remark]
    assert any(remark.startswith("association 0 of ") for remark in chosen), remarks
    assert chosen[0] in result.err
    command = [*thalweg_command(), "tune", "explain", "--details", str(report)]
    assert chosen[0] in subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
