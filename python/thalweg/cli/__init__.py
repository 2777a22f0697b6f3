# SPDX-License-Identifier: BSD-3-Clause
"""The command line: finds the command that words name, and runs it. Nothing but that command's module is imported."""

import os
from collections.abc import Callable, Sequence
from typing import cast

from thalweg.cli.table import BY_NAME, EXTENSIONS, GROUPS, Command, function_of, names_in, top_names
from thalweg.errors import USAGE, ThalwegError

_HELP = ("-h", "--help")
_COMPLETION = ("--install-completion", "--show-completion")
_ASKED = {"info": "doctor", "debug": "doctor", "env": "config", "profile": "run", "page": "report", "html": "report"}
"""What users of other tools may ask for, and the command that answers."""
_TYPER_ASKED = "_THALWEG_COMPLETE"


def application(words: Sequence[str]) -> int:
    """Run a command line, and give its exit status.

    Raises ThalwegError for words that nobody understands, and for what the command itself refuses.
    """
    if _TYPER_ASKED in os.environ or (words and words[0].split("=")[0] in _COMPLETION):
        from thalweg.cli.tree import complete  # noqa: PLC0415 - with all commands

        return complete(words)
    if not words or words[0] in _HELP:
        from thalweg.cli.pages import main_page  # noqa: PLC0415

        print(main_page(_extension_names()), end="")
        return 0 if words else USAGE.number
    if words[0] == "help":
        return application([*words[1:], "--help"])
    if words[0] == "--version":
        from importlib.metadata import version  # noqa: PLC0415 - slow, and needed here alone

        print(f"thalweg {version('thalweg')}")
        return 0
    return _run_named(words[0], list(words[1:]))


def _run_named(name: str, words: list[str]) -> int:
    """Run the command or the group of that name."""
    if name in GROUPS:
        return _run_in_group(name, words)
    if command := BY_NAME.get(name):
        return run_command(command, words)
    from thalweg.cli import former  # noqa: PLC0415 - for what is no command alone

    if name in former.COMMANDS:
        former.refuse_command(name, words)
    if name in _extension_names():
        from thalweg.cli.tree import run_extension  # noqa: PLC0415

        return run_extension(name, words)
    kind = "option" if name.startswith("-") else "command"
    remedy = f"thalweg --help names all{_guess(name, _all_words())}"
    raise ThalwegError(USAGE, f"no {kind} {_quoted(name)}", remedy)


def _run_in_group(name: str, words: list[str]) -> int:
    inner, usual = names_in(name), GROUPS[name].usual
    if words and words[0] in inner:
        return run_command(BY_NAME[f"{name} {words[0]}"], words[1:])
    if words[:1] in (["-h"], ["--help"]) or not (words or usual):
        from thalweg.cli.pages import group_page  # noqa: PLC0415

        print(group_page(name), end="")
        return 0 if words else USAGE.number
    # A word of letters that is nearly a command's is hardly meant for the usual command, unless it is a file.
    is_plain = bool(words) and words[0].isalpha() and not os.path.exists(words[0])
    guess = _guess(words[0], {one: f"thalweg {name} {one}" for one in inner}) if is_plain or not usual else ""
    if guess or not usual:
        remedy = f"thalweg {name} --help names all{guess}"
        raise ThalwegError(USAGE, f"thalweg {name}: no command {_quoted(words[0])}", remedy)
    return run_command(BY_NAME[f"{name} {usual}"], words)


def run_command(command: Command, words: Sequence[str]) -> int:
    """Run a command of the table with the words behind its name, and give its exit status."""
    if command.reads_words:
        return cast("Callable[[Sequence[str]], int]", function_of(command))(words)
    from thalweg.cli.tree import run_leaf  # noqa: PLC0415 - typer's import takes longer than a program's start

    return run_leaf(command, words)


def _extension_names() -> list[str]:
    """Name the commands that installed packages add."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and needed here alone

    return sorted(set(entry_points(group=EXTENSIONS).names))


def _all_words() -> dict[str, str]:
    """Every word that names a command, with the line that it stands for."""
    inner = {name.rpartition(" ")[2]: f"thalweg {name}" for name in BY_NAME}
    asked = {word: f"thalweg {name}" for word, name in _ASKED.items()}
    return asked | {name: f"thalweg {name}" for name in (*_extension_names(), "--help", "--version")} | inner | {
        name: f"thalweg {name}" for name in top_names()
    }  # fmt: skip


def _quoted(word: str) -> str:
    """Write a word so that one sees it, also an empty one."""
    import shlex  # noqa: PLC0415 - for a mistake alone

    return shlex.quote(word)


def _guess(word: str, known: dict[str, str]) -> str:
    import difflib  # noqa: PLC0415 - for a mistake alone

    near = [word] if word in known else difflib.get_close_matches(word.lower(), known, n=1)
    return f"; did you mean {known[near[0]]}?" if near else ""
