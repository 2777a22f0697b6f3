# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of the numbers that commands take: what is beyond them would be an error of the core's, or run for ever."""

from __future__ import annotations

import typing
from types import UnionType
from typing import TYPE_CHECKING, Any

import typer
from typer.models import OptionInfo

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT_MAX = (1 << 31) - 1
LARGE_MAX = (1 << 62) - 1
_LARGE = ("bytes", "seed")


def bound_numbers(app: typer.Typer) -> None:
    """Let every whole number of every command be refused outside of its bounds, with the option's name."""
    for command in app.registered_commands:
        assert command.callback is not None
        hints = {
            name: _as_written(hint)
            for name, hint in typing.get_type_hints(command.callback, include_extras=True).items()
        }
        command.callback.__annotations__ = hints  # typer would make others of annotations that are texts
        for name, hint in hints.items():
            base, *notes = typing.get_args(hint) if typing.get_origin(hint) is typing.Annotated else (hint,)
            if base is int or (isinstance(base, UnionType) and int in typing.get_args(base)):
                for note in notes:
                    if isinstance(note, OptionInfo) and note.callback is None:
                        note.callback = _check_between(*_bounds(name, note))
    for group in app.registered_groups:
        assert group.typer_instance is not None
        bound_numbers(group.typer_instance)


def _as_written(hint: Any) -> Any:
    """Undo Python 3.10's Optional around the notes of an argument whose default is None."""
    parts = typing.get_args(hint) if typing.get_origin(hint) is typing.Union else ()
    return next((part for part in parts if typing.get_origin(part) is typing.Annotated), hint)


def _bounds(name: str, option: OptionInfo) -> tuple[int, int]:
    min_value = 1 if name == "ranks" else 0
    max_value = LARGE_MAX if any(word in name for word in _LARGE) else COUNT_MAX
    return (
        min_value if option.min is None else int(option.min),
        max_value if option.max is None else int(option.max),
    )


def _check_between(min_value: int, max_value: int) -> Callable[[Any], Any]:
    def check(value: int | None) -> int | None:
        if value is not None and not min_value <= value <= max_value:
            message = f"it is not between {min_value} and {max_value}"
            raise typer.BadParameter(message)
        return value

    return check
