# SPDX-License-Identifier: BSD-3-Clause
"""Tuning files, with the command's own errors."""

import sys
from collections.abc import Collection, Sequence

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.trials.cases import OWN_SIZES
from thalweg.units import count_text, size_text

FINGERPRINT_LINES = 8
SOURCE = "tune"
"""Of picks that a search has found."""


def load(path: str) -> list[_core.Tuning]:
    """Read a tuning file; one that does not exist is empty."""
    try:
        return _core.load_tuning(path)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def save(path: str, found: _core.Tuning) -> None:
    """Merge into a tuning file, and say on stderr where one that does not read is kept."""
    try:
        kept = _core.save_tuning(path, found)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    if kept:
        print(f"thalweg: {path} did not read, and is kept as {kept}", file=sys.stderr)


def unusable_reason(path: str) -> str:
    """Say why a tuning file does not read; empty for one that does."""
    try:
        load(path)
    except ThalwegError as error:
        return f"{error.message}; nothing of it is used, and a new file takes its place"
    return ""


def readable(path: str) -> list[_core.Tuning]:
    """Read a tuning file, of which one that does not read has nothing."""
    return [] if unusable_reason(path) else load(path)


def of_job(tuning: Sequence[_core.Tuning], fingerprint: Sequence[str]) -> list[_core.Tuning]:
    """Keep what was measured on a job's machine, in jobs of its shape; nothing for a job that has no fingerprint."""
    if len(fingerprint) != FINGERPRINT_LINES:
        return []
    own = _core.Fingerprint(list(fingerprint)).describe()
    return [one for one in tuning if one.machine.describe() == own]


def disagreeing(tuning: Sequence[_core.Tuning], calls: Collection[str]) -> list[str]:
    """Name nonblocking calls whose picks differ by size although a rank knows its own alone: none takes effect."""
    found: dict[tuple[str, int, int], list[_core.Pick]] = {}
    for pick in (pick for one in tuning for pick in one.nonblocking if pick.source == SOURCE):
        if pick.call in OWN_SIZES and pick.call in calls:
            found.setdefault((pick.call, pick.ranks, pick.nodes), []).append(pick)
    return [
        f"i{call} of {count_text(ranks, 'rank')} on {count_text(nodes, 'node')}: picks for "
        f"{', '.join(size_text(pick.bytes) for pick in picks)} differ, so none takes effect"
        for (call, ranks, nodes), picks in found.items()
        if len({pick.use for pick in picks}) > 1
    ]
