# SPDX-License-Identifier: BSD-3-Clause
"""The geometry of charts, which templates/charts.html.j2 draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

LEVELS = 8
"""Shades of a matrix, the first for the smallest value."""

CELLS_MAX = 64
"""Rows of a matrix, and its columns."""


class Bar(NamedTuple):
    """Parts of a bar: a class of the style each, with percent of the longest bar, and a text beside it."""

    name: str
    parts: tuple[tuple[str, float], ...]
    text: str = ""
    title: str = ""
    rank: int | None = None
    """For bars that a click on their name filters by."""


class Tick(NamedTuple):
    """A place on an axis, in percent of its length, and a text."""

    at: float
    text: str


@dataclass(frozen=True)
class Columns:
    """Bars that stand beside each other."""

    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    label: str
    """Of the picture, for those who hear it."""

    every: int = 1
    """Which bars have a name below: each of so many."""

    FEW = 16

    @property
    def is_few(self) -> bool:
        """Say whether there is room for all names."""
        return len(self.bars) <= self.FEW


@dataclass(frozen=True)
class Matrix:
    """Values by row and column as shades on a scale of logarithms."""

    title: str
    names: tuple[str, ...]
    """Of rows, which are those of columns."""

    cells: tuple[tuple[int, int, float, float], ...]
    """Row, column, bytes and messages of cells that have any."""

    bounds: tuple[int, ...] = ()
    """Rows at which another node begins."""

    @property
    def limits(self) -> tuple[float, float]:
        """Give the smallest and the largest value."""
        values = [value for _, _, value, _ in self.cells if value > 0]
        return (min(values), max(values)) if values else (0.0, 0.0)

    def paths(self, limits: tuple[float, float]) -> list[tuple[int, str]]:
        """Give a path of squares for each shade; neighbors in a row are one rectangle."""
        found: dict[int, list[str]] = {}
        shades = {(row, column): level(value, limits) for row, column, value, _ in self.cells if value > 0}
        for (row, column), shade in sorted(shades.items()):
            if shades.get((row, column - 1)) == shade:
                continue
            length = 1
            while shades.get((row, column + length)) == shade:
                length += 1
            found.setdefault(shade, []).append(f"M{column} {row}h{length}v1h-{length}z")
        return [(shade, "".join(parts)) for shade, parts in sorted(found.items())]


def level(value: float, limits: tuple[float, float]) -> int:
    """Give the shade of a value, from 1 to LEVELS."""
    low, high = limits
    if value >= high or high <= low:
        return LEVELS
    return 1 + int((LEVELS - 1) * (math.log(value) - math.log(low)) / (math.log(high) - math.log(low)))


def step_area(heights: Sequence[float], base: Sequence[float] | None = None) -> str:
    """Give the path of steps of width 1 over a base; heights are parts of 1, and 0 is at the bottom of 100."""
    steps: list[tuple[int, int, int, int]] = []
    for place, (low, height) in enumerate(zip(base or [0.0] * len(heights), heights, strict=True)):
        top, bottom = round(100 * (1 - min(1.0, low + height))), round(100 * (1 - min(1.0, low)))
        if top == bottom:
            continue
        if steps and steps[-1][1:] == (place, top, bottom):
            steps[-1] = (steps[-1][0], place + 1, top, bottom)
        else:
            steps.append((place, place + 1, top, bottom))
    return "".join(f"M{begin} {bottom}V{top}H{end}V{bottom}z" for begin, end, top, bottom in steps)


def nice_step(largest: float, steps: int = 4) -> float:
    """Give a round step, of which about so many reach the largest value."""
    if largest <= 0 or not math.isfinite(largest):
        return 1.0
    rough = largest / steps
    scale = 10.0 ** math.floor(math.log10(rough))
    return next((factor * scale for factor in (1, 2, 2.5, 5) if factor * scale >= rough), 10 * scale)


def ticks(largest: float, text: Callable[[float], str]) -> tuple[Tick, ...]:
    """Give round places on an axis from 0 to the largest value."""
    step = nice_step(largest)
    count = int(largest / step + 1e-9) if largest > 0 else 0
    return tuple(Tick(round(100 * number * step / largest, 2), text(number * step)) for number in range(1, count + 1))


class Line(NamedTuple):
    """A line or points of a chart with logarithmic axes, whose class in the style is `kind`."""

    name: str
    kind: str
    points: tuple[tuple[float, float], ...]
    is_points: bool = False


@dataclass(frozen=True)
class LogPlot:
    """Lines and points over two logarithmic axes, in a box of 460 x 260."""

    lines: tuple[Line, ...]
    x_label: str
    y_label: str
    x_text: Callable[[float], str]
    y_text: Callable[[float], str]
    LEFT, TOP, WIDTH, HEIGHT = 62, 8, 410, 220

    def _limits(self, axis: int) -> tuple[float, float]:
        values = [point[axis] for line in self.lines for point in line.points if point[axis] > 0]
        low, high = (min(values), max(values)) if values else (1.0, 10.0)
        return math.log10(low), max(math.log10(high), math.log10(low) + 0.1)

    def x(self, value: float) -> float:
        """Place a value on the axis to the right."""
        low, high = self._limits(0)
        return round(self.LEFT + self.WIDTH * (math.log10(value) - low) / (high - low), 1)

    def y(self, value: float) -> float:
        """Place a value on the axis upward."""
        low, high = self._limits(1)
        return round(self.TOP + self.HEIGHT * (1 - (math.log10(value) - low) / (high - low)), 1)

    def path(self, line: Line) -> str:
        """Give a line's path."""
        return "M" + "L".join(f"{self.x(x)} {self.y(y)}" for x, y in self.drawn(line))

    @staticmethod
    def drawn(line: Line) -> list[tuple[float, float]]:
        """Give the points that have a place on such axes."""
        return [(x, y) for x, y in line.points if x > 0 and y > 0]

    @property
    def legend(self) -> list[tuple[str, str]]:
        """Give a class of the style and a name for each line."""
        return [(line.kind, line.name) for line in self.lines if line.name]

    def x_ticks(self) -> list[tuple[float, str]]:
        """Give sizes by powers of 16, with their places."""
        low, high = self._limits(0)
        powers = range(math.ceil(low / math.log10(2) - 1e-9), math.floor(high / math.log10(2) + 1e-9) + 1)
        return [(self.x(2.0**power), self.x_text(2.0**power)) for power in powers if power % 4 == 0]

    def y_ticks(self) -> list[tuple[float, str]]:
        """Give powers of ten, with their places."""
        low, high = self._limits(1)
        powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
        return [(self.y(10.0**power), self.y_text(10.0**power)) for power in powers]


def paired(name: str, before: float, after: float, largest: float, text: str) -> tuple[Bar, Bar, str]:
    """Give two bars for a value before and after; both are in percent of the largest."""
    whole = largest or 1.0
    return (
        Bar(name, (("before", round(100 * before / whole, 2)),)),
        Bar(name, (("after", round(100 * after / whole, 2)),)),
        text,
    )


def groups_of(count: int, cells_max: int = CELLS_MAX) -> int:
    """Give how many neighbors share a row, so that there are at most so many rows."""
    return max(1, -(-count // cells_max))


def summed(
    entries: Iterable[Sequence[float]], group_of: Mapping[int, int]
) -> tuple[tuple[int, int, float, float], ...]:
    """Add up entries (from, to, bytes, messages) by groups; those of unknown ends are left out."""
    sums: dict[tuple[int, int], list[float]] = {}
    for source, target, size, messages in entries:
        row, column = group_of.get(int(source)), group_of.get(int(target))
        if row is None or column is None:
            continue
        cell = sums.setdefault((row, column), [0.0, 0.0])
        cell[0] += size
        cell[1] += messages
    return tuple((row, column, size, messages) for (row, column), (size, messages) in sorted(sums.items()))


@dataclass(frozen=True)
class Gantt:
    """What rows did over time, in a box 1000 wide: a path for each class of the style, and a line over them."""

    rows: int
    paths: list[tuple[str, str]]
    legend: list[tuple[str, str]]
    ends: list[str]
    label: str
    line: str = ""
    first: int = 0

    @property
    def last(self) -> int:
        """Give the number of the last row."""
        return self.first + self.rows - 1

    @property
    def height(self) -> int:
        """Give the height in pixels."""
        return max(60, min(640, self.rows * 22))
