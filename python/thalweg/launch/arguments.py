"""The command line of `thalweg run`, read with the table of options.

The other commands use typer, whose import takes longer than starting a program under MPI does; the flags here come from
the same table as typer's, and a test holds the two together.
"""

import getopt
from collections.abc import Sequence
from typing import NamedTuple

from thalweg.errors import USAGE, ThalwegError
from thalweg.settings.options import OPTIONS
from thalweg.settings.values import Value, selections_from_text, value_from_text

RANKS_MAX = 1_000_000


class Arguments(NamedTuple):
    """What the command line says: the number of ranks (0 where not given), flags by option name, and the program."""

    ranks: int
    dry_run: bool
    flags: dict[str, Value]
    command: tuple[str, ...]


def read_arguments(words: Sequence[str]) -> Arguments:
    """Read what stands behind `thalweg run`; everything from the first word that is no flag belongs to the program."""
    short = "n:" + "".join(option.short[1:] + _colon(option.kind) for option in OPTIONS if option.short)
    long = ["ranks=", "dry-run"]
    for option in OPTIONS:
        long.append(option.flag[2:] + ("" if option.kind == "switch" else "="))
        long += [option.former_flag[2:] + "="] if option.former_flag else []
        long += [option.negation[2:]] if option.kind == "switch" else []
    try:
        pairs, command = getopt.getopt(list(words), short, long)
    except getopt.GetoptError as error:
        raise ThalwegError(USAGE, f"thalweg run: {error}", "thalweg run --help names all options") from error
    flags = _flags(pairs)
    ranks = _ranks([value for name, value in pairs if name in ("-n", "--ranks")])
    if not command:
        raise ThalwegError(USAGE, "thalweg run: which program?", "for example: thalweg run -n 8 -- ./program arguments")
    return Arguments(ranks, any(name == "--dry-run" for name, _ in pairs), flags, tuple(command))


def _flags(pairs: Sequence[tuple[str, str]]) -> dict[str, Value]:
    flags: dict[str, Value] = {}
    for option in OPTIONS:
        for name, text in pairs:
            if option.kind == "switch" and name in (option.flag, option.negation, option.short):
                flags[option.name] = name != option.negation
            elif name in (option.flag, option.short) and option.kind == "selections":
                before = flags.get(option.name)
                chosen = dict(before) if isinstance(before, dict) else {}
                flags[option.name] = chosen | selections_from_text(text, option.flag)
            elif name in (option.flag, option.former_flag, option.short):
                flags[option.name] = value_from_text(option, text, option.flag)
    return flags


def _ranks(values: Sequence[str]) -> int:
    if not values:
        return 0
    text = values[-1]
    if not text.isdecimal() or not 1 <= int(text) <= RANKS_MAX:
        raise ThalwegError(
            USAGE, f"thalweg run: -n {text}: the number of ranks is a whole number from 1 to {RANKS_MAX}"
        )
    return int(text)


def _colon(kind: str) -> str:
    return "" if kind == "switch" else ":"
