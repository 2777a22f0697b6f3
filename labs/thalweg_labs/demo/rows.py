# SPDX-License-Identifier: BSD-3-Clause
"""Measured cases as the rows that all benchmarks of this project write."""

from collections.abc import Iterable, Sequence

from thalweg.rows import Row, geometric_mean, make_row
from thalweg_labs.demo.pairs import Case

EXPOSED = "exposed time"
"""The metric of programs that overlap communication with computation."""


def rows_of(cases: Iterable[Case]) -> list[Row]:
    """Give rows of a case, wall and CPU time and what is exposed, then the geometric means of each MPI library."""
    rows: list[Row] = []
    for case in cases:
        if case.native is None or case.thalweg is None:
            continue
        peer_name = f"{case.program.flavor.title} alone"
        rows.append(make_row(case.name, "wall time", "s", case.thalweg.wall_s, case.native.wall_s, peer_name))
        rows.append(make_row(case.name, "CPU time", "s", case.thalweg.cpu_s, case.native.cpu_s, peer_name))
        if case.native.exposed_s is not None and case.thalweg.exposed_s is not None:
            both = (case.thalweg.exposed_s, case.native.exposed_s)
            rows.append(make_row(case.name, EXPOSED, "s", *both, peer_name))
    return rows + _means(rows)


def _means(rows: Sequence[Row]) -> list[Row]:
    groups = dict.fromkeys((row["peer_name"], row["metric"]) for row in rows)
    means = []
    for peer_name, metric in groups:
        group = [row for row in rows if (row["peer_name"], row["metric"]) == (peer_name, metric)]
        ours = geometric_mean([row["ours"] for row in group])
        peer = geometric_mean([row["peer"] for row in group])
        means.append(make_row("geometric mean", metric, "s", ours, peer, peer_name))
    return means
