# SPDX-License-Identifier: BSD-3-Clause
"""The same lines twice: pairs of places that agree for at least six lines, once blanks and comments are left out."""

import re
from collections import defaultdict
from itertools import combinations

from house.sources import Source

LINES_MIN = 6
# Lines that files share because of the language or the license, and not because somebody copied them.
LEFT_OUT = re.compile(r"^(?:[{}()\[\];,]*|#\s*(?:include|pragma)\b.*|(?:from|import|using)\b.*|namespace [\w:]+ \{)$")


def normal_lines(file: Source) -> list[tuple[int, str]]:
    """Give the lines that count, each with its number: without comments, and with single blanks."""
    comment = r"#.*" if file.name.endswith(".py") else r"//.*"
    lines = ((number, re.sub(comment, "", line)) for number, line in enumerate(file.text.splitlines(), 1))
    short = ((number, " ".join(line.split())) for number, line in lines)
    return [(number, line) for number, line in short if not LEFT_OUT.match(line)]


def pairs(files: list[Source]) -> list[tuple[str, str, int]]:
    """Give each pair of places that agree, as `file:line` twice and the number of lines; overlapping ones are one."""
    texts = [normal_lines(file) for file in files]
    windows: defaultdict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for index, lines in enumerate(texts):
        for begin in range(len(lines) - LINES_MIN + 1):
            windows[tuple(line for _, line in lines[begin : begin + LINES_MIN])].append((index, begin))
    agree = {pair for places in windows.values() for pair in combinations(places, 2)}
    found = []
    for one, other in sorted(agree):
        if ((one[0], one[1] - 1), (other[0], other[1] - 1)) in agree:
            continue  # inside of a longer pair
        length = LINES_MIN
        while ((one[0], one[1] + length - LINES_MIN + 1), (other[0], other[1] + length - LINES_MIN + 1)) in agree:
            length += 1
        here, there = (f"{files[place[0]].name}:{texts[place[0]][place[1]][0]}" for place in (one, other))
        found.append((here, there, length))
    return found
