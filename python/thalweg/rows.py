# SPDX-License-Identifier: BSD-3-Clause
"""The rows that all benchmarks write: one figure of ours beside a peer's, the ratio above 1 where ours is better."""

import json
import math
from collections.abc import Sequence
from statistics import median
from typing import TypedDict

from thalweg.text_files import write_text

_FIGURE_DIGITS = 9
_RATIO_DIGITS = 6


class Row(TypedDict):
    """A figure where less is better; ratio is peer / ours."""

    case: str
    metric: str
    unit: str
    ours: float
    peer: float
    peer_name: str
    ratio: float


def make_row(case: str, metric: str, unit: str, ours: float, peer: float, peer_name: str) -> Row:  # noqa: PLR0913, PLR0917
    """Make a row; a figure of nothing counts as the smallest that is shown."""
    ratio = max(peer, 1e-6) / max(ours, 1e-6)
    return {
        "case": case,
        "metric": metric,
        "unit": unit,
        "ours": _to_digits(ours, _FIGURE_DIGITS),
        "peer": _to_digits(peer, _FIGURE_DIGITS),
        "peer_name": peer_name,
        "ratio": _to_digits(ratio, _RATIO_DIGITS),
    }


def paired_row(case: str, metric: str, unit: str, pairs: Sequence[tuple[float, float]], peer_name: str) -> Row:
    """Make a row of runs in pairs, (ours, peer): medians, and as ratio the median of the pairs' ratios.

    Machines have phases of minutes in which everything takes two or three times as long; a pair is in one of them.
    """
    ours, peer = (median(values) for values in zip(*pairs, strict=True))
    row = make_row(case, metric, unit, ours, peer, peer_name)
    row["ratio"] = _to_digits(median(pair_ratios(pairs)), _RATIO_DIGITS)
    return row


def pair_ratios(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """Give peer / ours of each pair."""
    return [max(peer, 1e-6) / max(ours, 1e-6) for ours, peer in pairs]


def geometric_mean(numbers: Sequence[float]) -> float:
    """Take the mean that ratios have; 1 of nothing, and 0 where one is 0, as of times below a clock's steps."""
    if 0 in numbers:
        return 0.0
    return math.exp(math.fsum(math.log(number) for number in numbers) / len(numbers)) if numbers else 1.0


def write_rows(rows: Sequence[Row], path: str) -> None:
    """Write JSON, a row a line."""
    write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", path)


def _to_digits(number: float, digits: int) -> float:
    """Round to significant digits, not to places: a ratio of 0.0071 would have two left of four places."""
    return float(f"{number:.{digits}g}")
