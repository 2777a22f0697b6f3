# SPDX-License-Identifier: BSD-3-Clause
"""What samples say: medians, and whether one candidate is surely faster than another."""

from collections.abc import Sequence
from statistics import median

SURE = 0.05
GAIN_MIN = 0.03
"""What replaces the default is faster by that part at least: what is won in one job by less may be lost in the next."""


def is_faster(ours: Sequence[float], theirs: Sequence[float], *, min_gain: float = 0.0) -> bool:
    """Tell whether the first samples are surely smaller: by the median, and by the rank-sum test.

    Mann and Whitney 1947, one-sided at 5 %; it needs no distribution and tolerates outliers. `min_gain` is the part of
    their median by which ours must be smaller.
    """
    if median(ours) >= median(theirs) * (1 - min_gain):
        return False
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - slow to import

    scaled = [value / (1 - min_gain) for value in ours]
    return bool(mannwhitneyu(scaled, theirs, alternative="less").pvalue < SURE)
