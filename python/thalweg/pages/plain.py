# SPDX-License-Identifier: BSD-3-Clause
"""Pages of commands' answers: figures first, then sections of tables and charts."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, NamedTuple

from thalweg.pages.charts import Bar, Matrix
from thalweg.pages.render import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.pages.charts import Gantt, LogPlot


class Figure(NamedTuple):
    """A value to sort by, and its text with a unit."""

    value: float
    text: str


Cell = str | Figure | Bar


class Tile(NamedTuple):
    """A figure of the first screen; `help` explains it."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells below heads; columns that are listed in `codes` are to be pasted."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    codes: tuple[int, ...] = ()
    sorts: bool = True

    @property
    def numbers(self) -> set[int]:
        """Give the columns of figures, which stand at the right."""
        return self._columns_of(Figure)

    @property
    def bars(self) -> set[int]:
        """Give the columns of bars."""
        return self._columns_of(Bar)

    def _columns_of(self, kind: type) -> set[int]:
        return {place for row in self.rows[:1] for place, cell in enumerate(row) if isinstance(cell, kind)}

    @staticmethod
    def text(cell: Cell) -> str:
        """Give what a cell shows."""
        return cell.text if isinstance(cell, Figure | Bar) else cell

    @staticmethod
    def key(row: Sequence[Cell], place: int) -> float | str:
        """Give what a cell is sorted by."""
        cell = row[place]
        if isinstance(cell, Bar):
            return sum(width for _, width in cell.parts)
        return cell.value if isinstance(cell, Figure) else cell


class Pictures(NamedTuple):
    """Matrices in one scale."""

    matrices: list[Matrix]
    limits: tuple[float, float]

    @classmethod
    def of(cls, matrices: list[Matrix]) -> Pictures:
        """Give them the scale of all their values."""
        limits = [one.limits for one in matrices if one.cells] or [(0.0, 0.0)]
        return cls(matrices, (min(low for low, _ in limits), max(high for _, high in limits)))


@dataclass
class Section:
    """A part of a page; what is empty is left out."""

    title: str
    note: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list)
    legend: list[tuple[str, str]] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    pairs: list[tuple[Bar, Bar, str]] = field(default_factory=list)
    pictures: Pictures | None = None
    drawings: list[tuple[str, str]] = field(default_factory=list)
    """A title each and SVG, in which texts from elsewhere are escaped already."""
    plots: list[tuple[str, LogPlot]] = field(default_factory=list)
    gantt: Gantt | None = None
    table: Table | None = None


@dataclass
class Page:
    """The answer of a command."""

    kind: str
    title: str
    tiles: list[Tile] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    origin: str = ""
    findings: list[tuple[str, str]] = field(default_factory=list)
    """Sentences, each with a command to paste, which may be empty."""

    def text(self) -> str:
        """Write the page."""
        return render("plain.html.j2", **{one.name: getattr(self, one.name) for one in fields(self)})
