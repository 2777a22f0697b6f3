# SPDX-License-Identifier: BSD-3-Clause
"""A figure of matplotlib that notebooks show without %matplotlib."""

from io import BytesIO

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A figure that belongs to no window."""

    def _repr_png_(self) -> bytes:
        """Give the picture that a notebook shows."""
        buffer = BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()
