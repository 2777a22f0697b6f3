"""The reference pages of settings and exit statuses, from their tables."""

from thalweg.errors import STATUSES
from thalweg.settings.options import OPTIONS, Option

_CONFIGURATION = """# Configuration

Every setting can be given as a flag of `thalweg run`, as an environment variable, or in a file. Flags win over variables,
these over the project's file `./thalweg.toml`, that over the user's file `$XDG_CONFIG_HOME/thalweg/config.toml`
(`~/.config/thalweg/config.toml`), that over defaults. Strategies merge: each operation's is taken from the first place that
selects one for it; every other setting is taken whole.

    thalweg config            # what is in effect, and where each value comes from

| flag | variable | key in files | value | default |
| --- | --- | --- | --- | --- |
{rows}

{texts}

A file is TOML:

```toml
wait = "auto"
report = "run.json"       # relative paths start from the file's folder

[use]
alltoall = "bruck:radix=4"
allreduce = "native"
```

A file that cannot be understood, an unknown key and a value out of range stop the command before anything is started, with
the file and the line ([exit status](exit-status.md) 3). A selection's operations, strategies and parameters are those that
`thalweg strategies` lists.

The interposer reads the variables in each rank; rank 0's are everybody's. A program that is preloaded by hand
(`LD_PRELOAD`) is steered by the same variables, except that the summary is then off unless `THALWEG_SUMMARY=1`.
`THALWEG_DISABLE=1` makes Thalweg absent.
"""

_EXIT_STATUS = """# Exit status

`thalweg run` lets the program's launcher take its own place, so a program that was started leaves with its own exit status,
and signals reach it directly. When the command itself fails, nothing has been started, one or two lines on stderr say what is
wrong and what to do about it, and the status is:

| status | meaning |
| --- | --- |
| 0 | all is well |
{rows}

126 and 127 are what a shell says in the same case. A launcher has statuses of its own, for instance Open MPI's 1 when it
finds too few slots.
"""


def configuration_page() -> str:
    """Write docs/configuration.md."""
    rows = "\n".join(_row(option) for option in OPTIONS)
    texts = "\n".join(f"- `{option.name}`: {option.help}" for option in OPTIONS)
    return _CONFIGURATION.format(rows=rows, texts=texts)


def exit_status_page() -> str:
    """Write docs/exit-status.md."""
    return _EXIT_STATUS.format(rows="\n".join(f"| {status.number} | {status.description} |" for status in STATUSES))


def _row(option: Option) -> str:
    flags = [option.flag, *([option.short] if option.short else [])]
    flags += [option.negation] if option.kind == "switch" else []
    values = {
        "selections": "operation=strategy[:parameter=value,…]; in files a table",
        "switch": "1 or 0; in files true or false",
        "microseconds": "microseconds",
        "percent": "percent",
        "choice": ", ".join(option.choices),
        "file": "a path",
        "tuning": "a path, or off",
        "mpi": "openmpi, mpich, mpiabi, or a path",
    }
    default = {None: "-", True: "1", False: "0"}.get(option.default, option.default)  # type: ignore[call-overload]
    names = " ".join(f"`{flag}`" for flag in flags)
    return f"| {names} | `{option.variable}` | `{option.name}` | {values[option.kind]} | {default} |"
