# SPDX-License-Identifier: BSD-3-Clause
"""Pages of help for what typer does not read: the command itself, its groups, and `run`."""

import shutil
import textwrap
from collections.abc import Iterable

from thalweg.cli.table import BY_NAME, GROUPS, names_in, top_names

WIDTH_MAX = 100
_NAMES_MAX = 32
_HELP = ("-h, --help", "Show this page.")

Rows = Iterable[tuple[str, str]]


def page(usage: str, texts: Iterable[str], sections: Iterable[tuple[str, Rows]]) -> str:
    """Write a page: how the command is called, paragraphs, and sections of names, each with a text."""
    width = min(shutil.get_terminal_size().columns, WIDTH_MAX)
    filled = [line for heading, rows in sections for line in _section(heading, rows, width)]
    paragraphs = ["\n".join(textwrap.wrap(line, width)) for text in texts for line in (*text.splitlines(), "")]
    return "\n".join([f"Usage: {usage}", "", *paragraphs, *filled]).rstrip() + "\n"


def _section(heading: str, rows: Rows, width: int) -> list[str]:
    """Write a section; the texts of its names stand below each other."""
    kept = list(rows)
    longest = max((len(name) for name, _ in kept if len(name) <= _NAMES_MAX), default=0)
    lines = [f"{heading}:"]
    for name, text in kept:
        wrapped = textwrap.wrap(text, max(width - longest - 4, 20)) or [""]
        fits = len(name) <= longest
        lines += [f"  {name:{longest}}  {wrapped[0]}"] if fits else [f"  {name}", f"  {'':{longest}}  {wrapped[0]}"]
        lines += [f"  {'':{longest}}  {line}" for line in wrapped[1:]]
    return [*lines, ""]


def main_page(others: Iterable[str]) -> str:
    """Write the page of `thalweg` itself; `others` are the commands that installed packages add."""
    rows = [(name, _summary_of(name)) for name in top_names()]
    options = [
        ("--version", "Print the version and leave."),
        ("--install-completion", "Let the shell complete commands and options."),
        ("--show-completion", "Print what that puts into the shell's start-up file."),
        _HELP,
    ]
    installed = ", ".join(others)
    return page(
        "thalweg COMMAND [OPTION]…",
        [
            "Make MPI programs communicate faster on the machine that they really run on.",
            "`thalweg COMMAND --help` says more of each.",
        ],
        [
            ("Commands", rows),
            *([("For developers", [(installed, "Installed beside: thalweg COMMAND --help.")])] if installed else []),
            ("Options", options),
        ],
    )


def group_page(name: str) -> str:
    """Write the page of a group of commands."""
    group = GROUPS[name]
    rows = [(inner, BY_NAME[f"{name} {inner}"].summary) for inner in names_in(name)]
    texts = [f"{group.summary}."]
    if group.usual:
        texts.append(f"`thalweg {name} …` without one of the commands is `thalweg {name} {group.usual} …`.")
    texts.append(f"`thalweg {name} COMMAND --help` names a command's options.")
    return page(f"thalweg {name} COMMAND [OPTION]…", texts, [("Commands", rows), ("Options", [_HELP])])


def _summary_of(name: str) -> str:
    if name in GROUPS:
        return f"{GROUPS[name].summary}: {', '.join(names_in(name))}"
    return BY_NAME[name].summary
