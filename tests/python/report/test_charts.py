# SPDX-License-Identifier: BSD-3-Clause
"""The geometry of charts: whatever the values, shades and steps are in their boxes and lose nothing."""

import re

from hypothesis import given
from hypothesis import strategies as st

from thalweg.pages.charts import LEVELS, Matrix, groups_of, level, step_area, summed, ticks
from thalweg.pages.render import bytes_text, ns_text, percent

POSITIVE = st.floats(1e-3, 1e18)


@given(value=POSITIVE, low=POSITIVE, high=POSITIVE)
def test_shades_are_in_their_range(value: float, low: float, high: float) -> None:
    assert 1 <= level(min(max(value, low), max(low, high)), (low, max(low, high))) <= LEVELS


@given(cells=st.dictionaries(st.tuples(st.integers(0, 9), st.integers(0, 9)), st.floats(1, 1e9), min_size=1))
def test_each_cell_with_bytes_is_drawn_once(cells: dict[tuple[int, int], float]) -> None:
    names = tuple(str(number) for number in range(10))
    matrix = Matrix("", names, tuple((*place, value, 1.0) for place, value in cells.items()))
    drawn = [
        (int(row), int(column) + step)
        for _, path in matrix.paths(matrix.limits)
        for column, row, length in re.findall(r"M(\d+) (\d+)h(\d+)", path)
        for step in range(int(length))
    ]
    assert sorted(drawn) == sorted(cells)


@given(heights=st.lists(st.floats(0, 1), max_size=40))
def test_steps_have_the_area_of_their_heights(heights: list[float]) -> None:
    area = 0
    for begin, bottom, top, end in re.findall(r"M(\d+) (\d+)V(\d+)H(\d+)V\d+z", step_area(heights)):
        area += (int(end) - int(begin)) * (int(bottom) - int(top))
    assert area == sum(100 - round(100 * (1 - height)) for height in heights)


@given(count=st.integers(1, 100_000))
def test_groups_are_few_enough(count: int) -> None:
    size = groups_of(count)
    assert -(-count // size) <= 64
    assert size == 1 or -(-count // (size - 1)) > 64


def test_entries_are_added_up_by_group() -> None:
    entries = [[0, 1, 10, 1], [1, 0, 5, 2], [2, 3, 7, 1], [9, 0, 1, 1]]
    assert summed(entries, {0: 0, 1: 0, 2: 1, 3: 1}) == ((0, 0, 15.0, 3.0), (1, 1, 7.0, 1.0))


@given(largest=st.floats(1, 1e15))
def test_axes_have_a_few_ticks_in_their_length(largest: float) -> None:
    found = ticks(largest, str)
    assert 1 <= len(found) <= 5
    assert all(0 < tick.at <= 100.01 for tick in found)


def test_figures_have_units() -> None:
    times = (0, 1.5e3, 2.5e9, 8.59e12, 7.2e13)
    assert [ns_text(value) for value in times] == ["0 s", "1.5 us", "2.5 s", "8,590 s", "20 h"]
    assert [bytes_text(size) for size in (0, 40, 1536, 3 << 40)] == ["0 B", "40 B", "1.5 KiB", "3 TiB"]
    assert [percent(share) for share in (0, 0.004, 0.12, 1)] == ["0 %", "0.4 %", "12 %", "100 %"]
