# SPDX-License-Identifier: BSD-3-Clause
"""Commands as typer sees them: one alone, which is about to run, or all, for completion and man pages."""

import inspect
import os
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from thalweg.cli import former
from thalweg.cli.bash_completion import join_words
from thalweg.cli.ending import ends_at_signals
from thalweg.cli.numbers import bound_numbers
from thalweg.cli.outputs import names_json
from thalweg.cli.table import COMMANDS, EXTENSIONS, GROUPS, Command, function_of
from thalweg.errors import USAGE, ThalwegError
from thalweg.words import did_you_mean

_SETTINGS = {"help_option_names": ["-h", "--help"]}
_ClickError: Any = typer.BadParameter.__mro__[2]
"""The root of what typer refuses. Newer versions have Click's classes in a package of their own, without a name."""


def run_leaf(command: Command, words: Sequence[str]) -> int:
    """Run one command whose function says by its signature what it takes."""
    app = _typer()
    _add(app, command, command.name)
    if list(words[-2:]) in (["--", "-h"], ["--", "--help"]):
        words = [*words[:-2], "--help"]  # no launcher has that name
    if "json_file" in inspect.signature(cast("Callable[..., None]", function_of(command))).parameters:
        words = _with_json_file(words)
    return _run(app, command.name, words)


def _with_json_file(words: Sequence[str]) -> list[str]:
    """Write --json that stands alone as --json=-, which typer takes for an option with a value."""
    own = list(words[: words.index("--")] if "--" in words else words)
    followers = [*own, ""][1:]
    written = [
        "--json=-" if word == "--json" and not names_json(follower) else word
        for word, follower in zip(own, followers, strict=True)
    ]
    return [*written, *words[len(own) :]]


def run_extension(name: str, words: Sequence[str]) -> int:
    """Run a command that an installed package adds."""
    return _run(_extension(name), name, words)


def complete(words: Sequence[str]) -> int:
    """Answer a shell that completes a command line, or install that."""
    join_words(os.environ)
    app = make_application()
    app(args=list(words), prog_name="thalweg")  # leaves by SystemExit
    return 0


def make_application(*, with_extensions: bool = True) -> typer.Typer:
    """Put all commands together, those of installed packages last."""
    app = _typer("Make MPI programs communicate faster on the machine that they really run on.", add_completion=True)

    @app.callback()
    def _thalweg(*, version: bool = typer.Option(False, "--version", help="Print the version and leave.")) -> None:
        del version  # answered before typer is asked

    groups: dict[str, typer.Typer] = {}
    for command in COMMANDS:
        group, _, inner = command.name.rpartition(" ")
        if group and group not in groups:
            groups[group] = _typer(f"{GROUPS[group].summary}.", cls=_group_class(GROUPS[group].usual))
            app.add_typer(groups[group], name=group)
        _add(groups[group] if group else app, command, inner)
    for entry in entry_points(group=EXTENSIONS) if with_extensions else ():
        _add_extension(app, entry.name)
    bound_numbers(app)
    return app


def _typer(text: str | None = None, *, add_completion: bool = False, **more: Any) -> typer.Typer:
    return typer.Typer(
        help=text,
        add_completion=add_completion,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=dict(_SETTINGS),
        **more,
    )


def _add(app: typer.Typer, command: Command, name: str) -> None:
    if command.reads_words:
        from thalweg.cli.run import declaration_of  # noqa: PLC0415 - it is not what most commands need

        app.command(name, context_settings={"allow_interspersed_args": False})(declaration_of(command.name))
    else:
        app.command(name, context_settings=dict(_SETTINGS))(cast("Callable[..., None]", function_of(command)))


def _add_extension(app: typer.Typer, name: str) -> None:
    """Add a package's command: alone, or as a group, as typer runs it."""
    made = _extension(name)
    if made.registered_groups or made.registered_callback or len(made.registered_commands) != 1:
        app.add_typer(made, name=name)
    else:
        [only] = made.registered_commands
        assert only.callback is not None
        app.command(name, context_settings=dict(_SETTINGS))(only.callback)


def _extension(name: str) -> typer.Typer:
    [entry] = entry_points(group=EXTENSIONS, name=name)
    made = entry.load()()
    assert isinstance(made, typer.Typer)
    return made


def _run(app: typer.Typer, name: str, words: Sequence[str]) -> int:
    """Let typer read the words and call the function; what it refuses is an error as all others are."""
    for word in words:
        if not word.isascii():
            _require_text(name, word)
    bound_numbers(app)
    command: Any = typer.main.get_command(app)
    command.context_settings = _SETTINGS | command.context_settings  # those of an installed package's command too
    try:
        with ends_at_signals():
            status = command.main(args=list(words), prog_name=f"thalweg {name}", standalone_mode=False)
    except _ClickError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # its text is the page of help
            print(error.format_message())
            return USAGE.number
        _refuse(error, name, words)
    return status if isinstance(status, int) else 0


def _require_text(name: str, word: str) -> None:
    """Refuse a word that is no UTF-8 text, as names of files may be; the core takes texts alone."""
    try:
        word.encode()
    except UnicodeEncodeError as error:
        message = f"thalweg {name}: {os.fsencode(word)!r} is no UTF-8 text"
        raise ThalwegError(USAGE, message, "rename the file, or name it by a link") from error


def _refuse(error: Any, name: str, words: Sequence[str]) -> NoReturn:
    context = error.ctx
    called = context.command_path.removeprefix("thalweg ") if context else name
    option = getattr(error, "option_name", None)
    remedy = f"thalweg {called} --help names all options"
    if not hasattr(error, "possibilities") or not isinstance(option, str):
        raise ThalwegError(USAGE, f"thalweg {called}: {error.format_message()}", remedy)
    if option in former.OPTIONS.get(called, {}):
        former.refuse_option(called, option, words)
    known = [flag for each in context.command.params for flag in (*each.opts, *each.secondary_opts)] if context else []
    near = did_you_mean(option, [flag for flag in known if flag.startswith("--")], "--")
    raise ThalwegError(USAGE, f"thalweg {called}: no option {option}", f"{remedy}{near}")


def _group_class(usual: str) -> type[TyperGroup]:
    """Make the class of a group, in which words that name no command are the usual one's, if there is one."""

    class Group(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Put the usual name in front; where a word is completed behind the group's, that may be any name."""
            is_first = ctx.resilient_parsing and not args
            if usual and not is_first and (not args or args[0] not in (*self.commands, "-h", "--help")):
                args = [usual, *args]
            return super().parse_args(ctx, args)

        def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
            """Give the names of commands, and what the usual one begins with: its options, or its first argument."""
            if not usual:
                return list(super().shell_complete(ctx, incomplete))
            command = self.commands[usual]
            inner = command.make_context(usual, [], parent=ctx, resilient_parsing=True)
            if incomplete.startswith("-"):
                return list(command.shell_complete(inner, incomplete))
            arguments = [each for each in command.params if each.opts[0][0] != "-"]
            first = [found for each in arguments[:1] for found in each.shell_complete(inner, incomplete)]
            return [*super().shell_complete(ctx, incomplete), *first]

    return Group
