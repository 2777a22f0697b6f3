"""Picks of tuning files that are the library's own algorithms. Every run looks here, so it imports next to nothing."""

LIBRARY = "library:"
"""Begins such a pick."""


def mentions_library(tuning: str) -> bool:
    """Tell whether a tuning file may hold such picks; one that cannot be read holds none."""
    try:
        with open(tuning, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return False
    return f'"{LIBRARY}' in text or f"'{LIBRARY}" in text
