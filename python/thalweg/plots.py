"""Figures to draw in, where matplotlib is installed."""

from typing import TYPE_CHECKING

from thalweg.errors import INSTALLATION, ThalwegError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> "Figure":
    """Make an empty figure of so many inches."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - slow, and few commands draw
    except ImportError as error:
        raise ThalwegError(
            INSTALLATION,
            "plots need matplotlib",
            "pip install 'thalweg[plot]', or matplotlib where the command's own Python is",
        ) from error
    return Figure(figsize=(width, height), layout="constrained")
