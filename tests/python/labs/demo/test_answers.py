# SPDX-License-Identifier: BSD-3-Clause
"""Answers are found in what programs print, and compared."""

import pytest

from thalweg_labs.demo.answers import NoAnswerError, agree, answer_line, number_after, part_before, part_behind

OUTPUT = "step 1 energy = -1.5D+02\nstep 2 energy = -1.25e2 eV\nanswer: keys=4 sorted=yes\n"


def test_number_after_takes_the_last_or_the_first() -> None:
    assert number_after(OUTPUT, r"energy =") == -125
    assert number_after(OUTPUT, r"energy =", last=False) == -150


def test_missing_answers_are_named() -> None:
    with pytest.raises(NoAnswerError, match="no number behind 'mass'"):
        number_after(OUTPUT, "mass")
    with pytest.raises(NoAnswerError, match="no line 'answer: …'"):
        answer_line("time: 3\n")


def test_parts_of_an_output() -> None:
    assert part_before(OUTPUT, "step 2") == "step 1 energy = -1.5D+02\n"
    assert part_behind(OUTPUT, "sorted=") == "yes\n"
    for part in (part_before, part_behind):
        with pytest.raises(NoAnswerError, match="no 'Loop time' in the output"):
            part(OUTPUT, "Loop time")


def test_answer_line_leaves_times_out() -> None:
    assert answer_line(OUTPUT + "time: 3\n") == {"answer": "keys=4 sorted=yes"}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"e": 1.0}, {"e": 1.0 + 1e-9}, True),
        ({"e": 1.0}, {"e": 1.0 + 1e-7}, False),
        ({"e": 0.0}, {"e": 1e-12}, True),
        ({"e": 1.0}, {"f": 1.0}, False),
        ({"e": 1.0}, {"e": 1.0, "f": 1.0}, False),
        ({"s": "100"}, {"s": "100"}, True),
        ({"s": "100"}, {"s": "100.0"}, False),
        ({"s": "100"}, {"s": 100.0}, False),
        ({"e": float("nan")}, {"e": float("nan")}, False),
    ],
)
def test_agreement(first: dict[str, float | str], second: dict[str, float | str], same: bool) -> None:  # noqa: FBT001
    assert agree(first, second, 1e-8) is same
