# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg doctor`: what works on this host."""

import os

import typer

from thalweg.answers.answer import answered
from thalweg.cli.options import JsonFile
from thalweg.errors import FAILED
from thalweg.terminal import print_line


def doctor(*, json_file: JsonFile = "") -> None:
    """Say what works on this host, what does not, and what to do.

    The answer is made to be pasted into a report of a problem. The exit status is 1 if something cannot work.
    """
    from thalweg.doctor import findings  # noqa: PLC0415
    from thalweg.health.finding import FAIL, lines_of  # noqa: PLC0415 - help does without

    found = findings(os.environ, os.getcwd())
    if not answered("doctor", {"findings": [one._asdict() for one in found]}, json_file):
        for line in lines_of(found):
            print_line(line)
    if any(one.state == FAIL for one in found):
        raise typer.Exit(FAILED.number)
