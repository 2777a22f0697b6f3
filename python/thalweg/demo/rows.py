"""Measured cases as the rows that all benchmarks of this project write."""

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypedDict

from thalweg.demo.pairs import Case


class Row(TypedDict):
    """One figure of ours beside a peer's; the ratio is above 1 where ours is better."""

    case: str
    metric: str
    unit: str
    ours: float
    peer: float
    peer_name: str
    ratio: float


def rows_of(cases: Iterable[Case]) -> list[Row]:
    """Two rows a case, wall and CPU time, then the geometric means of each MPI library."""
    rows: list[Row] = []
    for case in cases:
        if case.native is None or case.thalweg is None:
            continue
        peer_name = f"{case.program.flavor.title} alone"
        rows.append(_row(case.name, "wall time", case.thalweg.wall_s, case.native.wall_s, peer_name))
        rows.append(_row(case.name, "CPU time", case.thalweg.cpu_s, case.native.cpu_s, peer_name))
    return rows + _means(rows)


def geometric_mean(numbers: Sequence[float]) -> float:
    """The mean that ratios have; 1 of nothing."""
    return math.exp(math.fsum(math.log(number) for number in numbers) / len(numbers)) if numbers else 1.0


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Write JSON, a row a line."""
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


def _row(case: str, metric: str, ours: float, peer: float, peer_name: str) -> Row:
    return {
        "case": case,
        "metric": metric,
        "unit": "s",
        "ours": round(ours, 6),
        "peer": round(peer, 6),
        "peer_name": peer_name,
        "ratio": round(peer / ours, 4),
    }


def _means(rows: Sequence[Row]) -> list[Row]:
    groups = dict.fromkeys((row["peer_name"], row["metric"]) for row in rows)
    means = []
    for peer_name, metric in groups:
        group = [row for row in rows if (row["peer_name"], row["metric"]) == (peer_name, metric)]
        ours = geometric_mean([row["ours"] for row in group])
        peer = geometric_mean([row["peer"] for row in group])
        means.append(_row("geometric mean", metric, ours, peer, peer_name))
    return means
