# SPDX-License-Identifier: BSD-3-Clause
"""Long work shows that it goes on where stderr is no terminal, and ends soon when it is interrupted."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from thalweg import progress
from thalweg.progress import ProgressLines, meanwhile

COMMANDS = [
    ("strategies", "verify", "--ops", "alltoall", "--ranks", "1-400"),
    ("place", "map", "pairs.mtx", "--machine", "torus:8x8", "--seconds", "3000"),
]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("thalweg.progress.time.monotonic", lambda: now[0])
    return now


def test_lines_come_now_and_then(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    lines = ProgressLines()
    for second in range(22):
        clock[0] = second
        lines.show(f"at {second}")
    assert capsys.readouterr().err.splitlines() == [f"thalweg: at {second}" for second in (5, 10, 15, 20)]


def test_brief_work_has_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    with meanwhile("looking", 0):
        pass
    assert capsys.readouterr().err == ""


def test_work_that_shows_nothing_itself_has_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.01)
    shown = ""
    with meanwhile("looking", 60):
        while "\n" not in shown:
            shown += capsys.readouterr().err
            time.sleep(0.01)
    assert shown.startswith("thalweg: looking, about 60 s: ")


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[1])
def test_an_interrupt_ends_it_while_it_works(
    environment: dict[str, str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    """As soon as it has shown a sign of life: work that would take an hour."""
    entries = "".join(f"{1 + rank} {1 + (rank * 7 + 3) % 64} {rank + 1}\n" for rank in range(64))
    (tmp_path / "pairs.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n64 64 64\n{entries}")
    whole = [sys.executable, "-m", "thalweg", *words]
    with subprocess.Popen(whole, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as job:
        assert job.stderr is not None
        assert job.stderr.readline().startswith("thalweg: ")
        job.send_signal(signal.SIGINT)
        assert job.wait(timeout=240) == 128 + signal.SIGINT
        assert "Traceback" not in job.stderr.read()
