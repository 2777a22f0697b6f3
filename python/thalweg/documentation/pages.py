# SPDX-License-Identifier: BSD-3-Clause
"""The reference pages of settings and exit statuses, from their tables."""

import textwrap

from thalweg.errors import STATUSES
from thalweg.settings.options import OPTIONS, Option

_CONFIGURATION = """# Configuration

Every setting is a flag of `thalweg run`, an environment variable and a key in configuration files. The first of these
places that has a setting decides it:

1. the flag;
2. the variable;
3. the project's file, `./thalweg.toml`;
4. the user's file, `$XDG_CONFIG_HOME/thalweg/config.toml`, or `~/.config/thalweg/config.toml` without that variable;
5. the default.

Strategies merge: each operation takes its strategy from the first place that selects one for it.

```sh
thalweg config            # what is in effect, and where each value comes from
```

| flag | variable | key in files | value | default |
| --- | --- | --- | --- | --- |
{rows}

{texts}

## Files

A file is TOML:

```toml
wait = "auto"
report = "run.json"       # relative paths start from the file's folder

[use]
alltoall = "bruck:radix=4"
allreduce = "native"
```

An unknown key, a value out of range or a file that cannot be understood stops the command. Nothing is started then.
The message names the file and the line, and the [exit status](exit-status.md) is 3. `thalweg strategies` lists the
operations, strategies and parameters that a selection may name.

## Without the command

The interposer reads the variables in each rank, and rank 0's values hold for all. A program that is preloaded by hand
(`LD_PRELOAD`) obeys the same variables. Three defaults differ then, because the command sets them: there is no summary,
no tuning file and no learning. `THALWEG_SUMMARY=1`, `THALWEG_TUNING` and `THALWEG_LEARN` turn them on.
`THALWEG_DISABLE=1` makes Thalweg absent. A profiler that the program is linked with must be in `LD_PRELOAD` too, in
front of the interposer. The command does so by itself.
"""

_EXIT_STATUS = """# Exit status

`thalweg run` ends as the program's launcher does: with the same exit status, or by the same signal. Signals that are
sent to it reach the launcher. In a rank (`srun thalweg run`) the program replaces the command.

When the command itself fails, nothing has been started. One or two lines on stderr give the error and its remedy. The
status is:

| status | meaning |
| --- | --- |
| 0 | all is well |
{rows}

A shell returns 126 and 127 in the same cases. Launchers have statuses of their own. Open MPI's, for instance, is 1 when
it finds too few slots.
"""


def configuration_page() -> str:
    """Write docs/configuration.md."""
    rows = "\n".join(_row(option) for option in OPTIONS)
    texts = "\n".join(_text(option) for option in OPTIONS)
    return _CONFIGURATION.format(rows=rows, texts=texts)


def exit_status_page() -> str:
    """Write docs/exit-status.md."""
    return _EXIT_STATUS.format(rows="\n".join(f"| {status.number} | {status.description} |" for status in STATUSES))


def _text(option: Option) -> str:
    return textwrap.fill(
        f"- `{option.name}`: {option.help}",
        width=120,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _row(option: Option) -> str:
    flags = [option.flag, *([option.short] if option.short else [])]
    flags += [option.negation] if option.kind == "switch" else []
    values = {
        "selections": "operation=strategy[:parameter=value,…][+thread]; in files a table",
        "switch": "1 or 0; in files true or false",
        "microseconds": "microseconds",
        "percent": "percent",
        "mebibytes": "mebibytes",
        "choice": ", ".join(option.choices),
        "file": "a path",
        "tuning": "a path, or off",
        "place": "auto, off or a path",
        "mpi": "openmpi, mpich, mpiabi, or a path",
    }
    default = {None: option.unset or "-", True: "1", False: "0"}.get(option.default, option.default)  # type: ignore[call-overload]
    names = " ".join(f"`{flag}`" for flag in flags)
    return f"| {names} | `{option.variable}` | `{option.name}` | {values[option.kind]} | {default} |"
