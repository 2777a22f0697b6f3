# SPDX-License-Identifier: BSD-3-Clause
"""The table at the end of the demo."""

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from thalweg.rows import geometric_mean
from thalweg_labs.demo.pairs import Case, Medians
from thalweg_labs.demo.site import FLAVORS

_COLUMNS = ("wall s", "Thalweg", "ratio", "CPU s", "Thalweg", "ratio", "exposed", "ratio")


def table_of(cases: Sequence[Case]) -> Table:
    """One row a case, a row of geometric means for each MPI library; ratios above 1 are Thalweg's gain."""
    table = Table(title="Natively and under Thalweg: medians, ratios above 1 mean that Thalweg is faster")
    for title in ("program", "MPI"):
        table.add_column(title)
    for title in ("ranks", *_COLUMNS):
        table.add_column(title, justify="right")
    table.add_column("pairs", justify="right")
    table.add_column("answers agree")
    for flavor in FLAVORS.values():
        group = [case for case in cases if case.program.flavor == flavor]
        for case in group:
            table.add_row(*_cells(case))
        if any(case.native for case in group):
            table.add_section()
            table.add_row("[bold]geometric mean", flavor.title, "", *_mean_cells(group), "", "")
            table.add_section()
    return table


def _cells(case: Case) -> list[Text | str]:
    start: list[Text | str] = [case.program.title, case.program.flavor.title, str(case.ranks)]
    if case.native is None or case.thalweg is None:
        end = Text("cut off", "yellow") if case.not_run else Text("failed", "bold red")
        return [*start, *["-"] * len(_COLUMNS), "", end]
    return [
        *start,
        f"{case.native.wall_s:.2f}",
        f"{case.thalweg.wall_s:.2f}",
        _ratio(case.native.wall_s / case.thalweg.wall_s),
        f"{case.native.cpu_s:.2f}",
        f"{case.thalweg.cpu_s:.2f}",
        _ratio(case.native.cpu_s / case.thalweg.cpu_s),
        *_exposed_cells(case.native, case.thalweg),
        str(case.pairs),
        Text("yes", "green") if case.answers_agree else Text("NO", "bold red"),
    ]


def _mean_cells(cases: Iterable[Case]) -> list[Text | str]:
    pairs = [(case.native, case.thalweg) for case in cases if case.native and case.thalweg]
    wall = _ratio(geometric_mean([native.wall_s / ours.wall_s for native, ours in pairs]))
    cpu = _ratio(geometric_mean([native.cpu_s / ours.cpu_s for native, ours in pairs]))
    exposed = [_exposed_ratio(*pair) for pair in pairs if pair[0].exposed_s is not None]
    return ["", "", wall, "", "", cpu, "", _ratio(geometric_mean(exposed)) if exposed else ""]


def _exposed_cells(native: Medians, ours: Medians) -> list[Text | str]:
    """Give what a program that overlaps waited natively, and by how much less; nothing of others."""
    if native.exposed_s is None:
        return ["", ""]
    return [f"{native.exposed_s:.2f}", _ratio(_exposed_ratio(native, ours))]


def _exposed_ratio(native: Medians, ours: Medians) -> float:
    return max(native.exposed_s or 0.0, 1e-6) / max(ours.exposed_s or 0.0, 1e-6)


def _ratio(ratio: float) -> Text:
    style = "bold green" if ratio >= 1.05 else "red" if ratio < 0.95 else ""
    return Text(f"{ratio:.2f}", style)
