# SPDX-License-Identifier: BSD-3-Clause
"""The `thalweg` command, also as `python -m thalweg`."""

import os
import re
import sys

from thalweg.cli import application
from thalweg.errors import FILES, ThalwegError
from thalweg.fitted import fitted

_WORD_MAX = 400


def main() -> int:
    """Run the command, and answer errors by one line and the status that docs/exit-status.md names."""
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding lacks, and names of files that are no text, must not end a command.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    sys.stdout, sys.stderr = fitted(sys.stdout), fitted(sys.stderr)
    if lift := getattr(sys, "set_int_max_str_digits", None):  # not in the first releases of Python 3.10
        lift(0)  # a number of any length is read, and then refused as too large
    try:
        try:
            return application(sys.argv[1:])
        finally:
            sys.stdout.flush()  # here, where an error can still be said
    except ThalwegError as error:
        print(_named(_shortened(str(error))), file=sys.stderr)
        return error.status.number
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _forget_output()
        return 128 + 13  # as a program that SIGPIPE ends
    except OSError as error:
        if error.filename is None:
            _forget_output()
        where = f": {error.filename}" if error.filename is not None else ""
        print(f"thalweg: {error.strerror or error}{where}", file=sys.stderr)
        return FILES.number


def _named(text: str) -> str:
    """Begin a text with the command's name, once."""
    return text if text.startswith("thalweg ") else f"thalweg: {text}"


def _shortened(text: str) -> str:
    """Shorten words of thousands of letters, which files that are none have, so that the rest of an error is seen."""
    words = re.split(r"(\s+)", text)
    return "".join(word if len(word) <= _WORD_MAX else f"{word[: _WORD_MAX // 2]}…{word[-20:]}" for word in words)


def _forget_output() -> None:
    """Spare the interpreter's end another try to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


if __name__ == "__main__":
    sys.exit(main())
