# SPDX-License-Identifier: BSD-3-Clause
"""What interposer and command both know; `python -m thalweg.settings.tables src/run/mpi/state` writes it."""

import sys
from pathlib import Path

from thalweg.settings.options import OPTIONS
from thalweg.settings.user_algorithms import CHOICES
from thalweg.settings.values import WHOLE_NUMBERS

HEAD = "// Written by `make man` from {source}.\n"


def settings_table() -> str:
    """Write the settings of the ranks: name, variable, and the largest number where it is one."""
    lines = [
        f'THALWEG_SETTING({option.name}, "{option.variable}", {WHOLE_NUMBERS.get(option.kind, 0)})'
        for option in OPTIONS
        if option.for_ranks
    ]
    return HEAD.format(source="python/thalweg/settings/options.py") + "\n".join(lines) + "\n"


def user_algorithms_table() -> str:
    """Write the patterns of the libraries' variables that choose algorithms: prefix, inside and suffix."""
    lines = [f'THALWEG_USER_ALGORITHM("{prefix}", "{inside}", "{suffix}")' for prefix, inside, suffix in CHOICES]
    return HEAD.format(source="python/thalweg/settings/user_algorithms.py") + "\n".join(lines) + "\n"


def tables() -> dict[str, str]:
    """Every table by its place in src/run/mpi/state."""
    return {"settings_table.inc": settings_table(), "user_algorithms.inc": user_algorithms_table()}


def main() -> None:
    """Write them."""
    for name, text in tables().items():
        (Path(sys.argv[1]) / name).write_text(text)


if __name__ == "__main__":
    main()
