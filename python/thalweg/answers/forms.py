# SPDX-License-Identifier: BSD-3-Clause
"""What schemas are made of: JSON Schema 2020-12, as values of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thalweg.answers.answer import VERSION, format_of

if TYPE_CHECKING:
    from collections.abc import Collection

Form = dict[str, Any]


def _form(kind: str, description: str) -> Form:
    return {"type": kind} | ({"description": description} if description else {})


def text(description: str = "") -> Form:
    """Describe a text."""
    return _form("string", description)


def number(description: str = "") -> Form:
    """Describe a number."""
    return _form("number", description)


def whole(description: str = "") -> Form:
    """Describe a whole number."""
    return _form("integer", description)


def flag(description: str = "") -> Form:
    """Describe what is true or false."""
    return _form("boolean", description)


def choice(*words: str, description: str = "") -> Form:
    """Describe a text that is one of some."""
    return {"enum": list(words)} | ({"description": description} if description else {})


def any_value(description: str) -> Form:
    """Describe what may be anything."""
    return {"description": description}


def listed(items: Form, description: str = "") -> Form:
    """Describe a list of alike things."""
    return _form("array", description) | {"items": items}


def record(description: str = "", /, *, optional: Collection[str] = (), **keys: Form) -> Form:
    """Describe an object with these keys, all of which are there but for the optional ones."""
    required = [key for key in keys if key not in optional]
    return _form("object", description) | {"properties": keys, "required": required}


def named(values: Form, description: str = "") -> Form:
    """Describe an object whose keys are names of anything."""
    return _form("object", description) | {"additionalProperties": values}


def maybe(form: Form) -> Form:
    """Describe what is null where it is not known."""
    return {"anyOf": [form, {"type": "null"}]}


def answer_form(command: str, title: str, *records: Form) -> Form:
    """Describe a command's answer: one of some objects, which begin with format and version."""
    head = {"format": {"const": format_of(command)}, "version": {"const": VERSION}}
    whole_records = [
        {**one, "properties": head | one["properties"], "required": [*head, *one["required"]]} for one in records
    ]
    body = whole_records[0] if len(whole_records) == 1 else {"type": "object", "anyOf": whole_records}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:thalweg:{format_of(command).removeprefix('thalweg-')}:{VERSION}",
        "title": title,
        "description": "Readers ignore keys that they do not know.",
    } | body
