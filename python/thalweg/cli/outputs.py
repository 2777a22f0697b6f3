# SPDX-License-Identifier: BSD-3-Clause
"""Options that name a file to write."""

import os
from typing import Any

import typer


def output_file(*names: str, help: str, **more: Any) -> Any:  # noqa: A002 - as typer calls it
    """Make an option for a file that is written in the end: one that cannot be is refused before all the work."""
    return typer.Option(*names, metavar="FILE", help=help, callback=_checked, **more)


def json_file() -> Any:
    """Make the option --json, with a file or alone; tree.py writes what stands alone as --json=-."""
    return typer.Option(
        "--json",
        metavar="[FILE]",
        help="Print the answer as JSON, or write it into FILE, which ends with .json.",
        callback=_checked,
        show_default=False,
    )


def names_json(word: str) -> bool:
    """Say whether a word behind --json is its file, and not what the command is asked."""
    return word == "-" or word.endswith(".json") or word.startswith("/dev/")


def svg_file(*names: str, help: str) -> Any:  # noqa: A002 - as typer calls it
    """Make such an option for a picture that is written as SVG, whatever its file is called: other ends are refused."""
    return typer.Option(*names, metavar="FILE", help=help, callback=_checked_svg)


def _checked_svg(path: str) -> str:
    from thalweg.errors import SETTINGS, ThalwegError  # noqa: PLC0415 - completion needs none of it

    if path not in ("", "-") and os.path.splitext(path)[1].lower() not in ("", ".svg"):
        raise ThalwegError(SETTINGS, f"{path}: the picture is SVG", "name it with the end .svg")
    return _checked(path)


def _checked(path: str) -> str:
    from thalweg.text_files import check_writable  # noqa: PLC0415 - completion needs none of it

    if path not in ("", "-"):
        check_writable(path)
    return path
