# SPDX-License-Identifier: BSD-3-Clause
"""The flags of `thalweg run` and `thalweg lab run`, and what reads them: one table for reading, help and completion.

The other commands use typer, whose import takes longer than starting a program under MPI does.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from thalweg.errors import USAGE, ThalwegError
from thalweg.settings.options import OPTIONS, Option


class Flag(NamedTuple):
    """A flag with its names, the usual one first. It takes a value where there is a metavar.

    `hidden` are names that are read and not shown: of earlier versions, or of launchers. `option` is the setting that
    it gives a value to; a flag with another `negation` takes that name for the opposite.
    """

    names: tuple[str, ...]
    help: str
    metavar: str = ""
    panel: str = ""
    negation: str = ""
    hidden: tuple[str, ...] = ()
    option: Option | None = None

    @property
    def name(self) -> str:
        """The usual name without its dashes."""
        return self.names[0].lstrip("-")

    @property
    def all_names(self) -> tuple[str, ...]:
        """Every name under which it is read."""
        return (*self.names, *self.hidden, *([self.negation] if self.negation else []))


RANKS = Flag(
    ("--ranks", "-n"),
    "Start this many ranks with the launcher of the program's MPI; -np, as launchers have it, is read too.",
    metavar="N",
    hidden=("-np", "--np"),
)
PAGE = Flag(
    ("--html",),
    "Write the report as a page at the end, too; without --report its figures stand beside it, as JSON.",
    metavar="FILE",
    panel="Observe",
)
OPEN = Flag(("--open",), "Open the page in the browser.", panel="Observe")
DRY_RUN = Flag(("--dry-run",), "Print the command that would be started, and start nothing.")
HELP = Flag(("--help", "-h"), "Show this page.")
NATIVE = Flag(("--native",), "Without Thalweg.")
LAB_NAME = Flag(
    ("--name",), "Of the lab, if there are several (or THALWEG_LAB): its hosts are NAME-h0, ….", metavar="NAME"
)

PAIRS = Flag(("--pairs",), "How often each way runs; 5 times if left out.", metavar="N")
KEEP = Flag(("--keep",), "Keep the report of the last run under Thalweg, for thalweg tune --for.", metavar="FILE")
JSON = Flag(("--json",), "Write the answer there as JSON; -: standard output.", metavar="FILE")


def _flag_of(option: Option) -> Flag:
    is_switch = option.kind == "switch"
    return Flag(
        (option.flag, *([option.short] if option.short else [])),
        option.help,
        metavar="" if is_switch else "|".join(option.choices) or option.metavar,
        panel=option.panel,
        negation=option.negation if is_switch else "",
        hidden=(option.former_flag,) if option.former_flag else (),
        option=option,
    )


_SETTINGS = tuple(map(_flag_of, OPTIONS))
RUN_FLAGS = (RANKS, *_SETTINGS, PAGE, OPEN, DRY_RUN, HELP)
LAB_FLAGS = (RANKS, NATIVE, LAB_NAME, *_SETTINGS, DRY_RUN, HELP)
TRY_FLAGS = (RANKS, PAIRS, KEEP, JSON, *_SETTINGS, DRY_RUN, HELP)

_OF_LAUNCHERS = (
    "H", "N", "allow-run-as-root", "bind-to", "bootstrap", "c", "cpus-per-proc", "cpus-per-rank", "env", "envall",
    "envlist", "envnone", "f", "genv", "genvall", "genvlist", "genvnone", "host", "hostfile", "hosts", "iface", "l",
    "launcher", "machinefile", "map-by", "mca", "nolocal", "npernode", "npersocket", "oversubscribe", "perhost", "ppn",
    "prefix", "prepend-rank", "rank-by", "report-bindings", "tag-output", "wd", "wdir", "x",
)  # fmt: skip
"""Options of mpirun and mpiexec, without dashes, that users write where Thalweg's stand."""


def _is_of_launchers(name: str) -> bool:
    plain = name.lstrip("-")
    return plain in _OF_LAUNCHERS and (len(plain) > 1 or not name.startswith("--"))


class Given(NamedTuple):
    """A flag as it was given: under which name, and with which value."""

    flag: Flag
    name: str
    value: str


class Parser:
    """Reads flags up to the first word that is none, as getopt_long does: abbreviations, -n8, -vn 8, --ranks=8."""

    def __init__(self, command: str, flags: Iterable[Flag]) -> None:
        """Read for a command, whose name stands in errors."""
        self._command = command
        self._known = {name: flag for flag in flags for name in flag.all_names}

    def read(self, words: Sequence[str]) -> tuple[list[Given], list[str]]:
        """Give the flags in their order, and the words behind them.

        Raises ThalwegError for a flag that is not known, lacks its value, or has one that it does not take.
        """
        found: list[Given] = []
        rest = list(words)
        while rest and rest[0].startswith("-") and rest[0] != "-":
            word = rest.pop(0)
            if word == "--":
                break
            name, equals, value = word.partition("=")
            if name not in self._known and _is_of_launchers(name):
                raise self._of_a_launcher(name)
            if word.startswith("--") or name in self._known:
                found.append(self._one(self._whole(name), value if equals else None, rest))
            else:
                found += self._cluster(word, rest)
        return found, rest

    def _one(self, name: str, value: str | None, rest: list[str]) -> Given:
        flag = self._known[name]
        if not flag.metavar and value is not None:
            raise self._refused(f"{name} takes no value")
        if flag.metavar and value is None:
            if not rest:
                raise self._refused(f"{name} needs a value, {flag.metavar}")
            value = rest.pop(0)
        return Given(flag, name, value or "")

    def _whole(self, name: str) -> str:
        """Give the flag's whole name, of which users may write the beginning."""
        if name in self._known:
            return name
        near = [known for known in self._known if known.startswith(name)] if len(name) > len("--") else []
        if len({self._known[known] for known in near}) == 1 and len(near) == 1:
            return near[0]
        if near:
            raise self._refused(f"{name} may be {' or '.join(near)}")
        raise self._unknown(name)

    def _cluster(self, word: str, rest: list[str]) -> list[Given]:
        """Read letters behind one dash: the first that takes a value has the rest of the word, or the next one."""
        found: list[Given] = []
        for place, letter in enumerate(word[1:], start=2):
            flag = self._known.get(f"-{letter}")
            if flag is None:
                raise self._unknown(word)
            if flag.metavar:
                return [*found, self._one(f"-{letter}", word[place:] or None, rest)]
            found.append(Given(flag, f"-{letter}", ""))
        return found

    def _of_a_launcher(self, name: str) -> ThalwegError:
        message = f"{name} is an option of launchers"
        if self._command != "thalweg run":
            return self._refused(message)
        remedy = f"name the launcher, and its options behind it: thalweg run mpirun -n 8 {name} … ./program"
        return ThalwegError(USAGE, f"{self._command}: {message}", remedy)

    def _unknown(self, name: str) -> ThalwegError:
        from thalweg.words import did_you_mean  # noqa: PLC0415 - for a mistake alone

        known = [one for one in self._known if one.startswith("--")]
        return self._refused(f"no option {name}", did_you_mean(name, known, "--"))

    def _refused(self, message: str, near: str = "") -> ThalwegError:
        return ThalwegError(USAGE, f"{self._command}: {message}", f"{self._command} --help names all options{near}")
