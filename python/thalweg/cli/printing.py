"""Small things that the commands print alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thalweg._core import Parameter

_UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def bytes_text(number: int) -> str:
    """Write a number of bytes as it can be given to a parameter: 64KiB."""
    for unit, size in _UNITS:
        if number and number % size == 0:
            return f"{number // size}{unit}"
    return str(number)


def value_text(parameter: Parameter, value: int) -> str:
    """Write a parameter's value as it is given in a selection."""
    if parameter.kind == "choice":
        return parameter.choices[value]
    return bytes_text(value) if parameter.kind == "bytes" else str(value)


def parameter_text(parameter: Parameter) -> str:
    """Write a parameter's name, range and standard value: radix=2…64 (4)."""
    if parameter.kind == "choice":
        values = "|".join(parameter.choices)
    else:
        values = f"{value_text(parameter, parameter.least)}…{value_text(parameter, parameter.most)}"
    return f"{parameter.name}={values} ({value_text(parameter, parameter.standard)})"
