# SPDX-License-Identifier: BSD-3-Clause
"""The walk of one call through the sources: the functions that it enters, each once, in the order of a reader.

A stop is a function that the call is passed to, with a body to read. Functions of at most WORD_LINES_MAX lines are
words of a sentence ("is it known?"), which nobody opens a file for. Stops in one file that follow each other are one
stay; a stay in a file that the walk has left before is a return.
"""

import subprocess
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from house import cpp

WORD_LINES_MAX = 4


@dataclass(frozen=True)
class Stop:
    """A function that the walk enters: its file, its head up to the body, and how many lines it has."""

    file: str
    head: str
    lines: int


@dataclass(frozen=True)
class Walk:
    """Stays in files, in order."""

    stays: list[str]

    @property
    def files(self) -> list[str]:
        """The files in the order of their first stay."""
        return list(dict.fromkeys(self.stays))

    @property
    def returns(self) -> list[str]:
        """The stays in files that were left before."""
        return [file for at, file in enumerate(self.stays) if file in self.stays[:at]]


def walk_of(stops: list[Stop], passed: str = "") -> Walk:
    """Give the stays of a walk: of all functions, or of those that take something of the type `passed`."""
    read = (stop.file for stop in stops if stop.lines > WORD_LINES_MAX and passed in stop.head)
    return Walk([file for file, _ in groupby(read)])


def addresses(recorded: str) -> dict[str, list[str]]:
    """Give the addresses of each module, from lines "module address"."""
    modules: dict[str, list[str]] = {}
    for line in recorded.splitlines():
        module, _, address = line.rpartition(" ")
        modules.setdefault(module, []).append(address)
    return modules


def places(recorded: str, root: Path) -> list[tuple[str, int]]:
    """Say in which file and line each recorded function begins; those outside of the sources are left out."""
    found: dict[tuple[str, str], tuple[str, int]] = {}
    for module, there in addresses(recorded).items():
        command = ["addr2line", "--exe", module, *there]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        for address, line in zip(there, lines, strict=True):
            path, _, number = line.split(" ")[0].rpartition(":")
            resolved = Path(path).resolve()
            if path.startswith("/") and number.isdigit() and resolved.is_relative_to(root):
                found[module, address] = (str(resolved.relative_to(root)), int(number))
    order = [line.rpartition(" ")[::2] for line in recorded.splitlines()]
    return [found[key] for key in order if key in found]


def stops(recorded: str, root: Path) -> list[Stop]:
    """Give the stops of a recorded walk, with their heads and sizes as the parser sees them."""
    functions: dict[str, list[cpp.Function]] = {}
    result = []
    for file, line in places(recorded, root):
        if file not in functions:
            functions[file] = cpp.functions_of(cpp.parse((root / file).read_text()))
        around = [one for one in functions[file] if one.first <= line <= one.last]
        if around:
            inner = max(around, key=lambda one: one.first)
            result.append(Stop(file, inner.head, inner.last - inner.first + 1))
    return result
