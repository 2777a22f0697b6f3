"""The `thalweg` command, also as `python -m thalweg`."""

import sys

from thalweg.errors import ThalwegError


def main() -> int:
    """Run the command. `run` takes a short way that imports little; everything else goes through typer."""
    words = sys.argv[1:]
    try:
        if words[:1] == ["run"]:
            from thalweg.launch.execute import run  # noqa: PLC0415 - every import here is part of a program's start

            if (status := run(words[1:])) is not None:
                return status
            words = ["run", "--help"]
        if words[:2] == ["lab", "run"]:
            from thalweg.lab.launch import run_words  # noqa: PLC0415

            run_words(words[2:])
            words = ["lab", "run", "--help"]
        from thalweg.cli import application  # noqa: PLC0415

        return application(words)
    except ThalwegError as error:
        print(f"thalweg: {error}", file=sys.stderr)
        return error.status.number
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
