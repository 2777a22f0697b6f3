# SPDX-License-Identifier: BSD-3-Clause
"""Commands and options of earlier versions: each answers with what it is called now, as a line to paste.

docs/commands.md shows both tables.
"""

import shlex
from collections.abc import Sequence
from typing import NoReturn

from thalweg.errors import USAGE, ThalwegError

COMMANDS = {
    "show": "strategies show",
    "verify": "strategies verify",
    "probe": "machine probe",
    "check": "machine check",
    "explain": "tune explain",
    "export": "tune export",
    "map": "place map",
    "advise": "place advise",
}

OPTIONS: dict[str, dict[str, str]] = {
    "strategies show": {"--dot": "--format dot", "--goal": "--format goal", "--verify": "--format proof"},
    "machine probe": {"--nodes": "--node-list"},
    "machine check": {"--sizes": "--bytes"},
    "tune search": {"--sizes": "--bytes", "--json": "--figures"},
    "tune export": {
        "--sizes": "--bytes",
        "--json": "--figures",
        "--ompi": "--format openmpi --output",
        "--mpich": "--format mpich --output",
        "--intel": "--format intel --output",
    },
    "place map": {"--slots-per-node": "--ranks-per-node", "--pictures": "--plot"},
    "place advise": {"--link-rate": "--link-bandwidth"},
    "balance": {"--costs": "--machine", "--machine": "--network"},
    "simulate program": {"--buffer": "--buffer-bytes"},
    "simulate network": {
        "--topology": "--network",
        "--buffers": "--router buffers=",
        "--credits": "--router credit_rule=",
        "--queues": "--router queues=",
        "--arbitration": "--router arbitration=",
        "--subsets": "--router unit_subsets=",
        "--packet-bytes": "--router packet_bytes=",
        "--gigabits": "--router gigabits=",
        "--channel-ns": "--router channel_ns=",
        "--switch-ns": "--router switch_ns=",
        "--interface-ns": "--router interface_ns=",
    },
    "lab up": {"--topology": "--network"},
}
"""By command: the option of earlier versions, and the words that stand for it now; behind = comes its value.

A network's name may still be given by `--machine`. Where the line is written anew it is `--network`, beside the file.
"""


def refuse_command(name: str, words: Sequence[str]) -> NoReturn:
    """Answer a command of earlier versions; `words` are those behind it."""
    now = COMMANDS[name]
    raise ThalwegError(USAGE, f"`thalweg {name}` is `thalweg {now}` now", _line(now, words))


def refuse_option(name: str, option: str, words: Sequence[str]) -> NoReturn:
    """Answer an option of earlier versions of a command."""
    now = OPTIONS[name][option]
    raise ThalwegError(USAGE, f"thalweg {name}: {option} is {now} now", _line(name, words))


def _line(name: str, words: Sequence[str]) -> str:
    """Write the command line as it is now, for the shell."""
    renamed: list[str] = []
    rest = list(words)
    while rest and rest[0] != "--":
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        now = OPTIONS.get(name, {}).get(option)
        if now is None:
            renamed.append(word)
        elif now.endswith("="):
            value = value if equals else rest.pop(0) if rest else ""
            renamed += (now + value).split(maxsplit=1)
        else:
            renamed += (now + equals + value).split(maxsplit=now.count(" "))
    return shlex.join(["thalweg", *name.split(), *renamed, *rest])
