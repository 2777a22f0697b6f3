# SPDX-License-Identifier: BSD-3-Clause
"""Pages are written as files, named as browsers take them, and opened where that is asked for."""

import os
from pathlib import Path

from thalweg.text_files import write_text


def write_page(text: str, path: str, *, opens: bool = False) -> str:
    """Write a page and give a line that names it. Raises ThalwegError where it cannot be written."""
    write_text(text, path)
    return open_page(path) if opens else f"page: {address(path)}"


def address(path: str) -> str:
    """Give what a browser takes."""
    return Path(os.path.abspath(path)).as_uri()


def open_page(path: str) -> str:
    """Open a page in the user's browser, and say so, or how to get it where there is none."""
    import webbrowser  # noqa: PLC0415 - few ask for it

    if _has_display() and webbrowser.open(address(path)):
        return f"page: {address(path)}, opened in the browser"
    import socket  # noqa: PLC0415

    copy = f"scp {socket.gethostname()}:{os.path.abspath(path)} ."
    return f"page: {address(path)}; there is no browser here: {copy}"


def _has_display() -> bool:
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
