# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a report that may be absent or of another version: what is not as expected counts as absent."""

import math
from typing import Any


def item(value: Any, *path: str) -> Any:
    """Give what stands at the end of a path of keys, or None."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def number(value: Any, *path: str) -> float:
    """Give a number, or 0."""
    found = item(value, *path)
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return found if is_number and math.isfinite(found) else 0.0


def count(value: Any, *path: str) -> int:
    """Give a whole number, or 0."""
    return int(number(value, *path))


def text(value: Any, *path: str) -> str:
    """Give a text, or the empty one."""
    found = item(value, *path)
    return found if isinstance(found, str) else ""


def objects(value: Any, *path: str) -> list[dict[str, Any]]:
    """Give the objects of a list."""
    found = item(value, *path)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def numbers(value: Any, *path: str) -> list[float]:
    """Give a list of numbers; those that are none are 0."""
    found = item(value, *path)
    return [number({"": one}, "") for one in found] if isinstance(found, list) else []


def rows(value: Any, length: int, *path: str) -> list[list[float]]:
    """Give those lists of a list that have so many numbers."""
    found = item(value, *path)
    lists = [numbers({"": one}, "") for one in found] if isinstance(found, list) else []
    return [one for one in lists if len(one) == length]
