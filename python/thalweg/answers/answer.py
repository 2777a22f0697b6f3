# SPDX-License-Identifier: BSD-3-Clause
"""A command's answer as JSON: an object with its format and version, on standard output or in a file."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from typing import TYPE_CHECKING, Any

from thalweg.text_files import write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 1
"""Of all answers' forms: it grows when a key goes, or holds something else. New keys leave it as it is."""

STDOUT = "-"


def format_of(command: str) -> str:
    """Name the format of a command's answer: thalweg-place-map."""
    return "-".join(("thalweg", *command.split()))


def answer_of(command: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Put format and version before an answer's own keys."""
    return {"format": format_of(command), "version": VERSION, **data}


def answered(command: str, data: Mapping[str, Any], json_file: str) -> bool:
    """Write an answer where JSON is asked for; say whether standard output has it, and so nothing else.

    `json_file` is - for standard output, and empty where nobody asked. Raises ThalwegError for a file that cannot be
    written.
    """
    if not json_file:
        return False
    text = json.dumps(_known(answer_of(command, data)), allow_nan=False)
    if json_file != STDOUT:
        write_text(text + "\n", json_file, "name another file: --json FILE")
        return False
    print(text)
    return True


def _known(value: Any) -> Any:
    """Write what is not a number, or is infinite, as null: JSON has neither."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _known(inner) for key, inner in value.items()}
    return [_known(inner) for inner in value] if isinstance(value, list | tuple) else value


@contextlib.contextmanager
def people_apart(json_file: str) -> Iterator[None]:
    """Let all that is printed go to standard error while JSON is to have standard output."""
    with contextlib.redirect_stdout(sys.stderr if json_file == STDOUT else sys.stdout):
        yield
