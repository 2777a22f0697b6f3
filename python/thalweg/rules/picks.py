# SPDX-License-Identifier: BSD-3-Clause
"""Choices of the library's own algorithms, by tuning files and users. Every run looks here: it imports little."""

from collections.abc import Mapping

LIBRARY = "library:"
"""Begins such a choice."""


def mentions_library(tuning: str) -> bool:
    """Tell whether a tuning file may hold such picks; one that cannot be read holds none."""
    try:
        with open(tuning, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return False
    return f'"{LIBRARY}' in text or f"'{LIBRARY}" in text


def selected_algorithms(selections: Mapping[str, str]) -> dict[str, str]:
    """Give those that a user selected (--use), in the library's words, by call."""
    return {call: use.removeprefix(LIBRARY) for call, use in selections.items() if use.startswith(LIBRARY)}
