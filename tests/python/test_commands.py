# SPDX-License-Identifier: BSD-3-Clause
"""The commands other than run: what they print, what they refuse, and their exit statuses."""

import json
import os
import re
from pathlib import Path

import pytest

from support import Command
from thalweg.cli.printing import size_from_text
from thalweg.cli.verify import rank_counts
from thalweg.errors import INSTALLATION, NOT_FOUND, SETTINGS, STATUSES, USAGE, ThalwegError
from thalweg.strategies import all_strategies


def test_version_and_help(thalweg: Command) -> None:
    assert re.fullmatch(r"thalweg \d+\.\d+\.\d+\n", thalweg("--version").stdout)
    for words in (["--help"], ["run", "--help"], ["strategies", "show", "--help"], ["strategies", "verify", "-h"]):
        result = thalweg(*words)
        assert result.returncode == 0
        assert "Usage: thalweg" in result.stdout


def test_strategies_lists_the_index(thalweg: Command) -> None:
    listed = json.loads(thalweg("strategies", "--json").stdout)["strategies"]
    assert [(one["operation"], one["name"]) for one in listed] == [
        (one.operation, one.name) for one in all_strategies()
    ]
    assert all(one["source"] and one["summary"] and one["wins_when"] for one in listed)
    text = thalweg("strategies", "alltoall").stdout
    assert "direct" in text
    assert "native" in text
    assert "allreduce" not in text.splitlines()


def test_show_prints_draws_exports_and_proves(thalweg: Command) -> None:
    words = ("strategies", "show", "alltoall", "direct", "--ranks", "5")
    assert thalweg(*words, "--rank", "3").stdout.startswith("alltoall of 5 ranks, rank 3")
    assert thalweg(*words).stdout.count("alltoall of 5 ranks") == 5
    assert thalweg(*words, "--format", "dot").stdout.startswith("digraph")
    assert thalweg(*words, "--format", "goal", "--bytes", "24").stdout.count("send 24b") == 20
    assert "proven" in thalweg(*words, "--format", "proof").stdout


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["strategies", "show", "alltoal", "direct"], SETTINGS, "alltoal"),
        (["strategies", "show", "alltoall", "dirct"], SETTINGS, "no strategy 'dirct'"),
        (["strategies", "show", "alltoall", "native"], SETTINGS, "native"),
        (["strategies", "show", "alltoall", "direct", "--param", "radix=2"], SETTINGS, "radix"),
        (["strategies", "show", "alltoall", "direct", "--param", "radix"], USAGE, "write NAME=VALUE"),
        (["strategies", "show", "alltoall", "direct", "--rank", "8"], USAGE, "rank 8 of 8 ranks"),
        (["strategies", "show", "alltoall", "direct", "--ranks", "0"], USAGE, "not between 1 and"),
        (["strategies", "show", "alltoall", "direct", "--root", "9"], SETTINGS, "root 9 of 8 ranks"),
        (["strategies", "show", "alltoall", "direct", "--format", "svg"], USAGE, "choose text, dot, goal, proof"),
        (["strategies", "alltoal"], SETTINGS, "no operation 'alltoal'"),
        (["strategies", "verify", "--ranks", "0-3"], USAGE, "out of range"),
        (["strategies", "verify", "--roots", "some"], USAGE, "choose all, sample or auto"),
        (["strategies", "verify", "--strategy", "none"], USAGE, "no strategy is called none"),
        (["strategies", "verify", "--ops", "alltoal"], SETTINGS, "no operation 'alltoal'"),
        (["bench", "collectives", "--ops", "gossip"], USAGE, "gossip cannot be measured"),
        (["bench", "collectives", "--sizes", "big"], USAGE, "'big' is no size"),
        (["run", "-n", "2", "no-such-program"], NOT_FOUND, "no-such-program: there is no such program"),
        (["run", "--use", "alltoall=dirct", "-n", "2", "ls"], SETTINGS, "--use: no strategy 'dirct'"),
        (["run", "--nonsense"], USAGE, "no option --nonsense"),
        (["RUN"], USAGE, "did you mean thalweg run?"),
        ([""], USAGE, "no command ''"),
        (["place", "a b"], USAGE, "no command 'a b'"),
        (["run", "-n", "2", ""], NOT_FOUND, "'': there is no such program"),
    ],
)
def test_what_is_refused(thalweg: Command, words: list[str], status: object, message: str) -> None:
    result = thalweg(*words)
    assert result.returncode == status.number, result.stderr  # type: ignore[attr-defined]
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_names_that_are_no_text_are_refused(thalweg: Command, tmp_path: Path) -> None:
    name = os.fsdecode(b"loads\xff.txt")
    (tmp_path / name).write_text("1 2 3")
    result = thalweg("balance", name)
    assert result.returncode == USAGE.number
    assert r"b'loads\xff.txt' is no UTF-8 text" in result.stderr


def test_verify_proves_and_says_how_much(thalweg: Command) -> None:
    result = thalweg("strategies", "verify", "--ranks", "1-9,17", "--ops", "alltoall", "--strategy", "direct")
    assert result.returncode == 0, result.stderr
    assert re.match(r"proven: 1 strategies, 10 numbers of ranks, \d+ problems in ", result.stdout)


def test_numbers_of_ranks() -> None:
    assert rank_counts("1-4, 9,2") == [1, 2, 3, 4, 9]
    for text in ("", "a", "3-1", "1-", "0", "1-70000"):
        with pytest.raises(ThalwegError):
            rank_counts(text)


def test_sizes() -> None:
    assert [size_from_text(text) for text in ("8", "64KiB", "64k", "1MiB", "2gb")] == [
        8,
        65536,
        65536,
        1 << 20,
        2 << 30,
    ]


def test_statuses_are_distinct() -> None:
    numbers = [status.number for status in STATUSES]
    assert len(set(numbers)) == len(numbers)
    assert INSTALLATION in STATUSES
