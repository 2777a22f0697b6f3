# SPDX-License-Identifier: BSD-3-Clause
"""What the summary's writer, a rank or a program of its own, is to know of the user's screen and command line."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence

BARS = "THALWEG_BARS"
KEEPING = "THALWEG_KEEPING"
REPORT_NAME = "THALWEG_REPORT_NAME"
_LOCALES = ("LC_ALL", "LC_CTYPE", "LANG")


def shows_bars(environment: Mapping[str, str]) -> bool:
    """Tell whether stderr is a terminal on which block characters of UTF-8 can be seen."""
    if not sys.stderr.isatty() or environment.get("TERM", "dumb") == "dumb":
        return False
    locale = next((environment[name] for name in _LOCALES if environment.get(name)), "")
    # Python itself sets LC_CTYPE=C.UTF-8 where nothing else is set; a terminal of today shows it.
    return "utf" in (environment.get("PYTHONIOENCODING") or locale).lower()


def bars(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the variable that asks for bars in the summary, where they can be seen."""
    return {BARS: "1"} if shows_bars(environment) else {}


def keeping(words: Sequence[str]) -> dict[str, str]:
    """Give the variable with the same command, but that it writes a page; the summary names it as the next one.

    `words` stand behind `thalweg run`. Launchers hand the variable on to the ranks of this host, and others do without.
    """
    return {KEEPING: shlex.join(["thalweg", "run", "--html", "run.html", *words])}


def report_name(report: str) -> dict[str, str]:
    """Give the variable with the shorter name of the report's file: from the working folder, or from the root."""
    return {REPORT_NAME: min(os.path.relpath(report), os.path.abspath(report), key=len)} if report else {}
