# SPDX-License-Identifier: BSD-3-Clause
"""The command lines of `thalweg run` and `thalweg lab run`, read with the table of options.

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
    """What the command line says: the number of ranks (0 where not given), flags by option name, and the program.

    `others` are the flags that the command has besides the table's, by name. Where it asks for help the rest is empty.
    """

    ranks: int
    dry_run: bool
    flags: dict[str, Value]
    command: tuple[str, ...]
    others: dict[str, str] = {}  # noqa: RUF012 - never written to
    asks_for_help: bool = False


def read_arguments(words: Sequence[str], name: str = "thalweg run", others: Sequence[str] = ()) -> Arguments:
    """Read what stands behind the command's name; everything from the first word that is no flag is the program's.

    `others` are long flags that the command has besides, in getopt's form: `name=` takes a value.
    """
    pairs, command = _pairs(list(words), name, others)
    given = [flag for flag, _ in pairs]
    if "--help" in given or "-h" in given:
        return Arguments(0, False, {}, (), asks_for_help=True)
    flags = _flags(pairs)
    ranks = _ranks([value for flag, value in pairs if flag in ("-n", "--ranks", "--np")], name)
    if not command:
        raise ThalwegError(USAGE, f"{name}: which program?", f"for example: {name} -n 8 -- ./program arguments")
    own = {flag[2:]: value for flag, value in pairs if flag[2:] in [other.rstrip("=") for other in others]}
    return Arguments(ranks, "--dry-run" in given, flags, tuple(command), own)


def words_of(arguments: Arguments) -> list[str]:
    """Write what `thalweg run` would be told, without ranks and program."""
    words = ["--dry-run"] if arguments.dry_run else []
    for option in OPTIONS:
        value = arguments.flags.get(option.name)
        if isinstance(value, bool):
            words.append(option.flag if value else option.negation)
        elif isinstance(value, dict):
            words += [
                word for operation, strategy in value.items() for word in (option.flag, f"{operation}={strategy}")
            ]
        elif value is not None:
            words += [option.flag, str(value)]
    return words


def _pairs(words: list[str], name: str, others: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    short = "hn:" + "".join(option.short[1:] + _colon(option.kind) for option in OPTIONS if option.short)
    long = ["help", "ranks=", "np=", "dry-run", *others]
    for option in OPTIONS:
        long.append(option.flag[2:] + ("" if option.kind == "switch" else "="))
        long += [option.former_flag[2:] + "="] if option.former_flag else []
        long += [option.negation[2:]] if option.kind == "switch" else []
    try:
        pairs, command = getopt.getopt(words, short, long)
    except getopt.GetoptError as error:
        raise ThalwegError(USAGE, f"{name}: {error}", _remedy(error, name, long)) from error
    if ("-n", "p") in pairs and "-np" in words:  # as launchers have it; for getopt it is -n with the value p
        place = words.index("-np")
        return _pairs([*words[:place], "-n", *words[place + 1 :]], name, others)
    return pairs, command


def _remedy(error: getopt.GetoptError, name: str, long: Sequence[str]) -> str:
    from thalweg.words import did_you_mean  # noqa: PLC0415 - for a mistake alone

    known = [f"--{flag.rstrip('=')}" for flag in long]
    near = did_you_mean(f"--{error.opt}", known, "--") if error.opt not in known else ""
    return f"{name} --help names all options{near}"


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


def _ranks(values: Sequence[str], name: str) -> int:
    if not values:
        return 0
    text = values[-1]
    if not text.isdecimal() or not 1 <= int(text) <= RANKS_MAX:
        raise ThalwegError(USAGE, f"{name}: -n {text}: the number of ranks is a whole number from 1 to {RANKS_MAX}")
    return int(text)


def _colon(kind: str) -> str:
    return "" if kind == "switch" else ":"
