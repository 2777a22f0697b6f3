# SPDX-License-Identifier: BSD-3-Clause
"""Names of a job's hosts, from the files of batch systems and MPI libraries.

PBS and LSF list a host once for each of its slots. Open MPI writes `n1 slots=2 max_slots=4`, MPICH `n1:2`, LSF in a
variable `n1 2 n2 2`, and Slurm `n[1-4]`. A name each is what they have in common. Comments begin with '#'.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.node_files import is_list
from thalweg.networks.hostlists import expand
from thalweg.text_files import lines_of, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from thalweg.text_files import Line

_OPTIONS = {"slots", "max_slots", "max-slots", "ifname", "binding", "user", "port", "gpus"}
"""What Open MPI and MPICH write behind a name."""
_FILE = "name a file with a host a line"
_NAMES = "write a host's name a line, in the order of the nodes"
_MARKS = set("<>{}()=\"'\\;|&$`")


def read_hosts(path: str, count: int) -> list[str]:
    """Read the names of `count` hosts, each once, in the order of the nodes. Raises ThalwegError with the line.

    In place of a file's name it may be a list of hosts, as n[1-4] or $SLURM_JOB_NODELIST.
    """
    names: dict[str, int] = Counter()
    by_short: dict[str, list[str]] = {}
    text, title = (path, "the list of hosts") if is_list(path) else (read_text(path, _FILE), path)
    for line in lines_of(text, title):
        for name in _names(line):
            short = _core.short_name(name)
            alike = next((one for one in by_short.get(short, []) if _core.is_same_host(one, name)), name)
            if alike not in names:
                by_short.setdefault(short, []).append(alike)
            names[alike] += 1
    if len(names) == count:
        return list(names)
    several = [name for name, times in names.items() if times > 1]
    repeats = f", of which {several[0]} comes {names[several[0]]} times" if several else ""
    remedy = f"name the host of each of the {count} nodes once"
    raise ThalwegError(SETTINGS, f"{title}: names of {len(names)} hosts{repeats}, for {count} nodes", remedy)


def _names(line: Line) -> Iterator[str]:
    """Yield the names of a line, without what is said of each."""
    is_behind_name = False
    for word in line.text.split():
        key, equals, _ = word.partition("=")
        if is_behind_name and ((equals and key.lower() in _OPTIONS) or word.isdecimal()):
            continue
        name = _without_slots(word).rpartition("@")[2]
        if not name or name.isdecimal() or _MARKS & set(name):
            line.place.refuse(f"'{shown(line.text)}' names no host", _NAMES)
        yield from expand(name, line.place)
        is_behind_name = True


def _without_slots(word: str) -> str:
    """Take MPICH's number of slots off: n1:2, which an address of version 6 is not."""
    name, colon, slots = word.rpartition(":")
    return name if colon and slots.isdecimal() and ":" not in name else word
