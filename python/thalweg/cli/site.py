# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg site`: where the jobs of a center lose time."""

import datetime as dt
from typing import Annotated

import typer

from thalweg.answers.answer import answered
from thalweg.cli.options import JsonFile
from thalweg.terminal import print_line


def site(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where THALWEG_LOGS lets jobs keep their logs.")],
    *,
    since: Annotated[
        str, typer.Option(metavar="TIME", help="Jobs that began since: 12h, 7d, 2026-11-01.", show_default="all")
    ] = "",
    rows: Annotated[int, typer.Option(metavar="N", min=1, help="Lines of each table.")] = 10,
    json_file: JsonFile = "",
) -> None:
    """Say where the jobs of a center lose the most time.

    With THALWEG_LOGS=/shared/thalweg/%Y/%m/%d in their environment, all jobs under `thalweg run` leave one small file
    there, of a few kilobytes. Times are sums over ranks: in MPI, waiting for late ranks, and in collectives that the
    MPI library ran, without waiting. A tuned file may shorten the last.
    """
    from thalweg.report.site import document_of, lines_of, read_site, since_from_text  # noqa: PLC0415 - help does without

    now = dt.datetime.now(dt.UTC)
    center = read_site(folder, since_from_text(since, now) if since else None)
    if answered("site", document_of(center), json_file):
        return
    for line in lines_of(center, rows):
        print_line(line)
