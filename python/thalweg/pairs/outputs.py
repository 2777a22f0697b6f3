# SPDX-License-Identifier: BSD-3-Clause
"""Whether two ways to run a program answer alike, as far as the program answers alike from run to run."""

from collections.abc import Sequence
from typing import NamedTuple

from thalweg.units import count_text


class Comparison(NamedTuple):
    """Lines that all native runs wrote alike, and those of them that a run under Thalweg did not write."""

    compared: int
    lost: tuple[str, ...]
    is_identical: bool


def compare(native: Sequence[str], ours: Sequence[str]) -> Comparison:
    """Compare outputs. Lines that differ from one native run to the next, as times, are left out.

    Ranks write in any order: lines are compared as a set.
    """
    if len({*native, *ours}) == 1:
        return Comparison(len(native[0].splitlines()), (), is_identical=True)
    stable = set(native[0].splitlines())
    for output in native[1:]:
        stable &= set(output.splitlines())
    kept = [line for line in dict.fromkeys(native[0].splitlines()) if line in stable]
    lost = [line for line in kept if not all(line in output.splitlines() for output in ours)]
    return Comparison(len(kept), tuple(lost), is_identical=False)


def text_of(comparison: Comparison) -> str:
    """Say it in a line."""
    if comparison.lost:
        count = len(comparison.lost)
        verb = "is" if count == 1 else "are"
        return f"answers differ: {count_text(count, 'line')} that all native runs wrote {verb} missing under Thalweg"
    if comparison.is_identical:
        return "answers equal (identical output)"
    if comparison.compared:
        verb = "does" if comparison.compared == 1 else "do"
        return f"answers equal ({count_text(comparison.compared, 'line')} that {verb} not change from run to run)"
    return "answers not compared: no line of the output is the same in two native runs"
