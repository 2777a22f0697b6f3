"""Every file includes what it uses: it compiles without the headers that the build precompiles for it."""

import json
import os
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


def message(entry: dict[str, str]) -> str:
    """Compile one file as far as finding names and types; give what the compiler says."""
    words = [*without_precompiled(shlex.split(entry["command"])), "-fsyntax-only"]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True, check=False)
    return f"{entry['file']}\n{done.stderr[:1000]}" if done.returncode else ""


@pytest.mark.exhaustive
def test_files_include_what_they_use() -> None:
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    compiled = [entry for entry in entries if entry["file"].endswith(".cpp")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert [text for text in pool.map(message, compiled) if text] == []
