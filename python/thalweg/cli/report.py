# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg report`: a run's report as a page."""

from typing import Annotated

import typer

from thalweg.errors import USAGE, ThalwegError
from thalweg.terminal import print_line


def report(
    path: Annotated[str, typer.Argument(metavar="REPORT", help="What thalweg run --report FILE wrote.")] = "",
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The page.", show_default="beside the report")
    ] = "",
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of reports, and do no more.")] = False,
) -> None:
    """Show a run's report as a page.

    The page is one file of HTML, which opens without a network. Its first screen says what cost the most, and which
    command does something about it. A click on a column of the call sites sorts them.
    """
    from thalweg.report.page import page  # noqa: PLC0415 - help does without
    from thalweg.report.run_report import REMEDY, read_report, schema_text  # noqa: PLC0415
    from thalweg.text_files import write_text  # noqa: PLC0415

    if schema:
        print_line(schema_text().rstrip())
        return
    if not path:
        raise ThalwegError(USAGE, "no report is named", REMEDY)
    written = output or f"{path.removesuffix('.json')}.html"
    write_text(page(read_report(path), path), written)
    print_line(f"page: {written}")
