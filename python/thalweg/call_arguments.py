# SPDX-License-Identifier: BSD-3-Clause
"""What programs pass to the package's functions: a value of another type than the annotation's is a ThalwegError.

So functions need to look at ranges alone, and no error of numpy's or the core's comes up from their inside.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, ParamSpec, TypeVar

import numpy as np

from thalweg.errors import SETTINGS, ThalwegError

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_INT_MAX = 2**63 - 1
_FLOAT_MAX = int(np.finfo(np.float64).max)
_SHOWN = 60
_WORDS = {
    "str": "a text",
    "bytes": "bytes",
    "int": "a whole number",
    "float": "a number",
    "bool": "True or False",
    "ArrayLike": "an array of numbers",
    "Path": "a path",
    "PathLike[str]": "a path",
    "Sequence[int]": "a list of whole numbers",
    "Sequence[float]": "a list of numbers",
    "Mapping[str, str]": "a dictionary of texts",
}


def checked(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Have a function's arguments checked against their annotations."""
    signature = inspect.signature(function)
    annotations = {name: _text_of(one.annotation) for name, one in signature.parameters.items()}

    @functools.wraps(function)
    def call(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if name != "self":
                _check(value, annotations[name], name)
        return function(*args, **kwargs)

    return call


def _check(value: Any, annotation: str, what: str) -> None:
    kinds = [kind.strip() for kind in annotation.split("|")]
    if "Any" in kinds or annotation == inspect.Parameter.empty.__name__:
        return
    if not any(_is(value, kind) for kind in kinds):
        expected = " or ".join(_WORDS.get(kind, f"thalweg.{kind}") for kind in kinds if kind != "None")
        shown = repr(value)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
        raise ThalwegError(SETTINGS, f"{what}: {shown} where {expected} is expected", f"give {expected}")
    for name, of_field in getattr(type(value), "__annotations__", {}).items():
        if type(value).__module__.startswith("thalweg.") and hasattr(value, name):
            _check(getattr(value, name), _text_of(of_field), f"{name} of {what}")


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool | np.bool_):
        return kind in ("bool", "ArrayLike")
    if simple := _SIMPLE.get(kind):
        return simple(value)
    if match := re.fullmatch(r"Sequence\[(\w+)\]", kind):
        if isinstance(value, np.ndarray):
            value = value.tolist()
        is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        return is_list and all(_is(one, match[1]) for one in value)
    for beginning, fits in _BEGINNINGS.items():
        if kind.startswith(beginning):
            return fits(value)
    return any(one.__name__ == kind.rpartition(".")[2] for one in type(value).__mro__)


def _is_number(value: Any) -> bool:
    """Tell what floating-point arithmetic takes; infinity is a number here."""
    if isinstance(value, int | np.integer):
        return abs(int(value)) <= _FLOAT_MAX
    return isinstance(value, float | np.floating) and not np.isnan(value)


def _is_numbers(value: Any) -> bool:
    try:
        kind = np.asarray(value).dtype
    except (TypeError, ValueError):
        return False
    return bool(np.issubdtype(kind, np.number) or np.issubdtype(kind, np.bool_))


def _is_texts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(one, str) for pair in value.items() for one in pair)


_BEGINNINGS: dict[str, Callable[[Any], bool]] = {
    "Callable": callable,
    "NDArray": lambda value: isinstance(value, np.ndarray),
    "Mapping": _is_texts,
}
_SIMPLE: dict[str, Callable[[Any], bool]] = {
    "None": lambda value: value is None,
    "int": lambda value: isinstance(value, int | np.integer) and abs(int(value)) <= _INT_MAX,
    "float": _is_number,
    "ArrayLike": _is_numbers,
    "Path": lambda value: isinstance(value, PathLike),
    "PathLike[str]": lambda value: isinstance(value, PathLike),
}


def _text_of(annotation: Any) -> str:
    """Give an annotation as it is written; those of tuples with names are references to what is."""
    return str(getattr(annotation, "__forward_arg__", None) or getattr(annotation, "__name__", annotation))
