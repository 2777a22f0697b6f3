# SPDX-License-Identifier: BSD-3-Clause
"""Configuration files: where they are, and what they say with the line that says it."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from thalweg.errors import SETTINGS, Status, ThalwegError
from thalweg.settings.options import BY_NAME, FORMER_NAMES

PROJECT_FILE = "thalweg.toml"


def configuration_files(environment: Mapping[str, str], folder: str) -> Iterator[str]:
    """Name the files that may exist, the one that wins first: the project's, then the user's."""
    yield os.path.join(folder, PROJECT_FILE)
    home = environment.get("HOME", "")
    base = environment.get("XDG_CONFIG_HOME") or (os.path.join(home, ".config") if home else "")
    if base:
        yield os.path.join(base, "thalweg", "config.toml")


def read_file(path: str) -> tuple[dict[str, Any], str] | None:
    """Read a file's table and its text; None if there is no such file."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ThalwegError(SETTINGS, f"{path}: cannot be read: {error.strerror}", _REMEDY) from error
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ThalwegError(SETTINGS, f"{path}:{line}: it is not UTF-8 text", _REMEDY) from error
    from thalweg.toml import tomllib  # noqa: PLC0415 - most runs have no file and start faster without

    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _broken(path, text, error) from error
    check_keys(table, text, path, "setting", (*BY_NAME, *FORMER_NAMES))
    return table, text


def check_keys(  # noqa: PLR0913, PLR0917 - what is read, and how errors call it
    table: Mapping[str, Any], text: str, path: str, what: str, known: Sequence[str], status: Status = SETTINGS
) -> None:
    """Refuse what is not known, with its line and what may have been meant. Raises ThalwegError."""
    for key in table:
        if key not in known:
            from thalweg.words import did_you_mean  # noqa: PLC0415 - for errors alone

            remedy = did_you_mean(key, known).removeprefix("; ") or f"known: {', '.join(known)}"
            raise ThalwegError(status, f"{path}:{line_of(text, key)}: unknown {what} {key!r}", remedy)


def line_of(text: str, key: str, table: str = "") -> int:
    """Find the line that sets a key, at the top level or in `[table]`; 1 if it is written too artfully to be found."""
    section = ""
    word = rf"""(?:{re.escape(key)}|"{re.escape(key)}"|'{re.escape(key)}')"""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\s*([^\[\]]*?)\s*\]", line):
            section = header[1].strip("\"'")
            if section == key and not table:
                return number
        elif section == table and re.match(rf"\s*{word}\s*[.=]", line):
            return number
    return line_of(text, table) if table else 1


def _broken(path: str, text: str, error: Exception) -> ThalwegError:
    message = str(error)
    if place := re.search(r" \(at line (\d+), column (\d+)\)$", message):
        line, column = place[1], place[2]
        return ThalwegError(SETTINGS, f"{path}:{line}:{column}: {message[: place.start()]}", _REMEDY)
    return ThalwegError(SETTINGS, f"{path}:{len(text.splitlines()) or 1}: {message}", _REMEDY)


_REMEDY = "the file is TOML: key = value lines, texts in quotes; `thalweg config` shows what is in effect"
