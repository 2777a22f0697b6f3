# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg schema`: what the keys of commands' JSON hold."""

import json
from typing import Annotated

import typer

from thalweg.errors import USAGE, ThalwegError
from thalweg.terminal import print_line

_REPORT = "report"


def complete_name(context: typer.Context, incomplete: str) -> list[str]:
    """Give the words that come next in a command's name."""
    from thalweg.answers.schemas import SCHEMAS  # noqa: PLC0415 - help does without

    before = list(context.params.get("command") or [])
    names = [name.split() for name in (_REPORT, *SCHEMAS)]
    next_words = [name[len(before)] for name in names if name[: len(before)] == before and len(name) > len(before)]
    return [word for word in dict.fromkeys(next_words) if word.startswith(incomplete)]


def schema(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMMAND]", help="As place map, or report for a run's report.", autocompletion=complete_name
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a command's answer.

    Commands with --json answer by an object that has its format and version. Without a command, all that have a schema
    are listed.
    """
    from thalweg.answers.schemas import SCHEMAS  # noqa: PLC0415 - help does without
    from thalweg.report.run_report import schema_text  # noqa: PLC0415
    from thalweg.words import did_you_mean  # noqa: PLC0415

    name = " ".join(command or [])
    if not name:
        for known, form in {_REPORT: json.loads(schema_text()), **SCHEMAS}.items():
            print_line(f"{known:18}{form['title']}")
    elif name == _REPORT:
        print_line(schema_text().rstrip())
    elif name in SCHEMAS:
        print_line(json.dumps(SCHEMAS[name], indent=1))
    else:
        near = did_you_mean(name, (_REPORT, *SCHEMAS))
        raise ThalwegError(USAGE, f"no answer of {name!r} has a schema", f"thalweg schema lists those that have{near}")
