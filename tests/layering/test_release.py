# SPDX-License-Identifier: BSD-3-Clause
"""The version stands in CMakeLists.txt, and whatever repeats it agrees; tools are pinned as they are needed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r"^project\(Thalweg VERSION (\d+\.\d+\.\d+) ", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)


def version() -> str:
    assert VERSION
    return VERSION[1]


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("CHANGELOG.md", r"\A.*?^## (\d+\.\d+\.\d+) - (?:in preparation|\d{4}-\d\d-\d\d)$"),
        ("CITATION.cff", r"^version: (\S+)$"),
        ("docs/README.md", r"^These pages are those of version (\d+\.\d+\.\d+)[ ;,.]"),
    ],
)
def test_all_say_the_same_version(file: str, pattern: str) -> None:
    found = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE | re.DOTALL)
    assert found
    assert found[1] == version()


def test_foreign_projects_of_the_tests_ask_for_it() -> None:
    found = re.search(
        r"find_package\(Thalweg (\S+) ", (ROOT / "tests" / "install" / "project" / "CMakeLists.txt").read_text()
    )
    assert found
    assert version().startswith(f"{found[1]}.")


def test_the_newest_version_comes_first() -> None:
    found = re.findall(r"^## (\d+)\.(\d+)\.(\d+) - ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    numbers = [tuple(map(int, one)) for one in found]
    assert numbers == sorted(set(numbers), reverse=True)
    assert len(numbers) > 1


def pins() -> dict[str, str]:
    lines = (ROOT / "scripts" / "development-packages.lock").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_every_tool_is_pinned_as_it_is_needed() -> None:
    script = ROOT / "scripts" / "development-packages"
    listed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout.splitlines()
    assert listed
    for line in listed:
        needed = Requirement(line)
        if needed.marker is not None and not needed.marker.evaluate():
            continue  # for an older Python
        assert needed.name in pins(), f"make lock: {needed.name} is not in the lock"
        assert pins()[needed.name] in needed.specifier, f"make lock: {line} is not {pins()[needed.name]}"
