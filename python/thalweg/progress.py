# SPDX-License-Identifier: BSD-3-Clause
"""Signs of life of long work: a bar where stderr is a terminal, and elsewhere a line now and then."""

from __future__ import annotations

import contextlib
import sys
import time
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS_BETWEEN_LINES = 5.0


class ProgressLines:
    """Prints what is being done on stderr, where that is no terminal, and only now and then."""

    def __init__(self, first_after_s: float = SECONDS_BETWEEN_LINES) -> None:
        """Begin; work that takes no longer than `first_after_s` has no line."""
        self._is_needed = sys.stderr is not None and not sys.stderr.isatty()
        self._next_s = time.monotonic() + first_after_s

    def show(self, line: str) -> None:
        """Print the line, if it is time for one."""
        now_s = time.monotonic()
        if self._is_needed and now_s >= self._next_s:
            print(f"thalweg: {line}", file=sys.stderr, flush=True)
            self._next_s = now_s + SECONDS_BETWEEN_LINES


@contextlib.contextmanager
def meanwhile(work: str, usual_s: float) -> Iterator[None]:
    """Show that work goes on which shows nothing itself, and how long it usually takes."""
    if sys.stderr is not None and sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415 - slow, and files do without

        with Console(stderr=True).status(f"{work}, about {usual_s:.3g} s"):
            yield
        return
    ended = Event()
    thread = Thread(target=_show, args=(f"{work}, about {usual_s:.3g} s", ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _show(work: str, ended: Event) -> None:
    """Print now and then that work goes on, until it has ended."""
    begin_s = time.monotonic()
    while not ended.wait(SECONDS_BETWEEN_LINES):
        print(f"thalweg: {work}: {time.monotonic() - begin_s:.0f} s so far", file=sys.stderr, flush=True)
