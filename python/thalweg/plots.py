# SPDX-License-Identifier: BSD-3-Clause
"""Figures to draw in, where matplotlib is installed."""

import os
from io import BytesIO
from typing import TYPE_CHECKING

from thalweg.errors import INSTALLATION, SETTINGS, ThalwegError
from thalweg.text_files import write_bytes

if TYPE_CHECKING:
    from thalweg.notebook_figure import NotebookFigure


def new_figure(width: float, height: float) -> "NotebookFigure":
    """Make an empty figure of so many inches."""
    try:
        from thalweg.notebook_figure import NotebookFigure  # noqa: PLC0415 - slow, and few commands draw
    except ImportError as error:
        raise ThalwegError(
            INSTALLATION,
            "plots need matplotlib",
            "pip install 'thalweg[plot]', or matplotlib where the command's own Python is",
        ) from error
    return NotebookFigure(figsize=(width, height), layout="constrained")


def save_figure(figure: "NotebookFigure", path: str) -> None:
    """Write a figure in the format that the ending of the name says. Raises ThalwegError."""
    kind = os.path.splitext(path)[1].removeprefix(".").lower() or "png"
    known = figure.canvas.get_supported_filetypes()
    if kind not in known:
        raise ThalwegError(SETTINGS, f"{path}: no pictures are written as .{kind}", f"choose of {', '.join(known)}")
    buffer = BytesIO()
    figure.savefig(buffer, format=kind)
    write_bytes(buffer.getvalue(), path)
