"""Slurm's topology: topology.conf of the plugin topology/tree, and what `scontrol show topology` prints."""

import re
from collections.abc import Mapping
from typing import NoReturn

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.readers.graphs import Cable, Graph
from thalweg.machine.readers.hostlists import expand

_PAIR = re.compile(r"([A-Za-z]+)=(\S*)")
_KEYS = {"switchname", "nodes", "switches", "level", "linkspeed"}


def looks_so(text: str) -> bool:
    """Tell whether a file is likely one of these."""
    return re.search(r"^\s*(SwitchName|BlockName)=", text, re.IGNORECASE | re.MULTILINE) is not None


def read(text: str, name: str) -> Graph:
    """Read the switches, their nodes and their switches.

    `scontrol` lists all nodes below a switch, also where other switches are between: only a switch without switches
    has nodes of its own there. topology.conf may give a switch both. LinkSpeed is not used, as Slurm does not either.
    Each switch has one link to the one above: what Slurm calls a switch may be several, whose links are not known.
    Raises ThalwegError with the line and the remedy.
    """
    entries = [_entry(line, number, name) for number, line in _lines(text)]
    entries = [entry for entry in entries if entry]
    is_listing = any("level" in entry for entry in entries)
    switches = [entry["switchname"] for entry in entries]
    children: dict[str, list[str]] = {}
    nodes: list[str] = []
    for entry in entries:
        below = expand(entry["switches"]) if entry.get("switches") else []
        own = expand(entry["nodes"]) if entry.get("nodes") and not (is_listing and below) else []
        if entry["switchname"] in children:
            _refuse(name, f"switch {entry['switchname']} comes twice", "write a line for each switch")
        children[entry["switchname"]] = below + own
        nodes += own
        for child in below:
            if child not in switches:
                _refuse(name, f"switch {child} is not described", f"add a line: SwitchName={child} Nodes=…")
    if not nodes:
        _refuse(name, "there are no nodes in it", "write SwitchName=s0 Nodes=n[0-15]")
    seen = set(switches)
    for node in nodes:
        if node in seen:
            _refuse(name, f"node {node} comes twice, or is a switch too", "name each once")
        seen.add(node)
    cables = [Cable(child, switch) for switch, below in children.items() for child in below]
    return Graph(nodes, switches, cables, comment=f"from Slurm's topology {name}")


def _lines(text: str) -> list[tuple[int, str]]:
    """Give the lines without comments, continued ones put together, each with its number."""
    lines: list[tuple[int, str]] = []
    open_line = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = open_line + raw.split("#", 1)[0].rstrip()
        if line.endswith("\\"):
            open_line = line[:-1] + " "
            continue
        open_line = ""
        if line.strip():
            lines.append((number, line))
    return [*lines, (len(text.splitlines()), open_line)] if open_line.strip() else lines


def _entry(line: str, number: int, name: str) -> Mapping[str, str]:
    pairs = {key.lower(): value for key, value in _PAIR.findall(line)}
    if "blockname" in pairs or "blocksizes" in pairs:
        _refuse(name, f"line {number}: a topology of blocks", "Thalweg reads topology/tree; describe it as a graph")
    if "switchname" not in pairs or not pairs["switchname"] or not set(pairs) <= _KEYS:
        _refuse(name, f"line {number}: '{line.strip()[:60]}'", "write SwitchName=NAME Nodes=LIST or Switches=LIST")
    if _PAIR.sub("", line).strip():
        _refuse(name, f"line {number}: '{_PAIR.sub('', line).strip()[:60]}'", "write KEY=VALUE, without blanks")
    names = expand(pairs["switchname"])
    if len(names) != 1:
        _refuse(name, f"line {number}: {len(names)} switches in one line", "write a line for each")
    return {**pairs, "switchname": names[0]}


def _refuse(name: str, why: str, remedy: str) -> NoReturn:
    raise ThalwegError(SETTINGS, f"{name}: {why}", remedy)
