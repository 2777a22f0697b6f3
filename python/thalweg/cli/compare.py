# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg compare`: two reports side by side."""

from typing import Annotated

import typer

from thalweg.answers.answer import answered
from thalweg.cli.options import JsonFile
from thalweg.cli.outputs import output_file
from thalweg.errors import FAILED
from thalweg.terminal import print_line

_SITES_MAX = 12


def compare(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A run's report.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Another one's.")],
    *,
    slower: Annotated[
        str,
        typer.Option(metavar="PART", help="Fail if the second run takes this much longer: 5%.", show_default="never"),
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Show all call sites.")] = False,
    html: Annotated[str, output_file(help="Write it as a page, too.", show_default=False)] = "",
    json_file: JsonFile = "",
) -> None:
    """Compare the reports of two runs.

    They are of two builds, of two machines, or from before a change and after it. Times of call sites and of MPI are
    means over ranks, and sites are matched by function, file and line. The exit status is 1 if the second run is slower
    by more than --slower, and else 0.
    """
    from thalweg.report.compare import as_data, compare, lines_of, tolerance  # noqa: PLC0415 - help does without
    from thalweg.report.run_report import read_report  # noqa: PLC0415

    allowed = tolerance(slower) if slower else None
    reports = read_report(before), read_report(after)
    found = compare(*reports)
    is_silent = answered("compare", {"before": before, "after": after, **as_data(found)}, json_file)
    for line in [] if is_silent else lines_of(found, len(found.sites) if everything else _SITES_MAX):
        print_line(line)
    if html:
        from thalweg.pages.writing import write_page  # noqa: PLC0415
        from thalweg.report.page import page  # noqa: PLC0415

        written = write_page(page(reports[1], after, reports[0]), html)
        if not is_silent:
            print_line(written)
    if allowed is not None and found.slower > allowed:
        if not is_silent:
            print_line(f"slower: the wall time grew by {found.slower:.1%}, and {allowed:.1%} is allowed")
        raise typer.Exit(FAILED.number)
