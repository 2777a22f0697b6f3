# SPDX-License-Identifier: BSD-3-Clause
"""Every file includes what it uses: it compiles without the headers that the build precompiles for it."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

BUILD = Path(__file__).resolve().parents[2] / "build"


def without_precompiled(words: list[str]) -> Iterator[str]:
    """Leave out what CMake adds for precompiled headers, and what would write a file."""
    previous = ""
    for word in words:
        if word == "-include" or "cmake_pch" in word or word in ("-Winvalid-pch", "-o") or previous == "-o":
            previous = word
            continue
        previous = word
        yield word


def sources(entry: dict[str, str]) -> list[str]:
    """Name what a command compiles: its file, or all of those that CMake has it compile at once."""
    file = entry["file"]
    return re.findall(r'#include "(.+)"', Path(file).read_text()) if "/Unity/" in file else [file]


def message(entry: dict[str, str], source: str) -> str:
    """Compile one file as far as finding names and types; give what the compiler says."""
    words = [source if word == entry["file"] else word for word in shlex.split(entry["command"])]
    words = [*without_precompiled(words), "-fsyntax-only"]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True, check=False)
    return f"{source}\n{done.stderr[:1000]}" if done.returncode else ""


@pytest.mark.exhaustive
def test_files_include_what_they_use() -> None:
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    compiled = [(entry, source) for entry in entries for source in sources(entry) if source.endswith(".cpp")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert [text for text in pool.map(lambda pair: message(*pair), compiled) if text] == []


@pytest.mark.exhaustive
def test_editors_see_each_file_by_itself(tmp_path: Path) -> None:
    root = BUILD.parent
    subprocess.run(["cmake", "--preset", "dev", "-B", tmp_path], cwd=root, capture_output=True, check=True)
    entries = json.loads((tmp_path / "compile_commands.json").read_text())
    compiled = {os.path.realpath(entry["file"]) for entry in entries}
    tracked = subprocess.run(["git", "ls-files", "src/*.cpp"], cwd=root, capture_output=True, text=True, check=True)
    assert [file for file in tracked.stdout.split() if os.path.realpath(root / file) not in compiled] == []
    assert not any("/Unity/" in entry["file"] or "cmake_pch" in entry["command"] for entry in entries)
