# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of pages, and how they begin: the words that are read, without code, links' targets and comments."""

import re
from collections.abc import Iterator

from house.sources import percentile

BLOCK = re.compile(r"^(?:[-*+]|\d+\.)\s|^#+\s")
FENCE = re.compile(r"^\s*```")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_\[]*[A-Z0-9])")
WORD = re.compile(r"\S*\w\S*")
# Stands for a piece of code: one word, whatever is in it.
CODE = "Code"

# Words that begin a sentence whose subject was in the one before, or is a clause.
WEAK_BEGIN = re.compile(r"[\W_]*(?:It|That|So|Where|What)\b")
FREE_WHAT = re.compile(r"\b[Ww]hat\b")


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are no code and no comment, with their numbers from 1; an empty one for each left out."""
    fenced = False
    blank = True
    text = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
            yield number, ""
        elif fenced or (line.startswith("    ") and blank) or line.startswith("        "):
            yield number, ""
            continue  # an indented block goes on after its own lines
        else:
            yield number, line
        blank = not line.strip()


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs, list items, headings and table cells, each with the number of its first line."""
    first, held = 0, ""
    for number, line in [*prose(text), (0, "")]:
        words = line.strip()
        is_row = words.startswith("|")
        if held and (not words or is_row or BLOCK.match(words)):
            yield first, held
            held = ""
        if is_row:
            cells = re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", CODE, words).strip("|"))
            yield from ((number, cell) for cell in cells if not re.fullmatch(r"[\s:-]*", cell))
        elif words:
            first = first if held else number
            held = f"{held} {words}" if held else re.sub(BLOCK, "", words)
            if words.startswith("#"):
                yield first, held
                held = ""


def plain(text: str) -> str:
    """Give the words that are read: code counts as one, links as their text."""
    text = re.sub(r"(`+).*?\1", CODE, text)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield sentences, each with the number of its block's first line."""
    for number, block in blocks(text):
        yield from ((number, sentence) for sentence in SENTENCE_END.split(plain(block)))


def word_count(sentence: str) -> int:
    """Count the words of a sentence."""
    return len(WORD.findall(sentence))


def paragraph_sentences(text: str) -> list[str]:
    """Give the sentences of paragraphs and lists: those of tables and headings are often no sentences."""
    lines = "\n".join("" if re.match(r"\s*\||#", line) else line for _, line in prose(text))
    return [sentence for _, sentence in sentences(lines) if word_count(sentence) > 1]


def prose_figures(texts: list[str]) -> dict[str, float]:
    """Say how long the sentences of some pages are, and how they begin."""
    found = [sentence for text in texts for sentence in paragraph_sentences(text)]
    lengths = [word_count(sentence) for sentence in found]
    told = [sentence for sentence in found if not sentence.rstrip().endswith("?")]
    weak = sum(bool(WEAK_BEGIN.match(sentence)) for sentence in told)
    free = sum(bool(FREE_WHAT.search(sentence)) for sentence in told)
    return {
        "sentences": len(found),
        "words": sum(lengths),
        "words_median": percentile(lengths, 0.5),
        "words_p90": percentile(lengths, 0.9),
        "weak_begin_percent": round(100 * weak / max(1, len(found)), 1),
        "what_percent": round(100 * free / max(1, len(found)), 1),
    }
