# SPDX-License-Identifier: BSD-3-Clause
"""What commands print, fitted to where it goes: wrapped on a terminal, whole lines in files and pipes."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_OF_FILES = 10_000
"""Columns where nothing is to be cut: in files and pipes, which programs read too."""


def output_console() -> Console:
    """Give a console for tables on stdout that cuts nothing off outside of terminals.

    A pipe that nobody reads any more raises BrokenPipeError, as it does where Python prints.
    """
    from rich.console import Console  # noqa: PLC0415 - slow, and commands that only print lines do not need it

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    width = None if sys.stdout.isatty() else _WIDTH_OF_FILES
    return Output(soft_wrap=True, highlight=False, emoji=False, markup=False, width=width)


def print_line(line: str) -> None:
    """Print a line; a terminal gets it wrapped between words, indented by two more columns than it began with."""
    print(fitted(line))


def fitted(line: str) -> str:
    """Wrap a line if stdout is a terminal."""
    return wrapped(line, shutil.get_terminal_size().columns) if sys.stdout.isatty() else line


def wrapped(line: str, width: int) -> str:
    """Wrap a line between words. Words that are longer than a row, as paths and strategies, stay whole."""
    indent = len(line) - len(line.lstrip())
    return textwrap.fill(
        line,
        max(width, indent + 20),
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
