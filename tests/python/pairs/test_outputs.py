# SPDX-License-Identifier: BSD-3-Clause
"""Outputs are compared as far as the program itself repeats them."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from thalweg.pairs.judgments import judgment
from thalweg.pairs.outputs import compare, text_of

LINES = st.lists(st.text(alphabet="ab1", min_size=1, max_size=3), max_size=8)


def test_identical_outputs_are_equal() -> None:
    found = compare(["a\nb\n"] * 3, ["a\nb\n"] * 3)
    assert found.is_identical
    assert text_of(found) == "answers equal (identical output)"


def test_times_are_left_out() -> None:
    found = compare(["sum 7\ntime 1.2\n", "sum 7\ntime 1.3\n"], ["sum 7\ntime 0.9\n", "sum 7\ntime 0.8\n"])
    assert (found.compared, found.lost) == (1, ())
    assert "1 line that does not change" in text_of(found)


def test_a_wrong_answer_is_found_once_it_is_stable() -> None:
    found = compare(["sum 7\nt 1\n", "sum 7\nt 2\n"], ["sum 7\nt 3\n", "sum 8\nt 4\n"])
    assert found.lost == ("sum 7",)
    assert text_of(found).startswith("answers differ")


def test_nothing_that_repeats_is_said() -> None:
    assert text_of(compare(["t 1", "t 2"], ["t 3", "t 4"])).startswith("answers not compared")


@given(LINES, LINES, st.randoms())
def test_the_order_of_lines_does_not_count(stable: list[str], other: list[str], random: Random) -> None:
    """Ranks write in any order."""
    native = ["\n".join([*stable, "x"]), "\n".join([*stable, "y"])]
    ours = []
    for end in ("z", "w"):
        lines = [*stable, *other, end]
        random.shuffle(lines)
        ours.append("\n".join(lines))
    assert compare(native, ours).lost == ()


def test_a_difference_is_called_one_if_it_is_sure() -> None:
    assert judgment([1.0, 1.1, 1.2, 1.05, 1.15], [0.5, 0.55, 0.52, 0.5, 0.6]) == "2.12 x less, surely"
    assert judgment([0.5, 0.55, 0.52, 0.5, 0.6], [1.0, 1.1, 1.2, 1.05, 1.15]) == "2.12 x more, surely"
    assert judgment([1.0, 1.2, 1.1], [1.1, 1.0, 1.2]) == "no sure difference with fewer than 4 pairs"
    assert judgment([1.0, 1.2, 1.1, 1.3, 1.2], [1.1, 1.0, 1.25, 1.2, 1.3]) == "no sure difference"
