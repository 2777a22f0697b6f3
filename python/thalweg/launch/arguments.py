# SPDX-License-Identifier: BSD-3-Clause
"""What the command lines of `thalweg run` and `thalweg lab run` say."""

from collections.abc import Sequence
from typing import NamedTuple

from thalweg.errors import USAGE, ThalwegError
from thalweg.launch.flags import (
    DRY_RUN,
    HELP,
    LAB_FLAGS,
    LAB_NAME,
    NATIVE,
    OPEN,
    PAGE,
    RANKS,
    RUN_FLAGS,
    Flag,
    Given,
    Parser,
)
from thalweg.settings.options import OPTIONS
from thalweg.settings.values import Value, selections_from_text, value_from_text

RANKS_MAX = 1_000_000


class Arguments(NamedTuple):
    """What the command line says: the number of ranks (0 where not given), flags by option name, and the program.

    `lab` and `native` belong to `thalweg lab run`, `page` and `opens_page` to `thalweg run`. Where it asks for help the
    rest is empty.
    """

    ranks: int
    dry_run: bool
    flags: dict[str, Value]
    command: tuple[str, ...]
    lab: str = ""
    native: bool = False
    asks_for_help: bool = False
    page: str = ""
    opens_page: bool = False


def read_arguments(words: Sequence[str], name: str = "thalweg run", known: Sequence[Flag] = RUN_FLAGS) -> Arguments:
    """Read what stands behind the command's name; everything from the first word that is no flag is the program's.

    Raises ThalwegError for flags that are not known or have a wrong value, or where no program is named.
    """
    given, command = Parser(name, known).read(words)
    if any(one.flag is HELP for one in given) or command[:1] in (["-h"], ["--help"]):
        return Arguments(0, False, {}, (), asks_for_help=True)
    flags = _settings(given)
    ranks = _ranks([one.value for one in given if one.flag is RANKS], name)
    if not command:
        raise ThalwegError(USAGE, f"{name}: which program?", f"for example: {name} -n 8 -- ./program arguments")
    last = {one.flag.name: one.value for one in given}
    if OPEN.name in last and not last.get(PAGE.name):
        raise ThalwegError(USAGE, f"{name}: --open without a page", "name it: --html run.html")
    return Arguments(
        ranks,
        DRY_RUN.name in last,
        flags,
        tuple(command),
        lab=last.get(LAB_NAME.name, ""),
        native=NATIVE.name in last,
        page=last.get(PAGE.name, ""),
        opens_page=OPEN.name in last,
    )


def read_lab_arguments(words: Sequence[str]) -> Arguments:
    """Read what stands behind `thalweg lab run`."""
    return read_arguments(words, "thalweg lab run", LAB_FLAGS)


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


def _settings(given: Sequence[Given]) -> dict[str, Value]:
    """Give the settings in the order of their table; of several values the last counts, and selections are gathered."""
    found: dict[str, Value] = {}
    for option in OPTIONS:
        for one in given:
            if one.flag.option is not option:
                continue
            if option.kind == "switch":
                found[option.name] = one.name != option.negation
            elif option.kind == "selections":
                before = found.get(option.name)
                chosen = dict(before) if isinstance(before, dict) else {}
                found[option.name] = chosen | selections_from_text(one.value, option.flag)
            else:
                found[option.name] = value_from_text(option, one.value, option.flag)
    return found


def _ranks(values: Sequence[str], name: str) -> int:
    if not values:
        return 0
    return count_of(values[-1], f"{name}: -n", RANKS_MAX, "the number of ranks")


def count_of(text: str, option: str, max_value: int, subject: str = "it") -> int:
    """Read the value of an option that counts something from 1 on."""
    if not text.isdecimal() or not 1 <= int(text) <= max_value:
        raise ThalwegError(USAGE, f"{option} {text}: {subject} is a whole number from 1 to {max_value}")
    return int(text)
