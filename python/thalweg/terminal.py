# SPDX-License-Identifier: BSD-3-Clause
"""What commands print, fitted to where it goes: wrapped on a terminal, whole lines in files and pipes."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

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

    is_screen = sys.stdout.isatty()
    width = None if is_screen else _WIDTH_OF_FILES
    return Output(soft_wrap=not is_screen, highlight=False, emoji=False, markup=False, width=width)


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, texts: Collection[int] = (0,)) -> None:
    """Print a table; columns whose numbers are in `texts` stand on the left, and figures on the right.

    On a narrow terminal cells take several rows, but for those of the first column, and nothing of them is cut off.
    """
    from rich.table import Table  # noqa: PLC0415 - slow, as its console

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for number, heading in enumerate(headings):
        justify: Literal["left", "right"] = "left" if number in texts else "right"
        table.add_column(heading, justify=justify, overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*row)
    output_console().print(table)


def print_next(command: str) -> None:
    """Print the command that helps next, as the last line: on stdout for people, who read a terminal, else on stderr.

    Programs that read stdout find nothing there but what they asked for.
    """
    print(f"next: {command}", file=sys.stdout if sys.stdout.isatty() else sys.stderr)


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
