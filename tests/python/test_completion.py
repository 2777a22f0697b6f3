# SPDX-License-Identifier: BSD-3-Clause
"""Shells' completion: words that bash cuts, and what it puts in their place."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg.cli.bash_completion import joined

WORDS = st.lists(st.from_regex(r"[a-z0-9,]+([=:][a-z0-9,]+)*[=:]?", fullmatch=True), min_size=1, max_size=6)


def _cut(word: str) -> list[str]:
    """As bash does: runs of break characters are words."""
    return re.findall(r"[=:]+|[^=:]+", word)


@given(words=WORDS)
def test_words_that_are_cut_are_joined(words: list[str]) -> None:
    # A word that ends in a break character is the last one: bash does not tell it from one that goes on.
    words = [*(word.rstrip("=:") or "a" for word in words[:-1]), words[-1]]
    line = joined([part for word in words for part in _cut(word)])
    assert [*line.words, line.before + line.part] == words
    assert not re.search(r"[=:]", line.part)


@given(words=WORDS)
def test_an_options_value_is_a_word_of_its_own(words: list[str]) -> None:
    value = words[-1]
    assert joined(["thalweg", "run", "--use", "=", *_cut(value)]) == joined(["thalweg", "run", "--use", *_cut(value)])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("run --use allreduce = ri", ["ring"]),
        ("run --use = allreduce = ri", ["ring"]),
        ("run --use allreduce=ri", ["allreduce=ring"]),  # where = is no break character
        ("run --wait = s", ["spin"]),
        ("run --use allreduce = ring --learn-b", ["--learn-budget"]),
        ("run --use allreduce = nothing", []),
        ("strategies show allreduce ri", ["ring"]),
        ("strateg", ["strategies"]),
        ("strategies v", ["verify"]),
        ("strategies al", ["allreduce", "allgather", "alltoall"]),
        ("simulate net", ["network"]),
        ("tune --bud", ["--budget"]),
        ("place m", ["map"]),
    ],
)
def test_bash_completes(environment: dict[str, str], tmp_path: Path, words: str, expected: list[str]) -> None:
    command = tmp_path / "thalweg"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m thalweg "$@"\n')
    command.chmod(0o755)
    script = f"""
PATH={tmp_path}:$PATH
COMP_WORDS=(thalweg {words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
eval "$(_THALWEG_COMPLETE=source_bash thalweg)"
_thalweg_completion thalweg
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.stdout.split() == expected, done.stderr
