# SPDX-License-Identifier: BSD-3-Clause
"""Answers of commands as pages, and thalweg run --html with a real job."""

import json
import re
from pathlib import Path

import pytest

from support import Command, Programs


def ring(folder: Path) -> str:
    path = folder / "ring.mtx"
    entries = [f"{rank + 1} {(rank + 3) % 8 + 1} {1 << 20}" for rank in range(8)]
    path.write_text("\n".join(["%%MatrixMarket matrix coordinate integer general", "8 8 8", *entries, ""]))
    return str(path)


def text_of(page: Path) -> str:
    text = page.read_text()
    assert text.endswith("</html>")
    assert not re.search(r"""src=|href="(?!\#|data:,")""", text)
    return text


def test_a_placement_is_a_page(thalweg: Command, tmp_path: Path) -> None:
    page = tmp_path / "map.html"
    done = thalweg("place", "map", ring(tmp_path), "--machine", "torus:4x2", "--proposals", "100", "--html", str(page))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"page: {page.as_uri()}"
    text = text_of(page)
    for part in ("fewer bytes times hops", "Who talks to whom", "What links carry", "Which rank goes where"):
        assert part in text


def test_advice_is_a_page(thalweg: Command, tmp_path: Path) -> None:
    page = tmp_path / "advice.html"
    words = ["--machine", "torus:4x4", "--ranks-per-node", "1,2", "--seconds", "0.01", "--html", str(page)]
    done = thalweg("place", "advise", ring(tmp_path), *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"page: {page.as_uri()}"
    text = text_of(page)
    shapes = {line.split()[0] for line in done.stdout.splitlines()[1:-1]}
    assert shapes and all(f">{shape}<" in text for shape in shapes)
    alone = thalweg("place", "advise", ring(tmp_path), *words, "--json")
    assert {one["shape"] for one in json.loads(alone.stdout)["allocations"]} == shapes


def test_a_simulation_is_a_page(thalweg: Command, tmp_path: Path) -> None:
    page = tmp_path / "sim.html"
    words = ["allreduce", "ring", "-n", "8", "--machine", "torus:4x2", "--html", str(page)]
    done = thalweg("simulate", *words)
    assert done.returncode == 0, done.stderr
    text = text_of(page)
    for part in ("allreduce ring", "Why this time", "critical path", "Links"):
        assert part in text


def test_an_explanation_is_a_page(thalweg: Command, tmp_path: Path) -> None:
    page = tmp_path / "explain.html"
    done = thalweg("tune", "explain", "allreduce", "--bytes", "64KiB", "-n", "8", "--html", str(page))
    assert done.returncode == 0, done.stderr
    text = text_of(page)
    assert "thalweg tune -n 8 --ops allreduce --bytes 65536" in text
    assert text.count("<tbody>") > 3
    refused = thalweg("tune", "explain", "run.json", "--html", str(page))
    assert refused.returncode == 2 and "thalweg report run.json" in refused.stderr


def test_json_stays_json_beside_a_page(thalweg: Command, tmp_path: Path) -> None:
    page = tmp_path / "sim.html"
    done = thalweg("simulate", "barrier", "dissemination", "-n", "4", "--json", "--html", str(page))
    assert json.loads(done.stdout)["ranks"] == 4
    text_of(page)


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_a_run_leaves_a_page_and_the_report_beside_it(
    thalweg: Command, programs: Programs, tmp_path: Path, family: str
) -> None:
    page = tmp_path / "run.html"
    program = programs.openmpi() if family == "openmpi" else programs.mpich()
    done = thalweg("run", "--no-summary", "--html", str(page), "-n", "2", program, "a word", "7")
    assert done.returncode == 7
    assert f"thalweg: page: {page.as_uri()}" in done.stderr
    assert "a word" in text_of(page)
    assert json.loads((tmp_path / "run.json").read_text())["format"] == "thalweg-report"


def test_a_page_that_cannot_be_written_is_refused_before_the_start(
    thalweg: Command, programs: Programs, tmp_path: Path
) -> None:
    done = thalweg("run", "--html", str(tmp_path / "none" / "run.html"), "-n", "2", programs.openmpi())
    assert done.returncode == 3
    assert "--html" in done.stderr and "does not exist" in done.stderr
    assert "rank" not in done.stdout


def test_a_job_that_leaves_no_report_has_no_page(thalweg: Command, programs: Programs, tmp_path: Path) -> None:
    """The report of an earlier job of that name is not taken for its own."""
    page = tmp_path / "run.html"
    (tmp_path / "run.json").write_text("{}")
    done = thalweg("run", "--html", str(page), "mpirun.openmpi", "--no-such-option", programs.openmpi())
    assert done.returncode != 0
    assert "left no report" in done.stderr
    assert not page.exists()


def test_a_page_is_for_the_command_that_starts_the_job(thalweg: Command, programs: Programs, tmp_path: Path) -> None:
    done = thalweg("run", "--html", str(tmp_path / "run.html"), "-n", "2", "--disable", programs.openmpi())
    assert done.returncode == 3
    assert "no page can be written" in done.stderr


def test_open_needs_a_page(thalweg: Command, programs: Programs) -> None:
    done = thalweg("run", "--open", "-n", "2", programs.openmpi())
    assert done.returncode == 2
    assert "--html run.html" in done.stderr
