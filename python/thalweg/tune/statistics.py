# SPDX-License-Identifier: BSD-3-Clause
"""Whether one candidate is surely faster than another, by samples of both.

The rule for samples that were taken in turns is Mann's and Whitney's rank-sum test. scipy has it, with the exact
distribution for few samples and ties; only commands that measure need it. Its constants are in the one table of all
rules, src/core/evidence/evidence.hpp.
"""

from collections.abc import Sequence
from statistics import median

from thalweg._core import EvidenceLimits

GAIN_MIN = 1 - 1 / EvidenceLimits.gain
"""What replaces the default takes less time by that part at least."""


def is_faster(ours: Sequence[float], theirs: Sequence[float], *, min_gain: float = 0.0) -> bool:
    """Tell whether the first samples are surely smaller: by the median, and by the rank-sum test.

    Mann and Whitney 1947, one-sided at 5 %; it needs no distribution and tolerates outliers. `min_gain` is the part of
    their median by which ours must be smaller.
    """
    if median(ours) >= median(theirs) * (1 - min_gain):
        return False
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - slow to import

    scaled = [value / (1 - min_gain) for value in ours]
    return bool(mannwhitneyu(scaled, theirs, alternative="less").pvalue < EvidenceLimits.error_rank_sum)


def is_hopeless(ours: Sequence[float], theirs: Sequence[float], rounds: int) -> bool:
    """Tell whether more rounds are not worth their time: after a few, our best sample is far behind their worst."""
    return rounds >= EvidenceLimits.rounds_hopeless and min(ours) > EvidenceLimits.hopeless * max(theirs)
