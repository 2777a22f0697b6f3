"""Small things that the commands print alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from thalweg.errors import USAGE, ThalwegError
from thalweg.strategies import value_text

if TYPE_CHECKING:
    from thalweg._core import Parameter


def size_from_text(text: str) -> int:
    """Read 64KiB, 64k, 65536 or 65536B as a number of bytes."""
    found = re.fullmatch(r"(\d+)\s*(?:([kmg])(?:i?b)?|b)?", text, re.IGNORECASE)
    if not found:
        raise ThalwegError(USAGE, f"{text!r} is no size", "write 65536 or 64KiB")
    return int(found[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[(found[2] or "").lower()]


def parameter_text(parameter: Parameter) -> str:
    """Write a parameter's name, range and default value: radix=2…64 (4)."""
    if parameter.kind == "choice":
        values = "|".join(parameter.choices)
    else:
        values = f"{value_text(parameter, parameter.min)}…{value_text(parameter, parameter.max)}"
    return f"{parameter.name}={values} ({value_text(parameter, parameter.default)})"
