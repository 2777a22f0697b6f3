# SPDX-License-Identifier: BSD-3-Clause
"""Which files are measured, and the room that each belongs to."""

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path

CPP = (".cpp", ".hpp", ".c", ".h")
SMALL_LINES = 40
# The license's line, and the blank one behind it (scripts/license): nobody reads them as a part of a file.
LICENSE = re.compile(r"\A(#!.*\n)?.*SPDX-License-Identifier: .*\n\n?")


def line_count(text: str) -> int:
    """Count a text's lines without the license's."""
    return len(LICENSE.sub(r"\1", text).splitlines())


def include_name(name: str) -> str:
    """Give the name by which others include a file: from its room on, wherever the room's building stands.

    A building with one room is that room (nic). Public headers begin at include/.
    """
    top, *rest = name.split("/")
    if top == "src" and rest[0] != "nic":
        rest = rest[1:]
    return "/".join(rest)


@dataclass(frozen=True)
class Source:
    """A file, by its path below the root."""

    root: Path
    name: str

    @cached_property
    def text(self) -> str:
        """Give its text; a byte that is none is replaced, as nothing here depends on it."""
        return (self.root / self.name).read_text(errors="replace")

    @property
    def lines(self) -> int:
        """Count its lines."""
        return line_count(self.text)

    @property
    def room(self) -> str:
        """Name the folders that hold it: `src/run/mpi`, `python/thalweg/cli`, `docs`; or what there is of them."""
        folders = self.name.split("/")[:-1]
        return "/".join(folders[: 3 if folders[:1] in (["python"], ["src"], ["tests"]) else 2]) or "."

    def is_in(self, *folders: str) -> bool:
        """Say whether it lies in one of some folders."""
        return self.name.startswith(tuple(f"{folder}/" for folder in folders))


def tracked(root: Path, *patterns: str) -> list[Source]:
    """List the files that Git knows and that are there."""
    command = ["git", "ls-files", *patterns]
    listing = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return [Source(root, name) for name in listing.stdout.splitlines() if (root / name).is_file()]


def cpp_of(files: Iterable[Source], *folders: str) -> list[Source]:
    """Give the files of C and C++ in some folders."""
    return [file for file in files if file.name.endswith(CPP) and file.is_in(*folders)]


def python_of(files: Iterable[Source], *folders: str) -> list[Source]:
    """Give the files of Python in some folders."""
    return [file for file in files if file.name.endswith(".py") and file.is_in(*folders)]


def percentile(values: list[int], share: float) -> int:
    """Give the least value that a share of all does not exceed; 0 where there is none."""
    return sorted(values)[ceil(share * len(values)) - 1] if values else 0


def file_figures(files: list[Source]) -> dict[str, float]:
    """Say how many files there are, and how long they are."""
    lengths = [file.lines for file in files]
    small = sum(length <= SMALL_LINES for length in lengths)
    return {
        "files": len(files),
        "lines": sum(lengths),
        "lines_median": percentile(lengths, 0.5),
        "lines_p90": percentile(lengths, 0.9),
        "lines_max": percentile(lengths, 1),
        "files_per_10000_lines": round(1e4 * len(files) / max(1, sum(lengths))),
        "small_files_percent": round(100 * small / max(1, len(files))),
    }


def rooms_of(files: list[Source]) -> dict[str, dict[str, int]]:
    """Count files and lines of each room."""
    rooms: dict[str, dict[str, int]] = {}
    for file in files:
        room = rooms.setdefault(file.room, {"files": 0, "lines": 0})
        room["files"] += 1
        room["lines"] += file.lines
    return dict(sorted(rooms.items()))


def length_figures(lengths: list[int]) -> dict[str, int]:
    """Say how long functions are."""
    shares = {"median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1}
    return {
        "functions": len(lengths),
        **{f"lines_{name}": percentile(lengths, share) for name, share in shares.items()},
    }
