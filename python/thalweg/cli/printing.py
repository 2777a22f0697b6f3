# SPDX-License-Identifier: BSD-3-Clause
"""Small things that the commands print alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from thalweg.errors import USAGE, ThalwegError
from thalweg.strategies import value_text
from thalweg.units import size_text

if TYPE_CHECKING:
    from thalweg._core import Parameter


MAX_RATE = 1e15
SIZE_MAX = 1 << 50


def size_from_text(text: str) -> int:
    """Read 64KiB, 64k, 65536 or 65536B as a number of bytes."""
    found = re.fullmatch(r"(\d+)\s*(?:([kmg])(?:i?b)?|b)?", text, re.IGNORECASE)
    if not found:
        raise ThalwegError(USAGE, f"{text!r} is no size", "write 65536 or 64KiB")
    size = int(found[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[(found[2] or "").lower()]
    if size > SIZE_MAX:
        raise ThalwegError(USAGE, f"{text!r} is too large", f"write at most {size_text(SIZE_MAX)}")
    return size


def rate_from_text(text: str) -> float:
    """Read 12.5GB/s, 800 MB/s or 1e9 as bytes a second."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?(?:e\d+)?)\s*(?:([kmgt]?)b(?:/s)?)?", text, re.IGNORECASE)
    rate = float(found[1]) * 1000.0 ** " kmgt".index((found[2] or " ").lower()) if found else 0
    if not 1 <= rate <= MAX_RATE:
        raise ThalwegError(USAGE, f"{text!r} is no bandwidth", "write 12.5GB/s")
    return rate


def parameter_text(parameter: Parameter) -> str:
    """Write a parameter's name, range and default value: radix=2…64 (4)."""
    if parameter.kind == "choice":
        values = "|".join(parameter.choices)
    else:
        values = f"{value_text(parameter, parameter.min)}…{value_text(parameter, parameter.max)}"
    return f"{parameter.name}={values} ({value_text(parameter, parameter.default)})"
