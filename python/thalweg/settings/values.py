# SPDX-License-Identifier: BSD-3-Clause
"""Texts from flags, variables and files turned into values; every refusal says what was expected."""

import os

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.settings.options import Option

ON = ("1", "on", "true", "yes")
OFF = ("0", "off", "false", "no")
WHOLE_NUMBERS = {"microseconds": 60_000_000, "percent": 100, "mebibytes": 1 << 16}
"""Kinds of options that are whole numbers, and the largest."""
NO_TUNING = "off"
PATHS = ("file", "tuning", "place")
WORDS = {"tuning": (NO_TUNING,), "place": ("auto", "off")}
"""Words that stand for themselves where a path is expected."""

Selections = dict[str, str]
Value = str | int | bool | Selections | None


def refuse(origin: str, text: object, expected: str) -> ThalwegError:
    """Make the error for a value that does not fit: origin names the flag, the variable or file and line."""
    return ThalwegError(SETTINGS, f"{origin}: {text!r} is not {expected}")


def selections_from_text(text: str, origin: str) -> Selections:
    """Read `operation=strategy[:parameter=value,…][+thread]`, several joined by semicolons, as THALWEG_USE holds them.

    Commas may join them too, as far as no parameters stand before: those are joined by commas themselves.
    """
    found: Selections = {}
    for part in filter(None, (piece.strip() for piece in _selection_texts(text))):
        operation, equals, strategy = (word.strip() for word in part.partition("="))
        if not equals or not operation or not strategy:
            raise refuse(origin, part, "of the form operation=strategy[:parameter=value,…][+thread]")
        if operation in found:
            raise ThalwegError(SETTINGS, f"{origin}: {operation} is selected twice: {found[operation]} and {strategy}")
        found[operation] = strategy
    return found


def _selection_texts(text: str) -> list[str]:
    texts: list[str] = []
    for piece in text.split(";"):
        head, colon, parameters = piece.partition(":")
        *before, last = head.split(",")
        texts += [*before, last + colon + parameters]
    return texts


def value_from_text(option: Option, text: str, origin: str) -> Value:
    """Read one option's value from a flag or a variable."""
    if option.kind == "selections":
        return selections_from_text(text, origin)
    if option.kind == "switch":
        return _switch(text, origin)
    if option.kind in WHOLE_NUMBERS:
        if not text.strip().isdecimal():
            raise refuse(origin, text, f"a whole number of {option.kind}")
        return _whole_number(option.kind, int(text.strip()), origin)
    if option.kind == "choice":
        return _choice(option, text, origin)
    if text in WORDS.get(option.kind, ()):
        return text
    if not text:
        raise refuse(origin, text, "a path" if option.kind in PATHS else "an MPI")
    return os.path.abspath(text) if option.kind in PATHS else text


def value_from_toml(option: Option, given: object, origin: str, folder: str) -> Value:
    """Read one option's value from a configuration file in `folder`, which relative paths start from."""
    if option.kind == "selections":
        return _selections_from_table(given, origin)
    if option.kind == "switch":
        if not isinstance(given, bool):
            raise refuse(origin, given, "true or false")
        return given
    if option.kind in WHOLE_NUMBERS:
        if not isinstance(given, int) or isinstance(given, bool):
            raise refuse(origin, given, f"a whole number of {option.kind}")
        return _whole_number(option.kind, given, origin)
    if not isinstance(given, str) or not given:
        raise refuse(origin, given, "a text in quotes")
    if option.kind == "choice":
        return _choice(option, given, origin)
    if given in WORDS.get(option.kind, ()):
        return given
    return os.path.normpath(os.path.join(folder, given)) if option.kind in PATHS else given


def text_for_ranks(value: Value) -> str:
    """Write a value the way the interposer reads its variable."""
    if isinstance(value, dict):
        return ";".join(f"{operation}={strategy}" for operation, strategy in value.items())
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def _selections_from_table(given: object, origin: str) -> Selections:
    if not isinstance(given, dict):
        raise refuse(origin, given, 'a table of operation = "strategy[:parameter=value,…][+thread]"')
    found: Selections = {}
    for operation, strategy in given.items():
        if not isinstance(strategy, str) or not strategy.strip() or ";" in strategy:
            raise refuse(f"{origin}: {operation}", strategy, 'of the form "strategy[:parameter=value,…][+thread]"')
        found[operation] = strategy.strip()
    return found


def _switch(text: str, origin: str) -> bool:
    word = text.strip().lower()
    if word in ON:
        return True
    if word in OFF:
        return False
    raise refuse(origin, text, "1 or 0 (on, true, yes; off, false, no)")


def _whole_number(kind: str, number: int, origin: str) -> int:
    if not 0 <= number <= WHOLE_NUMBERS[kind]:
        raise refuse(origin, number, f"between 0 and {WHOLE_NUMBERS[kind]} {kind}")
    return number


def _choice(option: Option, text: str, origin: str) -> str:
    if text in option.former_choices:
        return option.choices[option.former_choices.index(text)]
    if text not in option.choices:
        raise refuse(origin, text, "one of " + ", ".join(option.choices))
    return text
