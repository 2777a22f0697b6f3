# SPDX-License-Identifier: BSD-3-Clause
"""Lines of the program's source around a call, where the file is there when the page is written."""

import os
import stat
from typing import NamedTuple

AROUND = 3
LENGTH_MAX = 160
FILE_MAX = 4 << 20
# A report may come from anywhere and pages are passed on: nothing but sources of programs is read for one.
ENDINGS = (
    *(".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".h", ".hh", ".hpp", ".hxx", ".inc", ".ipp"),
    *(".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".jl", ".py", ".pyx", ".rs", ".chpl"),
)


class SourceLine(NamedTuple):
    """A line, and whether the call is in it."""

    number: int
    text: str
    is_call: bool


def excerpt(path: str, line: int) -> list[SourceLine]:
    """Give the lines around one; none where the file is no source, is not readable, or is shorter."""
    if line <= 0 or os.path.splitext(path)[1].lower() not in ENDINGS or not os.path.isabs(path) or "\0" in path:
        return []
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > FILE_MAX:
            return []
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    if line > len(lines):
        return []
    begin, end = max(1, line - AROUND), min(len(lines), line + AROUND)
    return [
        SourceLine(number, lines[number - 1].expandtabs(4)[:LENGTH_MAX], number == line)
        for number in range(begin, end + 1)
    ]
