# SPDX-License-Identifier: BSD-3-Clause
"""What a command that is named next takes, and what it may bring: behind the command, as a comment of the shell."""

USUAL_BUDGET = "60s"
"""Of a search."""

_SHARE_MIN = 0.005


def search_promise(share: float) -> str:
    """Say it of a search for the calls whose transfer takes that part of a run; empty where that is nothing."""
    from thalweg.pages.render import percent  # noqa: PLC0415 - help does without

    return f"  # about 1 min, may save up to {percent(share)} of the run" if share >= _SHARE_MIN else ""
