# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg report`: a run's report as a page."""

import os
from typing import Annotated

import typer

from thalweg.errors import USAGE, ThalwegError
from thalweg.terminal import print_line


def report(
    path: Annotated[
        str, typer.Argument(metavar="REPORT", help="What thalweg run --report FILE wrote, or a folder of parts.")
    ] = "",
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="One from before a change, to compare with.", show_default=False)
    ] = "",
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The page.", show_default="beside the report")
    ] = "",
    opens: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of reports, and do no more.")] = False,
) -> None:
    """Show a run's report as a page.

    The page is one file of HTML, which opens without a network. Its first screen says what cost the most, and which
    command does something about it. A click on a column of the call sites sorts them. Of two reports, times stand
    beside those before, with by how much they changed.

    Ranks that were killed in a job that another launcher started leave what they counted in FILE.parts. Given that
    folder, the command merges what is there, and says how far the job got and which ranks of which hosts are missing.
    In an allocation of Slurm it first brings the parts of hosts that do not share the folder.
    """
    from thalweg.pages.writing import write_page  # noqa: PLC0415 - help does without
    from thalweg.report.page import page  # noqa: PLC0415
    from thalweg.report.run_report import REMEDY, read_report, schema_text  # noqa: PLC0415

    if schema:
        print_line(schema_text().rstrip())
        return
    if not path:
        raise ThalwegError(USAGE, "no report is named", REMEDY)
    if os.path.isdir(path):
        from thalweg.report.rank_parts import merged  # noqa: PLC0415

        path = merged(path)
    written = output or f"{path.removesuffix('.json')}.html"
    text = page(read_report(path), path, read_report(before) if before else None)
    print_line(write_page(text, written, opens=opens))
