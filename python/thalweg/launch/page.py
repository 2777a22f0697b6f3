# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg run --html`: the page of a run's report, written when the job has ended."""

import os
import sys
from collections.abc import Callable

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.settings.layers import EffectiveValue, Settings

HTML = "--html"
PageWriter = Callable[[str, str, bool], str]
"""Writes a report's page: the report, the page, and whether to open it; gives a line that names the page."""


def with_report(settings: Settings, page: str) -> Settings:
    """Let the job write the report that a page is made of: beside the page, if nobody named one."""
    if not page or settings["report"].value:
        return settings
    root, ending = os.path.splitext(os.path.abspath(page))
    path = f"{root if ending in ('.html', '.htm') else root + ending}.json"
    return settings | {"report": EffectiveValue(path, HTML, {})}


def refuse_page(page: str, why: str) -> None:
    """Refuse a page that would not come."""
    if page:
        remedy = "keep --report FILE, and write the page of it: thalweg report FILE"
        raise ThalwegError(SETTINGS, f"thalweg run: no page can be written: {why}", remedy)


def state_of(path: str) -> tuple[int, int, int] | None:
    """Give what changes when a file is written anew; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


class PageAtEnd:
    """Writes the page of a report that the job writes meanwhile."""

    def __init__(self, report: str, page: str, write: PageWriter, *, opens: bool) -> None:
        """Note the report as it is before the job."""
        self._report, self._page, self._write, self._opens = report, page, write, opens
        self._before = state_of(report)

    def __call__(self) -> None:
        """Write the page, and say where it is; what goes wrong is said, and leaves the job's status alone."""
        if not self._page:
            return
        if state_of(self._report) == self._before:
            print(f"thalweg: the job left no report, so there is no page {self._page}", file=sys.stderr)
            return
        try:
            said = self._write(self._report, self._page, self._opens)
        except ThalwegError as error:
            said = str(error)
        print(f"thalweg: {said}", file=sys.stderr, flush=True)
