# SPDX-License-Identifier: BSD-3-Clause
"""What a program answered, taken out of what it printed, and whether two answers are the same."""

import math
import re
from collections.abc import Mapping

Answer = Mapping[str, float | str]


class NoAnswerError(Exception):
    """A program ended well but did not print its answer."""


def number_after(output: str, label: str, *, last: bool = True) -> float:
    """Take the number behind a label, a regular expression: its last occurrence, or its first."""
    numbers = re.findall(label + r"\s*([-+]?\d+(?:\.\d*)?(?:[eEdD][-+]?\d+)?)", output)
    if not numbers:
        message = f"no number behind '{label}' in the output"
        raise NoAnswerError(message)
    return float(numbers[-1 if last else 0].lower().replace("d", "e"))


def part_behind(output: str, mark: str) -> str:
    """Take what stands behind the first occurrence of a mark."""
    _, found, behind = output.partition(mark)
    if not found:
        message = f"no '{mark}' in the output"
        raise NoAnswerError(message)
    return behind


def part_before(output: str, mark: str) -> str:
    """Take what stands before the first occurrence of a mark."""
    before, found, _ = output.partition(mark)
    if not found:
        message = f"no '{mark}' in the output"
        raise NoAnswerError(message)
    return before


def answer_line(output: str) -> Answer:
    """Take the `answer:` line that our own programs print."""
    match = re.search(r"^answer: (.+)$", output, re.MULTILINE)
    if not match:
        message = "no line 'answer: …' in the output"
        raise NoAnswerError(message)
    return {"answer": match[1].strip()}


def agree(first: Answer, second: Answer, tolerance: float) -> bool:
    """Tell whether texts are equal and numbers differ by at most `tolerance`, relative to the larger one."""
    return first.keys() == second.keys() and all(_same(value, second[name], tolerance) for name, value in first.items())


def _same(first: float | str, second: float | str, tolerance: float) -> bool:
    if isinstance(first, str) or isinstance(second, str):
        return first == second
    return math.isclose(first, second, rel_tol=tolerance, abs_tol=tolerance * 1e-3)
