# SPDX-License-Identifier: BSD-3-Clause
"""Man pages in roff, one for the command and one for each of its own commands."""

import re
from collections.abc import Iterable
from typing import Any

import typer

from thalweg.cli.tree import make_application
from thalweg.errors import STATUSES
from thalweg.settings.options import OPTIONS

_SEE_ALSO = "thalweg(1), thalweg-run(1), mpirun(1)"


def man_pages() -> dict[str, str]:
    """Write every page, by name without its section."""
    root: Any = typer.main.get_command(make_application(with_extensions=False))
    pages = {"thalweg": _root_page(root)}
    for name, command in root.commands.items():
        pages[f"thalweg-{name}"] = _command_page(f"thalweg {name}", command)
    return pages


def _root_page(root: Any) -> str:
    lines = [*_head("thalweg", root.help)]
    lines += [".SH SYNOPSIS", ".B thalweg", ".I COMMAND", "[options]"]
    lines += [".SH DESCRIPTION", *_paragraphs(root.help), ".SH COMMANDS"]
    for name, command in root.commands.items():
        lines += [".TP", f"\\fBthalweg\\-{name}\\fR(1)", _escape(_summary(command.help))]
    lines += [".SH OPTIONS", *_options(root.params), *_variables(), *_files(), *_exit_status()]
    return _finish(lines)


def _command_page(title: str, command: Any) -> str:
    groups = getattr(command, "commands", {})
    lines = [*_head(title.replace(" ", "-"), command.help), ".SH SYNOPSIS", f".B {_escape(title)}"]
    lines += [
        "[options]",
        *(f".I {_escape(_argument(each))}" for each in command.params if not each.opts[0].startswith("-")),
    ]
    lines += [".SH DESCRIPTION", *_paragraphs(command.help)]
    if command.params:
        lines += [".SH OPTIONS", *_options(command.params)]
    for name, inner in groups.items():
        lines += [f".SH {title.upper()} {name.upper()}", *_paragraphs(inner.help), *_options(inner.params)]
    if title == "thalweg run":
        lines += [*_variables(), *_files()]
    lines += _exit_status()
    return _finish(lines)


def _head(name: str, help_text: str) -> list[str]:
    return [
        f'.TH {_escape(name.upper())} 1 "" "Thalweg"',
        ".SH NAME",
        f"{_escape(name)} \\- {_escape(_summary(help_text))}",
    ]


def _options(parameters: Iterable[Any]) -> list[str]:
    lines = []
    for parameter in parameters:
        if not parameter.opts[0].startswith("-") or getattr(parameter, "hidden", False):
            continue
        names = ", ".join(f"\\fB{_escape(name)}\\fR" for name in (*parameter.opts, *parameter.secondary_opts))
        value = "" if parameter.is_flag else f" \\fI{_escape(parameter.metavar or _argument(parameter))}\\fR"
        lines += [".TP", names + value, _escape(_plain(parameter.help or ""))]
    return lines


def _argument(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper().replace("_", "-"))


def _variables() -> list[str]:
    lines = [".SH ENVIRONMENT"]
    for option in OPTIONS:
        lines += [".TP", f"\\fB{option.variable}\\fR", _escape(f"As {option.flag}. {option.help}")]
    return lines


def _files() -> list[str]:
    return [
        ".SH FILES",
        ".TP",
        "\\fI./thalweg.toml\\fR",
        "Settings of the project in this folder, under the same names as the options, in TOML.",
        ".TP",
        "\\fI$XDG_CONFIG_HOME/thalweg/config.toml\\fR",
        "Settings of the user; ~/.config where XDG_CONFIG_HOME is not set.",
    ]


def _exit_status() -> list[str]:
    lines = [".SH EXIT STATUS", "A program that was started leaves with its own status. Otherwise:"]
    lines += [".TP", "\\fB0\\fR", "All is well."]
    for status in STATUSES:
        lines += [
            ".TP",
            f"\\fB{status.number}\\fR",
            _escape(status.description[0].upper() + status.description[1:] + "."),
        ]
    return lines


def _paragraphs(text: str) -> list[str]:
    lines: list[str] = []
    for paragraph in _plain(text).split("\n\n"):
        for line in paragraph.strip().splitlines():
            lines += [_escape(line.strip()), ".br"] if ": " in line else [_escape(line.strip())]
        lines.append(".PP")
    return lines[:-1]


def _summary(text: str) -> str:
    return _plain(text).strip().split("\n\n")[0].split(": ")[0].rstrip(".").replace("\n", " ")


def _plain(text: str) -> str:
    return re.sub(r"\[/?[a-z ]+\]", "", text)


def _escape(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _finish(lines: list[str]) -> str:
    return "\n".join([*lines, ".SH SEE ALSO", _escape(_SEE_ALSO)]) + "\n"
