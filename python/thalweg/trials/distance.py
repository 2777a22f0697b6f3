# SPDX-License-Identifier: BSD-3-Clause
"""How far apart ranks were while they were measured, and which turns of a trial may be compared.

Virtual cores change places within seconds. What takes 1 us between two that share a cache may take 3 between others,
and rather other strategies are then the best. So each turn of a trial has the distance before and after it: what a
cache line takes there and back (src/run/trial/distance.h).
"""

from collections.abc import Sequence
from statistics import median

from thalweg._core import is_same_distance


def like_turns(distances_ns: Sequence[float]) -> tuple[list[int], float]:
    """Choose the turns that were taken at one distance, that of most turns; also gives it, or 0 if it is not known.

    Turn t is between distances t and t + 1. One of whose two distances are unlike is not among them.
    """
    pairs = list(zip(distances_ns, distances_ns[1:], strict=False))
    steady = {turn: max(pair) for turn, pair in enumerate(pairs) if is_same_distance(*pair)}
    best: list[int] = []
    for distance in sorted(set(steady.values())):
        alike = [turn for turn, other in steady.items() if is_same_distance(distance, other)]
        best = alike if len(alike) > len(best) else best
    known = [steady[turn] for turn in best if steady[turn] > 0]
    return best, median(known) if known else 0.0
