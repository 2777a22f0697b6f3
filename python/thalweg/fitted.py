# SPDX-License-Identifier: BSD-3-Clause
"""Output streams that fit lines to the terminal they go to, whichever way a command prints."""

from __future__ import annotations

import os
from typing import Any, TextIO

_COMMANDS = ("next: ", "page: ", "  thalweg ")
"""How lines begin that are to be pasted: a terminal breaks them itself, and copies them whole."""
_WIDTH_MIN = 20


class Fitted:
    """A stream whose lines are wrapped between words where they are wider than the terminal.

    Lines with control characters, as of tables and progress, are left to whoever fitted them. All but writing is the
    stream's own.
    """

    def __init__(self, stream: TextIO) -> None:
        """Fit what goes to a stream."""
        self._stream = stream
        self._begun = ""

    def __getattr__(self, name: str) -> Any:
        """Give what the stream has, but not its bytes: click prints by these where a terminal knows ASCII alone."""
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write whole lines, and keep the begun one until it ends."""
        lines = (self._begun + text).splitlines(keepends=True)
        self._begun = lines.pop() if lines and not lines[-1].endswith("\n") else ""
        for line in lines:
            self._stream.write(self._fitted(line))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write the begun line too, as it is."""
        begun, self._begun = self._begun, ""
        if begun:
            self._stream.write(begun)
        self._stream.flush()

    def _fitted(self, line: str) -> str:
        if len(line) <= _WIDTH_MIN or not line[:-1].isprintable() or line.startswith(_COMMANDS):
            return line
        width = max(_width(self._stream), _WIDTH_MIN)
        if len(line) - 1 <= width:
            return line
        from thalweg.terminal import wrapped  # noqa: PLC0415 - slow, and most lines fit

        text = line[:-1].lstrip()
        indent = min(len(line) - 1 - len(text), width - _WIDTH_MIN)  # rows have room for words
        return wrapped(" " * indent + text, width) + "\n"


def _width(stream: TextIO) -> int:
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted):
        return int(wanted)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


def fitted(stream: TextIO | None) -> Any:
    """Fit a stream if it is a terminal; a closed one takes what is written and loses it."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    return Fitted(stream) if stream.isatty() else stream
