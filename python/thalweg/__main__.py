"""The `thalweg` command, also as `python -m thalweg`."""

import sys

from thalweg.errors import ThalwegError


def main() -> int:
    """Run the command. `run` takes a short way that imports little; everything else goes through typer."""
    words = sys.argv[1:]
    try:
        if words[:1] == ["run"] and not _asks_for_help(words[1:]):
            from thalweg.launch.execute import run  # noqa: PLC0415 - every import here is part of a program's start

            return run(words[1:])
        from thalweg.cli import application  # noqa: PLC0415

        return application(words)
    except ThalwegError as error:
        print(f"thalweg: {error}", file=sys.stderr)
        return error.status.number
    except KeyboardInterrupt:
        return 130


def _asks_for_help(words: list[str]) -> bool:
    """Tell whether --help is meant for `thalweg run` and not for the program behind it."""
    return not words or words[0] in ("--help", "-h")


if __name__ == "__main__":
    sys.exit(main())
