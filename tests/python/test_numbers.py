# SPDX-License-Identifier: BSD-3-Clause
"""Numbers on command lines that no command can mean."""

import inspect
import typing

import pytest
import typer

from support import Command
from thalweg.cli.numbers import COUNT_MAX
from thalweg.cli.tree import make_application
from thalweg.errors import USAGE

HUGE = "9" * 5000
"""More digits than Python reads at once by itself."""


@pytest.mark.parametrize("number", ["-1", str(COUNT_MAX + 1), HUGE], ids=["negative", "large", "huge"])
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--mpi", "mpich", "-n", "@", "/bin/true"),
        ("run", "--mpi", "mpich", "--poll-us", "@", "/bin/true"),
        ("strategies", "show", "allreduce", "ring", "-n", "@"),
        ("strategies", "show", "allreduce", "ring", "--ranks-per-node", "@"),
        ("strategies", "show", "allreduce", "ring", "--network", "torus:2x4", "--places", "@"),
        ("strategies", "verify", "--ops", "barrier", "--ranks", "@"),
        ("strategies", "verify", "--ops", "barrier", "--ranks", "2", "--jobs", "@"),
        ("tune", "explain", "allreduce", "-n", "@"),
        ("tune", "explain", "allreduce", "--ranks-per-node", "@"),
    ],
    ids=" ".join,
)
def test_they_are_refused_in_a_line(thalweg: Command, words: tuple[str, ...], number: str) -> None:
    done = thalweg(*(word.replace("@", number) for word in words))
    assert 2 <= done.returncode <= 3, done.stderr
    assert not done.stdout
    assert "Traceback" not in done.stderr
    assert len(done.stderr) < 4000


def test_sizes_have_a_bound(thalweg: Command) -> None:
    for size in ("99999999999999999999999", HUGE, "1048577GiB"):
        done = thalweg("tune", "explain", "allreduce", "--bytes", size)
        assert (done.returncode, done.stdout) == (USAGE.number, "")
        assert "is too large" in done.stderr


def test_defaults_are_within_the_bounds() -> None:
    """Of every option of every command, at any depth."""
    app = make_application()

    def options(app: typer.Typer) -> typing.Iterator[tuple[str, typing.Any, typing.Any]]:
        for command in app.registered_commands:
            assert command.callback is not None
            hints = typing.get_type_hints(command.callback, include_extras=True)
            for name, parameter in inspect.signature(command.callback).parameters.items():
                notes = typing.get_args(hints.get(name))[1:]
                yield from ((name, parameter.default, note) for note in notes)
        for group in app.registered_groups:
            assert group.typer_instance is not None
            yield from options(group.typer_instance)

    checked = 0
    for name, default, note in options(app):
        callback = getattr(note, "callback", None)
        if callback is not None and isinstance(default, int | None):
            assert callback(default) == default, name
            checked += 1
    assert checked > 50
