# SPDX-License-Identifier: BSD-3-Clause
"""Words as bash gives them to completion: cut at the characters = and :, which stand inside of Thalweg's words.

`--use allreduce=ring` comes as four words, and what is completed is `ring` alone. The words are joined here before
typer reads them. Whoever completes a word gets what stands before it from `before`.
"""

import re
from collections.abc import MutableMapping, Sequence
from typing import NamedTuple

ASKED = "_THALWEG_COMPLETE"
_BEFORE = "_THALWEG_COMPLETE_BEFORE"
_BREAKS = re.compile(r"[=:]+")


class Line(NamedTuple):
    """A command line that is completed: the words before, what is given of the last word, and the part to complete."""

    words: list[str]
    before: str
    part: str


def joined(words: Sequence[str]) -> Line:
    """Join the words up to the one that is completed, which is the last; an option's value is a word of its own."""
    whole: list[str] = []
    for number, word in enumerate(words):
        is_cut = number > 0 and (_BREAKS.fullmatch(word) or _BREAKS.fullmatch(words[number - 1]))
        whole[len(whole) - 1 if is_cut else len(whole) :] = [whole[-1] + word if is_cut else word]
    *complete, last = whole
    part = "" if _BREAKS.fullmatch(words[-1]) else words[-1]
    before = last.removesuffix(part)
    if before.startswith("-") and "=" in before:
        option, _, before = before.partition("=")
        complete.append(option)
    return Line(complete, before, part)


def join_words(environment: MutableMapping[str, str]) -> None:
    """Join what bash left in the environment, if it is bash that asks."""
    if environment.get(ASKED) != "complete_bash":
        return
    words, place = environment.get("COMP_WORDS", "").split("\n"), environment.get("COMP_CWORD", "0")
    if not place.isdecimal() or len(words) <= int(place):
        return  # by hand, in one line
    line = joined(words[: int(place) + 1])
    environment["COMP_WORDS"] = "\n".join([*line.words, line.part])
    environment["COMP_CWORD"] = str(len(line.words))
    environment[_BEFORE] = line.before


def rest_of(words: Sequence[str], part: str, environment: MutableMapping[str, str]) -> list[str]:
    """Choose the words that begin as what was written, and give what the shell is to put in the part's place."""
    before = environment.get(_BEFORE, "")
    return [word.removeprefix(before) for word in words if word.startswith(before + part)]
