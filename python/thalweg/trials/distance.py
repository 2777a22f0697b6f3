# SPDX-License-Identifier: BSD-3-Clause
"""How far apart ranks were while they were measured, and which turns of a trial may be compared.

Virtual cores change places within seconds. What takes 1 us between two that share a cache may take 3 between others,
and rather other strategies are then the best. So each turn of a trial has the distance before and after it: what a
cache line takes there and back (src/run/trial/distance.h).
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from thalweg._core import is_same_distance


def like_turns(distances_ns: Sequence[float]) -> tuple[list[int], float]:
    """Choose the turns that were taken at one distance, that of most turns; also gives it, or 0 if it is not known.

    Turn t is between distances t and t + 1. One of whose two distances are unlike is not among them.
    """
    known = [[one for one in pair if one > 0] for pair in pairwise(distances_ns)]
    best = [turn for turn, ends in enumerate(known) if not ends]
    for nearest in sorted({one for ends in known for one in ends}):
        alike = [
            turn
            for turn, ends in enumerate(known)
            if all(one >= nearest and is_same_distance(nearest, one) for one in ends)
        ]
        best = alike if len(alike) > len(best) else best
    seen = [one for turn in best for one in known[turn]]
    return best, median(seen) if seen else 0.0
