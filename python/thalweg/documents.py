# SPDX-License-Identifier: BSD-3-Clause
"""Files of JSON that others may have written or damaged."""

from __future__ import annotations

import json
from typing import Any

from thalweg.text_files import Place, read_text

REPORT = "thalweg-report"
"""The format of what `thalweg run --report` writes."""


def read_document(path: str) -> Document:
    """Read a file that holds one object. Raises ThalwegError with the line for what is no JSON, else ValueError."""
    return document_of(read_text(path), path)


def document_of(text: str, path: str) -> Document:
    """Read the text of such a file."""
    return Document(parse_json(text, path, "give the file as a whole, as it was written"), "the file")


def parse_json(text: str, path: str, remedy: str) -> Any:
    """Read JSON. Raises ThalwegError with the line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        Place(path, error.lineno).refuse(f"it is no JSON: {error.msg} at column {error.colno}", remedy)
    except RecursionError:
        Place(path, 1).refuse("it is nested too deep", remedy)
    except ValueError:
        Place(path, 1).refuse("it has a number of thousands of digits", remedy)


class Document:
    """An object of JSON; what it should have and does not is a ValueError that names it."""

    def __init__(self, value: Any, name: str) -> None:
        """Take what JSON gave, and a name for errors."""
        if not isinstance(value, dict):
            message = f"{name} is no object"
            raise ValueError(message)  # noqa: TRY004 - a file's fault
        self._value = value
        self._name = name

    def value(self, key: str) -> Any:
        """Give what the object has, or None."""
        return self._value.get(key)

    def items(self) -> list[tuple[str, Any]]:
        """Give every key with its value."""
        return list(self._value.items())

    def as_dict(self) -> dict[str, Any]:
        """Give the object as JSON has it."""
        return self._value

    def without(self, key: str, expected: str) -> ValueError:
        """Give the error for what is missing or is something else."""
        return ValueError(f"{self._name} has no {expected} as {key!r}")

    def text(self, key: str) -> str:
        """Give a text."""
        value = self.value(key)
        if not isinstance(value, str):
            raise self.without(key, "text")
        return value

    def number(self, key: str) -> float:
        """Give a number."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.without(key, "number")
        return value

    def whole_number(self, key: str) -> int:
        """Give a number that is written without a point."""
        value = self.number(key)
        if not isinstance(value, int):
            raise self.without(key, "whole number")
        return value

    def part(self, key: str) -> Document:
        """Give an object within this one."""
        return Document(self.value(key), f"{key!r}")

    def parts(self, key: str) -> list[Document]:
        """Give a list of objects."""
        values = self.value(key)
        if not isinstance(values, list):
            raise self.without(key, "list")
        return [Document(value, f"entry {number} of {key!r}") for number, value in enumerate(values)]
