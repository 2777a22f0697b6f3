# SPDX-License-Identifier: BSD-3-Clause
"""Files that users name: one reader and one writer, in the core (src/core/base/files.hpp)."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBER_MAX = 1 << 61
_DIGITS_MAX = 19
_SHOWN = 60


class Place(NamedTuple):
    """A line of a file, for errors."""

    path: str
    line: int

    def refuse(self, problem: str, remedy: str) -> NoReturn:
        """Raise ThalwegError with the file, the line and the remedy."""
        raise ThalwegError(SETTINGS, f"{self.path}:{self.line}: {problem}", remedy)


class Line(NamedTuple):
    """A line of a file that is not empty, without its comment."""

    place: Place
    text: str

    @property
    def words(self) -> list[str]:
        """Give what stands between blanks and commas."""
        return self.text.replace(",", " ").split()


def read_text(path: str | os.PathLike[str], remedy: str = "name a readable file of text") -> str:
    """Read a file of text, without its byte order mark; lines end as on Unix. The name - is standard input's.

    Raises ThalwegError for what cannot be read, with the line for what is no UTF-8 text.
    """
    name = os.fspath(path)
    try:
        data = sys.stdin.buffer.read() if name == "-" and sys.stdin is not None else _core.read_text(name, remedy)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = Place(name, data.count(b"\n", 0, error.start) + 1)
        place.refuse(f"byte {data[error.start]:#x} is no UTF-8 text", remedy)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def lines_of(text: str, path: str, comment: str = "#") -> Iterator[Line]:
    """Yield the lines that have more than a comment."""
    for number, line in enumerate(text.split("\n"), 1):
        kept = line.split(comment, 1)[0].strip()
        if kept:
            yield Line(Place(path, number), kept)


def number_lines(path: str) -> Iterator[Line]:
    """Yield the lines of a file of numbers that have words. Raises ThalwegError."""
    for line in lines_of(read_text(path, "name a readable file of numbers"), path):
        if line.words:
            yield line


def whole_number(place: Place, text: str, what: str) -> int:
    """Read a whole number from 0 to NUMBER_MAX. Raises ThalwegError with the line, and what the number would be."""
    if not (text.isascii() and text.isdigit()):
        place.refuse(f"{shown(text)!r} is no {what}", "write whole numbers from 0")
    if len(text) > _DIGITS_MAX or int(text) > NUMBER_MAX:
        place.refuse(f"{shown(text)} is over {NUMBER_MAX}", "count in a larger unit")
    return int(text)


def write_text(text: str, path: str | os.PathLike[str], remedy: str = "name a file to write") -> None:
    """Write a file: a regular one is replaced as a whole, links are followed, devices and pipes are written into.

    Raises ThalwegError.
    """
    write_bytes(text.encode("utf-8"), path, remedy)


def write_bytes(data: bytes, path: str | os.PathLike[str], remedy: str = "name a file to write") -> None:
    """Write a file that is no text, as write_text() does."""
    name = os.fspath(path)
    try:
        _core.write_file(name, data)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "free some space there, or name a file elsewhere"
        raise ThalwegError(SETTINGS, f"{name} cannot be written: {error.strerror}", remedy) from error


def check_writable(
    path: str | os.PathLike[str], remedy: str = "name a file to write", *, makes_folders: bool = False
) -> None:
    """See before a long search that its answer can be kept, maybe in folders still to be made. Raises ThalwegError."""
    name = os.fspath(path)
    folder = os.path.dirname(os.path.realpath(name))
    while makes_folders and not os.path.exists(folder):
        folder = os.path.dirname(folder)
    exists = os.path.exists(name)
    if os.path.isdir(name):
        reason = "it is a folder"
    elif not exists and not os.path.isdir(folder):
        reason = f"there is no folder {folder}"
    elif not os.access(name if exists else folder, os.W_OK):
        is_fixed = os.statvfs(name if exists else folder).f_flag & os.ST_RDONLY
        reason = os.strerror(errno.EROFS if is_fixed else errno.EACCES)
    else:
        return
    raise ThalwegError(SETTINGS, f"{name} cannot be written: {reason}", remedy)


def shown(text: str) -> str:
    """Shorten what an error repeats."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
