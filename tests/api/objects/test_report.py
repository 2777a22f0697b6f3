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


def test_the_report_has_the_loads_of_ranks_before_each_fence(tmp_path: Path) -> None:
    """As the program's own answer has their imbalance."""
    report = tmp_path / "report.json"
    mode = Mode("loads", preload=True, settings={"THALWEG_REPORT": str(report)})
    words = [str(BUILD / "examples" / "stencil3d_objects-openmpi"), "--uneven", "8", "--steps", "12", "--period", "3"]
    result = run(named("openmpi4"), 3, words, mode)
    assert result.status == 0, result.explain()
    streams = [one for one in json.loads(report.read_text())["streams"] if one["source"] == "objects"]
    loads = [load for one in streams for load in one.get("loads", [])]
    assert [load["number"] for load in loads] == [1, 2, 3, 4]
    printed = next(word for word in result.out.split() if word.startswith("imbalances=")).partition("=")[2]
    for load, imbalance in zip(loads, printed.split(","), strict=True):
        of_ranks = load["load_ns_of_ranks"]
        assert len(of_ranks) == 3
        assert (sum(of_ranks), max(of_ranks)) == (load["total"]["load_ns"], load["max_of_a_rank"]["load_ns"])
        assert load["total"]["left"] == load["total"]["entered"]
        assert abs(3 * max(of_ranks) / sum(of_ranks) - float(imbalance)) < 0.02
