# SPDX-License-Identifier: BSD-3-Clause
"""Whether two ways to run a program answer alike, as far as the program answers alike from run to run."""

from collections.abc import Sequence
from typing import NamedTuple


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
        return f"answers differ: {len(comparison.lost)} lines that all native runs wrote are missing under Thalweg"
    if comparison.is_identical:
        return "answers equal (identical output)"
    if comparison.compared:
        return f"answers equal ({comparison.compared} lines that do not change from run to run)"
    return "answers not compared: no line of the output is the same in two native runs"
