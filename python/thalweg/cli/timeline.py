# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg timeline`: timelines one above the other, and of events that were kept."""

from typing import Annotated

import typer

from thalweg.cli.outputs import output_file


def timeline(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Timelines in JSON, the uppermost first; or events.")
    ],
    *,
    output: Annotated[str, output_file("--output", "-o", help="The timeline to write.", show_default=False)],
) -> None:
    """Put timelines one above the other.

    They come from `thalweg run --timeline` and `thalweg simulate --timeline`, so that the measured run stands above the
    simulated one. Both begin at 0. From a file of events, FILE.events, the timeline itself is written: `srun thalweg
    run` leaves one where no command waits for the end of the job. If the job was killed, it leaves a folder,
    FILE.parts.
    """
    from thalweg.timeline.command import convert  # noqa: PLC0415 - help does without

    convert(files, output)
