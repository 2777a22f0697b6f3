# SPDX-License-Identifier: BSD-3-Clause
"""Output that fits where it goes, errors of the output itself, and interrupts."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import Command
from thalweg.errors import FILES, USAGE
from thalweg.terminal import wrapped
from thalweg.tune.explain import tune_command
from thalweg.units import count_text
from thalweg.words import did_you_mean

WORDS = st.lists(st.text("abc/:=,-", min_size=1, max_size=40), min_size=1, max_size=30)


@given(words=WORDS, indent=st.integers(0, 6), width=st.integers(20, 200))
def test_wrapping_loses_nothing(words: list[str], indent: int, width: int) -> None:
    line = " " * indent + " ".join(words)
    rows = wrapped(line, width).splitlines()
    assert [word for row in rows for word in row.split()] == words
    assert all(row.startswith(" " * (indent + 2)) for row in rows[1:])
    # Only what is one word may be longer than a row.
    assert all(len(row) <= max(width, indent + 20) or len(row.split()) == 1 for row in rows)


def test_counts_have_singulars() -> None:
    assert [count_text(count, "rank") for count in (0, 1, 2)] == ["0 ranks", "1 rank", "2 ranks"]


def test_near_words_are_named() -> None:
    assert did_you_mean("allredce", ["alltoall", "allreduce"]) == "; did you mean allreduce?"
    assert not did_you_mean("xyz", ["alltoall", "allreduce"])


def test_the_command_that_tunes_takes_sizes_that_trials_take() -> None:
    assert (
        tune_command(4, {"scan", "allreduce"}, {0, 4, 8, 100}) == "thalweg tune -n 4 --ops allreduce,scan --bytes 8,104"
    )
    assert tune_command(2, {"barrier"}, {0}) == "thalweg tune -n 2 --ops barrier"


def test_nothing_is_cut_off_in_pipes(thalweg: Command) -> None:
    """What `--use` takes stands in the table as a whole, however narrow a terminal would be."""
    result = thalweg("tune", "explain", "allreduce", "--bytes", "1MiB", "-n", "64", "--ranks-per-node", "16")
    assert result.returncode == 0, result.stderr
    assert "two_level_scatter:reduce_scatter=direct,across=swing,allgather=direct" in result.stdout
    assert result.stderr == "next: thalweg tune -n 64 --ops allreduce --bytes 1048576\n"


def test_a_wrong_collective_is_told_before_anything_is_printed(thalweg: Command) -> None:
    result = thalweg("tune", "explain", "allredce")
    assert (result.returncode, result.stdout) == (USAGE.number, "")
    assert "'allredce' is no collective; did you mean allreduce?" in result.stderr


@pytest.mark.parametrize("words", [("tune", "explain", "allreduce"), ("machine", "torus:2x2"), ("strategies",)])
def test_terminals_that_lack_letters_get_others(thalweg: Command, words: tuple[str, ...]) -> None:
    result = thalweg(*words, variables={"PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0, result.stderr
    assert result.stdout.isascii()


@pytest.mark.parametrize(
    "words", [("strategies",), ("machine", "torus:2x2"), ("tune", "explain", "allreduce"), ("--help",)]
)
def test_a_full_disk_is_one_line(environment: dict[str, str], words: tuple[str, ...]) -> None:
    """/dev/full takes nothing, as a full disk does; it is only written to."""
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "thalweg", *words],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=240,
        )
    assert (result.returncode, result.stderr) == (FILES.number, "thalweg: No space left on device\n")


@pytest.mark.parametrize("words", [("strategies",), ("config",), ("--help",)])
def test_a_reader_that_has_seen_enough_ends_it(environment: dict[str, str], words: tuple[str, ...]) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "thalweg", *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.close()
    assert child.communicate(timeout=240)[1] == b""
    assert child.returncode == 128 + signal.SIGPIPE


@pytest.mark.parametrize("words", [("strategies", "alltoall"), ("config",)])
def test_a_terminals_rows_are_cut_between_words(environment: dict[str, str], words: tuple[str, ...]) -> None:
    child, terminal = pty.fork()
    if child == 0:
        command = [sys.executable, "-m", "thalweg", *words]
        os.execve(sys.executable, command, environment | {"COLUMNS": "80", "TERM": "dumb"})
    shown = b""
    with contextlib.suppress(OSError):  # which ends it
        while part := os.read(terminal, 1 << 16):
            shown += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    rows = shown.decode().splitlines()
    assert len(rows) > 10
    assert max(map(len, rows)) <= 80


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("map_tasks", ("place", "map", "pairs.csv", "--machine", "torus:8x8", "--seconds", "3600")),
        ("prove", ("strategies", "verify", "--ops", "alltoall", "--ranks", "1-400")),
        ("PacketNetwork", ("simulate", "network", "--network", "tree:16^2", "--packets", "999999999")),
        ("strategy_program", ("simulate", "alltoall", "direct", "--ranks", "4096", "--machine", "torus:16x16x16")),
    ],
    ids=["map", "verify", "network", "program"],
)
def test_interrupts_end_long_commands(
    environment: dict[str, str], tmp_path: Path, function: str, words: tuple[str, ...], number: signal.Signals
) -> None:
    """Ctrl-C and a manager's signal end what computes in the core, which would go on for an hour."""
    rows = [[100 if to == (task * 7 + 3) % 64 else 0 for to in range(64)] for task in range(64)]
    (tmp_path / "pairs.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    started = tmp_path / "started"
    # It says when the core is at work, so that the interrupt finds it there.
    script = f"""
import pathlib, sys, thalweg._core as core
function = core.{function}
def announced(*words, **named):
    pathlib.Path({str(started)!r}).touch()
    return function(*words, **named)
core.{function} = announced
from thalweg.__main__ import main
sys.exit(main())
"""
    child = subprocess.Popen(
        [sys.executable, "-c", script, *words],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads yet
    )
    try:
        while not started.exists():
            assert child.poll() is None, child.communicate()
            time.sleep(0.01)
        child.send_signal(number)
        _, errors = child.communicate(timeout=240)
        assert child.returncode == 128 + number, errors
        assert b"Traceback" not in errors
    finally:
        child.kill()
        child.communicate()
