# SPDX-License-Identifier: BSD-3-Clause
"""Checks commands' answers by their schemas."""

import copy
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from thalweg.answers.answer import format_of
from thalweg.answers.schemas import SCHEMAS


def strict(form: Any) -> Any:
    """Refuse keys that a schema does not name."""
    if isinstance(form, list):
        return [strict(one) for one in form]
    if not isinstance(form, dict):
        return form
    found = {key: strict(inner) for key, inner in form.items()}
    return found | {"additionalProperties": False} if isinstance(form.get("properties"), dict) else found


STRICT = {name: Draft202012Validator(strict(copy.deepcopy(form))) for name, form in SCHEMAS.items()}


def checked(command: str, text: str) -> Any:
    """Read an answer that has its format and version, and no key that its schema does not name."""
    answer = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert (answer["format"], answer["version"]) == (format_of(command), 1)
    STRICT[command].validate(answer)
    return answer
