# SPDX-License-Identifier: BSD-3-Clause
"""The commands and options of `thalweg`, counted on the application itself."""

from collections.abc import Iterator
from typing import Any

import typer

Path = tuple[str, ...]


def leaves(command: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the commands that do something, each with the words that call it.

    Their types are Click's, which newer versions of Typer keep to themselves: whatever has commands is a group.
    """
    if children := getattr(command, "commands", None):
        for name, child in children.items():
            yield from leaves(child, (*path, name))
    else:
        yield path, command


def command_figures() -> dict[str, int]:
    """Count them, and those of `thalweg bench` among them. `--help`, which every command has, is none."""
    from thalweg.cli import make_application  # noqa: PLC0415 - whoever measures something else needs no build

    options = {
        path: sum(parameter.opts[0].startswith("-") for parameter in leaf.params)
        for path, leaf in leaves(typer.main.get_command(make_application()))
    }
    bench = [path for path in options if path[0] == "bench"]
    return {
        "commands": len(options),
        "options": sum(options.values()),
        "bench_commands": len(bench),
        "bench_options": sum(options[path] for path in bench),
    }
