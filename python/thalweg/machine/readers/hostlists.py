"""Slurm's lists of names: n[001-016,020], rack[1-2]-n[0-3],login."""

import re
from typing import NoReturn

from thalweg.errors import SETTINGS, ThalwegError

NAMES_MAX = 1_000_000
_SHOWN = 60
_PART = re.compile(r"[^\[\],\s]+|\[[^\[\]]*\]")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def expand(text: str) -> list[str]:
    """Write out a list's names, in its order. Raises ThalwegError where it is none, or names too many."""
    names: list[str] = []
    for item in _items(text):
        fresh = [""]
        for part in _PART.findall(item):
            ends = _numbers(text, part[1:-1]) if part.startswith("[") else [part]
            if len(names) + len(fresh) * len(ends) > NAMES_MAX:
                _refuse(text, f"has more than {NAMES_MAX} names")
            fresh = [name + end for name in fresh for end in ends]
        names += fresh
    return names


def _items(text: str) -> list[str]:
    """Cut at the commas that are in no brackets."""
    items, depth, begin = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if depth not in {0, 1} or letter.isspace():
            _refuse(text, "has brackets or blanks that do not belong there")
        if letter == "," and not depth:
            items.append(text[begin:index])
            begin = index + 1
    items.append(text[begin:])
    if depth or not all(items):
        _refuse(text, "is not complete")
    return items


def _numbers(text: str, ranges: str) -> list[str]:
    numbers: list[str] = []
    for one in ranges.split(","):
        match = _RANGE.fullmatch(one)
        if match is None or not one.isascii():
            _refuse(text, f"has '{one}' in brackets")
        first, last = match[1], match[2] or match[1]
        if int(last) < int(first) or int(last) - int(first) >= NAMES_MAX:
            _refuse(text, f"has the range '{one}'")
        numbers += [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
    return numbers


def _refuse(text: str, why: str) -> NoReturn:
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    raise ThalwegError(SETTINGS, f"the list of names '{shown}' {why}", "write n[001-016,020],login")
