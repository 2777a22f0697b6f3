# SPDX-License-Identifier: BSD-3-Clause
r"""Slurm's topology: topology.conf of topology/tree and topology/block, and what `scontrol show topology` prints.

The syntax is that of Slurm's configuration files (slurm.conf(5)): pairs KEY=VALUE, with blanks around '=' or without,
values in quotes, '\' before a line's end, which goes on in the next one, and before a '#' that begins no comment.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.networks import slurm_blocks
from thalweg.networks.graphs import Cable, Graph, name_of
from thalweg.networks.hostlists import expand
from thalweg.text_files import Place, shown

_PAIR = re.compile(r'(?<![A-Za-z])([A-Za-z]+)\s*=[ \t]*("[^"]*"|(?![A-Za-z]+\s*=)[^\s"]*)(?=\s|$)')
_KEYS = {"switchname", "nodes", "switches", "level", "linkspeed"}
_OTHERS = {"ringname": "rings"}
_BETWEEN = "between_trees"


class _Switch(NamedTuple):
    """A line: a switch with what is below it."""

    place: Place
    name: str
    switches: list[str]
    nodes: list[str]


def looks_so(text: str) -> bool:
    """Tell whether a file is likely one of these."""
    return (
        re.search(
            r"^\s*(SwitchName|BlockName|BlockSizes|AggregatedBlock|RingName)\s*=", text, re.IGNORECASE | re.MULTILINE
        )
        is not None
    )


def read(text: str, name: str) -> Graph:
    """Read the switches, their nodes and their switches.

    `scontrol` lists all nodes below a switch, also where other switches are between: only a switch without switches
    has nodes of its own there. topology.conf may give a switch both. LinkSpeed is not used, as Slurm does not either.
    Each switch has one link to the one above: what Slurm calls a switch may be several, whose links are not known.
    Several trees are joined by a switch that is none, as jobs stay inside of one. A block of topology/block is a switch
    too (slurm_blocks.py). Raises ThalwegError with the line and the remedy.
    """
    entries = [(place, _pairs(line, place)) for place, line in _lines(text, name)]
    if any(slurm_blocks.is_entry(pairs) for _, pairs in entries):
        return slurm_blocks.read(entries, name)
    is_listing = any("level" in pairs for _, pairs in entries)
    switches: dict[str, _Switch] = {}
    for place, pairs in entries:
        switch = _switch(place, pairs, is_listing=is_listing)
        if switch.name in switches:
            place.refuse(f"switch {switch.name} comes twice", "write a line for each switch")
        switches[switch.name] = switch
    remarks: list[str] = []
    nodes, cables = _tree(switches, remarks)
    if not nodes:
        raise ThalwegError(SETTINGS, f"{name}: there are no nodes in it", "write SwitchName=s0 Nodes=n[0-15]")
    names = list(switches)
    roots = _roots(names, cables)
    if len(roots) > 1:
        remarks.append(f"{len(roots)} trees, with no links between: jobs are to stay inside of one")
        names.append(_BETWEEN)
        cables += [Cable(root, _BETWEEN) for root in roots]
    return Graph(nodes, names, cables, comment=f"from Slurm's topology {name}", remarks=remarks)


def _tree(switches: Mapping[str, _Switch], remarks: list[str]) -> tuple[list[str], list[Cable]]:
    """Give the nodes and the cables to the switches above; a node is below the first switch that has it."""
    home: dict[str, str] = {}
    cables: list[Cable] = []
    for switch in switches.values():
        for below in dict.fromkeys(switch.switches):
            if below not in switches:
                switch.place.refuse(f"switch {below} is not described", f"add a line: SwitchName={below} Nodes=…")
            if below == switch.name:
                remarks.append(f"{switch.place.path}:{switch.place.line}: switch {below} is above itself: left out")
            else:
                cables.append(Cable(below, switch.name))
        for node in dict.fromkeys(switch.nodes):
            if node in switches:
                switch.place.refuse(f"node {node} is a switch too", "name each once")
            if node in home:
                where = f"{switch.place.path}:{switch.place.line}"
                remarks.append(f"{where}: node {node} is below {home[node]} and {switch.name}: {home[node]} counts")
            else:
                home[node] = switch.name
                cables.append(Cable(node, switch.name))
    return list(home), cables


def _roots(names: list[str], cables: list[Cable]) -> list[str]:
    """Give a switch of each part that is linked, the uppermost where there is one."""
    above: dict[str, str] = {name: name for name in names}

    def root(name: str) -> str:
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    for cable in cables:
        if cable.a in above:
            above[root(cable.a)] = root(cable.b)
    return list(dict.fromkeys(map(root, names)))


def _lines(text: str, name: str) -> Iterator[tuple[Place, str]]:
    """Yield the lines without comments, continued ones put together, each with the number of its first."""
    before, begin = "", 0
    for number, raw in enumerate([*text.split("\n"), ""], 1):
        line = before + re.split(r"(?<!\\)#", raw, maxsplit=1)[0].rstrip()
        begin = begin if before else number
        before = ""
        if line.endswith("\\") and number <= text.count("\n") + 1:
            before = line[:-1] or " "
        elif line.strip():
            yield Place(name, begin), re.sub(r"\\(.)", r"\1", line)


def _pairs(line: str, place: Place) -> dict[str, str]:
    pairs = {key.lower(): value.strip('"') for key, value in _PAIR.findall(line)}
    for key, kind in _OTHERS.items():
        if key in pairs:
            place.refuse(
                f"a topology of {kind}", "Thalweg reads topology/tree and topology/block; describe it as a graph"
            )
    if slurm_blocks.is_entry(pairs):
        return pairs
    unknown = next((key for key in pairs if key not in _KEYS), None)
    if unknown is not None:
        place.refuse(f"'{unknown}' is not known", "write SwitchName=NAME Nodes=LIST or Switches=LIST")
    if rest := _PAIR.sub("", line).strip():
        place.refuse(f"'{shown(rest)}' is no KEY=VALUE", "write lists without blanks, or in quotes")
    if not pairs.get("switchname"):
        place.refuse(f"'{shown(line.strip())}'", "write SwitchName=NAME Nodes=LIST or Switches=LIST")
    return pairs


def _switch(place: Place, pairs: Mapping[str, str], *, is_listing: bool) -> _Switch:
    def names(key: str) -> list[str]:
        return [name_of(one) for one in expand(pairs.get(key, ""), place)]

    own = names("switchname")
    if len(own) != 1:
        place.refuse(f"{len(own)} switches in one line", "write a line for each")
    below = names("switches")
    return _Switch(place, own[0], below, [] if is_listing and below else names("nodes"))
