# SPDX-License-Identifier: BSD-3-Clause
"""Words that users wrote, beside those that there are."""

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], start: str = "") -> str:
    """Name the known word that is nearest to a wrong one as the end of an error; nothing where none is near.

    All begin with `start`, which does not make words alike.
    """
    words = [one.removeprefix(start) for one in known]
    near = difflib.get_close_matches(word.removeprefix(start), words, n=1)
    return f"; did you mean {start}{near[0]}?" if near else ""
