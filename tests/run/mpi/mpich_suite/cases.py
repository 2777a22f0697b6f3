# SPDX-License-Identifier: BSD-3-Clause
"""The tests' lists: which program runs on how many ranks, and whether it passed."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """A line of a list: a program of a folder, its ranks and arguments."""

    folder: str
    program: str
    ranks: int
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write it as one starts it."""
        return " ".join([f"{self.folder}/{self.program}", f"on {self.ranks}", *self.arguments])


def cases(built: Path, source: Path, folder: str) -> list[Case]:
    """Read the list of a folder; programs that did not compile are left out."""
    found = []
    lists = [path for path in (built / folder / "testlist", source / folder / "testlist") if path.exists()]
    for line in lists[0].read_text().splitlines():
        words = line.split()
        if len(words) < 2 or line.startswith("#") or not (built / folder / words[0]).exists():
            continue
        arguments = tuple(word.removeprefix("arg=") for word in words[2:] if word.startswith("arg="))
        found.append(Case(folder, words[0], int(words[1]), arguments))
    return found


def has_passed(status: int, out: str) -> bool:
    """Tell whether a run was right: every program says so on one line."""
    return status == 0 and "No Errors" in out
