# SPDX-License-Identifier: BSD-3-Clause
"""What a job has to know of choices before it starts. Every run looks here, so this imports little."""

from collections.abc import Mapping

LIBRARY = "library:"
"""Begins a choice of the library's own algorithms."""
THREAD = "+thread"
"""Ends a choice whose calls the ranks' progress threads advance."""


def mentions_library(tuning: str) -> bool:
    """Say whether a tuning file may hold picks of the library's algorithms; one that cannot be read holds none."""
    text = _text_of(tuning)
    return f'"{LIBRARY}' in text or f"'{LIBRARY}" in text


def wants_thread(tuning: str, selections: Mapping[str, str]) -> bool:
    """Say whether some choice, of a tuning file or of the user, may be for ranks' progress threads."""
    if any(use.endswith(THREAD) for use in selections.values()):
        return True
    text = _text_of(tuning)
    return f'{THREAD}"' in text or f"{THREAD}'" in text


def selected_algorithms(selections: Mapping[str, str]) -> dict[str, str]:
    """Give those that a user selected (--use), in the library's words, by call."""
    return {call: use.removeprefix(LIBRARY) for call, use in selections.items() if use.startswith(LIBRARY)}


def _text_of(tuning: str) -> str:
    try:
        with open(tuning, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
