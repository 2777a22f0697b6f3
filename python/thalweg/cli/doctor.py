# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg doctor`: what works on this host."""

import json
import os
from typing import Annotated

import typer

from thalweg.errors import FAILED
from thalweg.terminal import print_line


def doctor(*, as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False) -> None:
    """Say what works on this host, what does not, and what to do.

    The answer is made to be pasted into a report of a problem. The exit status is 1 if something cannot work.
    """
    from thalweg.doctor import findings  # noqa: PLC0415
    from thalweg.health.finding import FAIL, lines_of  # noqa: PLC0415 - help does without

    found = findings(os.environ, os.getcwd())
    if as_json:
        print(json.dumps([one._asdict() for one in found], indent=2))
    else:
        for line in lines_of(found):
            print_line(line)
    if any(one.state == FAIL for one in found):
        raise typer.Exit(FAILED.number)
