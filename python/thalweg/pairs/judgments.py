# SPDX-License-Identifier: BSD-3-Clause
"""What runs in pairs say, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg.pairs.outputs import Comparison, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.launch.timed_run import Run

# With fewer pairs the rank-sum test can never be sure.
SURE_PAIR_COUNT_MIN = 4
# The least difference of medians that is called one.
_DIFFERENCE_MIN = 0.02


@dataclass
class Pairs:
    """The runs of both ways, in their order."""

    native: list[Run] = field(default_factory=list)
    ours: list[Run] = field(default_factory=list)


class Tried(NamedTuple):
    """What a program's pairs of runs showed: also the time that the start takes, reasons, and the answers."""

    pairs: Pairs
    start_s: float
    reasons: list[str]
    outputs: Comparison
    tunable_share: float
    """Of the run: the transfer of calls that a search may make faster."""


def surely_saved_s(pairs: Pairs) -> float:
    """Give what the median wall time is less, where that is sure and is called a difference; else 0."""
    from thalweg.tune.statistics import is_faster  # noqa: PLC0415 - the compiled core has its constants

    native, ours = ([one.wall_s for one in runs] for runs in (pairs.native, pairs.ours))
    is_sure = is_faster(ours, native) or is_faster(native, ours)
    is_difference = abs(median(native) / median(ours) - 1) >= _DIFFERENCE_MIN
    return median(native) - median(ours) if is_sure and is_difference else 0.0


def judgment(native: Sequence[float], ours: Sequence[float]) -> str:
    """Say by how much ours is less, and whether that is sure."""
    from thalweg.tune.statistics import is_faster  # noqa: PLC0415 - the compiled core has its constants

    before, after = median(native), median(ours)
    if after <= 0 or before <= 0:
        return ""
    words = f"{before / after:.2f} x less" if after < before else f"{after / before:.2f} x more"
    if is_faster(ours, native) or is_faster(native, ours):
        return f"{words}, surely" if abs(before / after - 1) >= _DIFFERENCE_MIN else "the same"
    few = f" with fewer than {SURE_PAIR_COUNT_MIN} pairs" if len(native) < SURE_PAIR_COUNT_MIN else ""
    return f"no sure difference{few}"


def tried_data(tried: Tried, command: Sequence[str], report: str) -> dict[str, Any]:
    """Give it as plain data; `report` is what was kept."""
    native, ours = ([one.wall_s for one in runs] for runs in (tried.pairs.native, tried.pairs.ours))
    return {
        "command": list(command),
        "pairs": [
            {"native": _run(before), "thalweg": _run(after)}
            for before, after in zip(tried.pairs.native, tried.pairs.ours, strict=True)
        ],
        "median": {"native": _median_run(tried.pairs.native), "thalweg": _median_run(tried.pairs.ours)},
        "wall": {
            "factor": median(native) / median(ours),
            "is_sure": surely_saved_s(tried.pairs) != 0,
            "said": judgment(native, ours),
        },
        "start_s": tried.start_s,
        "reasons": tried.reasons,
        "outputs": {
            "are_equal": not tried.outputs.lost,
            "said": text_of(tried.outputs),
            "missing": list(tried.outputs.lost),
        },
        "report": report,
    }


def _run(run: Run) -> dict[str, Any]:
    return {"wall_s": run.wall_s, "cpu_s": run.cpu_s, "memory_bytes": run.memory_bytes}


def _median_run(runs: Sequence[Run]) -> dict[str, Any]:
    return {
        "wall_s": median(one.wall_s for one in runs),
        "cpu_s": median(one.cpu_s for one in runs),
        "memory_bytes": max(one.memory_bytes for one in runs),
    }
