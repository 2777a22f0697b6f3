# SPDX-License-Identifier: BSD-3-Clause
"""Tuning files, with the command's own errors."""

import sys
from collections.abc import Sequence

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError

FINGERPRINT_LINES = 8


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
