# SPDX-License-Identifier: BSD-3-Clause
"""A run's report for notebooks: its call sites as a DataFrame, its ranks as a picture."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from thalweg.errors import INSTALLATION, ThalwegError
from thalweg.notebook_html import table_html
from thalweg.pages.render import percent
from thalweg.plots import new_figure
from thalweg.report import run_report
from thalweg.units import count_text, time_text

if TYPE_CHECKING:
    from pandas import DataFrame

    from thalweg.notebook_figure import NotebookFigure

_SHOWN_SITES_MAX = 10
_DRAWN_RANKS_MAX = 1024


@dataclass(frozen=True, repr=False)
class Report(run_report.RunReport):
    """A run's report; `calls` are its call sites and `ranks` the ranks' times, both also as DataFrames."""

    def __repr__(self) -> str:
        """Say what ran, and how much of it was communication."""
        return (
            f"<Report of {' '.join(self.command)}: {count_text(len(self.ranks), 'rank')} on "
            f"{count_text(self.nodes, 'node')}, {time_text(self.wall_ns * 1e-9)}, "
            f"{percent(self.share(self.mpi_ns))} in MPI>"
        )

    def _repr_html_(self) -> str:
        """Show the call sites with the most time in a notebook."""
        sites = sorted(self.calls, key=lambda site: -site.time_ns)
        more = len(sites) - _SHOWN_SITES_MAX
        return table_html(
            f"{self!r}".strip("<>") + (f"; {more} more call sites" if more > 0 else ""),
            ("function", "call site", "calls", "time", "mean", "waiting"),
            [
                (
                    site.function,
                    site.place,
                    f"{site.calls:,}",
                    percent(self.share(site.time_ns)),
                    time_text(site.time_ns * 1e-9 / max(site.calls, 1)),
                    "" if site.waiting_share is None else percent(site.waiting_share),
                )
                for site in sites[:_SHOWN_SITES_MAX]
            ],
        )

    def calls_frame(self) -> DataFrame:
        """Give a row for each call site, those with the most time first, as a DataFrame.

        Columns end in _ns where they are nanoseconds, summed over ranks. waiting_share is NaN where the function has
        no such measure, and strategies has the names of what ran. Raises ThalwegError where pandas is missing.
        """
        return _frame(
            [
                {
                    "function": site.function,
                    "place": site.place,
                    "within": site.within,
                    "ranks": site.ranks,
                    "calls": site.calls,
                    "bytes": site.bytes,
                    "time_ns": site.time_ns,
                    "mean_ns": site.time_ns / max(site.calls, 1),
                    "longest_call_ns": site.longest_call_ns,
                    "waiting_ns": site.waiting_ns,
                    "waiting_share": float("nan") if site.waiting_share is None else site.waiting_share,
                    "share": self.share(site.time_ns),
                    "strategies": ", ".join(end.strategy for end in site.ran_on),
                }
                for site in sorted(self.calls, key=lambda site: -site.time_ns)
            ]
        )

    def ranks_frame(self) -> DataFrame:
        """Give a row for each rank: its node, its host, and its time in all and in MPI in nanoseconds.

        Raises ThalwegError where pandas is missing.
        """
        return _frame(
            [
                {"rank": one.rank, "node": one.node, "host": one.host, "wall_ns": one.wall_ns, "mpi_ns": one.mpi_ns}
                for one in self.ranks
            ]
        )

    def plot(self) -> NotebookFigure:
        """Draw the time of each rank, computing and in MPI. Raises ThalwegError where matplotlib is missing."""
        from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - slow, and few programs draw

        shown = self.ranks[:_DRAWN_RANKS_MAX]
        ranks = [one.rank for one in shown]
        in_mpi = [one.mpi_ns * 1e-9 for one in shown]
        computing = [max(one.wall_ns - one.mpi_ns, 0) * 1e-9 for one in shown]
        figure = new_figure(7, 1.5 + min(0.25 * len(shown), 8))
        axes = figure.subplots()
        axes.barh(ranks, computing, color="tab:blue", label="computing")
        axes.barh(ranks, in_mpi, left=computing, color="tab:orange", label="in MPI")
        axes.set_title(" ".join(self.command))
        axes.set_xlabel("s")
        axes.set_ylabel("rank")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.invert_yaxis()
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
        return figure


def read_report(path: str) -> Report:
    """Read what `thalweg run --report FILE` wrote. Raises ThalwegError with the file, and what is wrong with it."""
    found = run_report.read_report(path)
    return Report(**{each.name: getattr(found, each.name) for each in fields(found)})


def _frame(rows: list[dict[str, Any]]) -> DataFrame:
    try:
        from pandas import DataFrame  # noqa: PLC0415 - slow, and few programs want frames
    except ImportError as error:
        raise ThalwegError(INSTALLATION, "data frames need pandas", "pip install 'thalweg[pandas]'") from error
    return DataFrame(rows)
