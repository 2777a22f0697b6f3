# SPDX-License-Identifier: BSD-3-Clause
"""The words of docs/glossary.md that have one sense, for the site to explain where they are used."""

import re
from pathlib import Path

GLOSSARY = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"
ROW = re.compile(r"^\| ([^|]+?) \| ([^|]+?) \|$", re.MULTILINE)
# Shorter words are in every sentence.
LETTERS_MIN = 4
# The glossary's sense of these is rarely that of a sentence.
ORDINARY = frozenset({
    "block", "bound", "card", "credit", "element", "evidence", "goal", "grid", "home", "hook", "implementation",
    "item", "leaf", "lease", "level", "look", "mapping", "option", "order", "plan", "problem", "program",
    "progress", "proposal", "ratio", "root", "section", "selection", "situation", "stage", "start", "step",
    "target", "tour", "trial", "unit", "wave", "word", "yield",
})  # fmt: skip


def meanings(text: str) -> dict[str, str]:
    """Give the words of the glossary that have one sense, in lower case, each with its explanation."""
    found: dict[str, str] = {}
    twice = set()
    for words, explanation in ROW.findall(text):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", explanation).replace("`", "").replace("*", "")
        for word in words.split(", "):
            name, _, sense = word.partition(" (")
            key = name.strip("` ").lower()
            if len(key) < LETTERS_MIN or "`" in key or key in ORDINARY or set(key) <= {"-"}:
                continue
            if key in found or sense:
                twice.add(key)
            found[key] = plain
    return {key: plain for key, plain in found.items() if key not in twice}
