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
    """Count the users' commands, and apart from them those that packages add, as `thalweg bench`. `--help` is none."""
    from thalweg.cli.table import top_names  # noqa: PLC0415 - whoever measures something else needs no build
    from thalweg.cli.tree import make_application  # noqa: PLC0415

    options = {
        path: sum(parameter.opts[0].startswith("-") for parameter in leaf.params)
        for path, leaf in leaves(typer.main.get_command(make_application()))
    }
    own = [path for path in options if path[0] in top_names()]
    return {
        "commands": len(own),
        "options": sum(options[path] for path in own),
        "added_commands": len(options) - len(own),
        "added_options": sum(options.values()) - sum(options[path] for path in own),
    }
