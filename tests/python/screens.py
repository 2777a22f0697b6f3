# SPDX-License-Identifier: BSD-3-Clause
"""Commands on screens of any width: a process that has imported the command forks for each, which takes no time."""

import contextlib
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

SCREEN, PIPE, FULL, CLOSED = "screen", "pipe", "full", "closed"


class Shown(NamedTuple):
    """What a command wrote on its screen, or on stdout and stderr where they are none, and its exit status."""

    status: int
    text: str
    errors: str


class Screens:
    """Runs commands, each in a process of its own."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            env=environment,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def show(
        self, *words: str, width: int = 80, where: str = SCREEN, variables: Mapping[str, str] | None = None
    ) -> Shown:
        """Run a command whose stdout is a screen of that width, a pipe, a full disk, or closed."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        print(json.dumps([words, width, where, dict(variables or {})]), file=self._server.stdin, flush=True)
        return Shown(*json.loads(self._server.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        self._server.communicate(timeout=60)


def _run(words: list[str], variables: dict[str, str]) -> NoReturn:
    """Be the command, in a fork whose descriptors 0 to 2 are what it is to have."""
    os.environ.update(variables)
    encoding = variables.get("PYTHONIOENCODING", "utf-8")
    sys.stdout = _stream(1, encoding, "strict")
    sys.stderr = _stream(2, encoding, "backslashreplace")
    sys.argv = ["thalweg", *words]
    status = 70
    try:
        from thalweg.__main__ import main  # noqa: PLC0415 - it is imported by then

        status = main()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush() if stream is not None else None
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 70
    except BaseException:  # noqa: BLE001 - what ends a command with a traceback is what tests look for
        import traceback  # noqa: PLC0415

        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(status)


def _stream(number: int, encoding: str, errors: str) -> IO[str] | None:
    """Open a descriptor as the interpreter does at its start: as nothing, if it is closed."""
    try:
        os.fstat(number)
    except OSError:
        return None
    return io.TextIOWrapper(
        open(number, "wb", closefd=False), encoding=encoding, errors=errors, line_buffering=os.isatty(number)
    )


def _on_screen(words: list[str], width: int, variables: dict[str, str]) -> Shown:
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 50, width, 0, 0))
        _run(words, variables)
    shown = b""
    with contextlib.suppress(OSError):  # which ends it
        while part := os.read(terminal, 1 << 16):
            shown += part
    os.close(terminal)
    return Shown(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode().replace("\r\n", "\n"), "")


def _elsewhere(words: list[str], where: str, variables: dict[str, str]) -> Shown:
    with open("/dev/full", "wb") as full, _file() as output, _file() as errors:
        if (child := os.fork()) == 0:
            os.dup2((full if where == FULL else output).fileno(), 1)
            os.dup2(errors.fileno(), 2)
            if where == CLOSED:
                os.close(1)
            _run(words, variables)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        errors.seek(0)
        return Shown(status, output.read().decode(), errors.read().decode())


def _file() -> IO[bytes]:
    return open(os.memfd_create("written"), "w+b")


def _serve() -> None:

    for line in sys.stdin:
        words, width, where, variables = json.loads(line)
        shown = _on_screen(words, width, variables) if where == SCREEN else _elsewhere(words, where, variables)
        print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    _serve()
