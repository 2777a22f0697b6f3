# SPDX-License-Identifier: BSD-3-Clause
"""InfiniBand fabrics: what `ibnetdiscover` prints, with the tables of `ibroute`, `dump_lfts.sh` or OpenSM's dump.

The format is that of infiniband-diags (ibnetdiscover(8), "Topology file format"; ibroute(8)).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.networks.graphs import Cable, Graph, Route, name_of, unique
from thalweg.text_files import Place, shown

_REMEDY = "give what ibnetdiscover prints, whole"

_VERTEX = re.compile(r'(Switch|Ca|Rt)\s+\d+\s+"([^"]+)"\s*(?:#\s*"([^"]*)"(.*))?')
_PORT = re.compile(
    r'\[(\d+)\](?:\[ext \d+\])?\s*(?:\([0-9a-fx]+\))?\s*"([^"]+)"\[(\d+)\](?:\[ext \d+\])?'
    r"(?:\([0-9a-fx]+\))?\s*(?:#(.*))?"
)
_LID = re.compile(r"\blid (\d+)")
_SPEED = re.compile(r"\b(\d+)x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\b")
_GBIT = {"SDR": 2, "DDR": 4, "QDR": 8, "FDR10": 10, "FDR": 13.64, "EDR": 25, "HDR": 50, "NDR": 100, "XDR": 200}
"""Of a lane, without what the encoding takes."""
_TABLE = re.compile(r"Unicast lids .*\bguid 0x([0-9a-fA-F]+)")
_ENTRY = re.compile(r"0x([0-9a-fA-F]+)\s+(\d+)\s*(?:[:#].*)?$")
_MAKERS = ("MT", "Mellanox", "InfiniHost", "ConnectX")
_NOBODY = ("localhost", "localhost.localdomain")
_NO_NODE = "Aggregation Node"
"""In the description of what computes inside of switches."""

End = tuple[str, int]
"""A vertex by its GUID, and its port."""


class _Fabric(NamedTuple):
    descriptions: dict[str, str]
    """Of vertices by GUID: "S-0002c90…", "H-…"."""
    cables: dict[End, tuple[End, float]]
    """The other end and the rate in Gbit/s, of each end."""
    lids: dict[int, str]
    """Vertices by local identifier."""
    lines: dict[End, int]
    """Where each end is described."""
    remarks: list[str]


def looks_so(text: str) -> bool:
    """Tell whether a file is likely what ibnetdiscover prints."""
    return re.search(r'^(Switch|Ca)\s+\d+\s+"[SH]-', text, re.MULTILINE) is not None


def read(text: str, name: str, tables: str | None = None, tables_name: str = "the forwarding tables") -> Graph:
    """Read a fabric, and the forwarding tables of its switches where `tables` has their text, from `tables_name`.

    Channel adapters of one host, by the first word of their description, are one node; where descriptions do not tell
    hosts apart, each adapter is one. Capacities are the cables'
    rates over the slowest one's. Tables count for the first local identifier of each node. Raises ThalwegError with
    the line and the remedy.
    """
    fabric = _fabric(text, name)
    switches = [guid for guid in fabric.descriptions if guid.startswith("S-")]
    adapters = [guid for guid in fabric.descriptions if guid.startswith("H-")]
    if not adapters:
        _refuse(name, "there are no channel adapters in it", "give what ibnetdiscover prints, whole")
    hosts = _hosts(adapters, fabric)
    nodes = list(dict.fromkeys(hosts.values()))
    own = unique(
        [*((node, node) for node in nodes), *((guid, name_of(fabric.descriptions[guid])) for guid in switches)]
    )
    vertex = {**{guid: own[hosts[guid]] for guid in adapters}, **{guid: own[guid] for guid in switches}}
    cables, numbers = _cables(fabric, vertex, name)
    routes = _routes(tables, fabric, vertex, numbers) if tables is not None else []
    if tables is not None and not routes:
        _refuse(tables_name, "they lead over no cable of the fabric", "give ibroute's output for each switch")
    comment = f"from the InfiniBand fabric {name}"
    return Graph(nodes, [own[guid] for guid in switches], cables, routes, comment, fabric.remarks)


def _cables(fabric: _Fabric, vertex: Mapping[str, str], name: str) -> tuple[list[Cable], dict[End, int]]:
    """Give the cables, and for each end its number among those between the same two. Those to itself are left out."""
    slowest = min((rate for _, rate in fabric.cables.values() if rate), default=0.0)
    cables: list[Cable] = []
    numbers: dict[End, int] = {}
    beside: dict[tuple[str, str], int] = defaultdict(int)
    unknown: list[End] = []
    for end, (other, rate) in fabric.cables.items():
        if end in numbers:
            continue
        a, b = vertex[end[0]], vertex[other[0]]
        beside[a, b] += 1
        beside[b, a] = beside[a, b]
        numbers[end] = numbers[other] = beside[a, b]
        if a == b:
            line = fabric.lines.get(end, fabric.lines.get(other, 0))
            fabric.remarks.append(f"{name}:{line}: a cable from {a} to itself: left out")
            continue
        known = rate or fabric.cables[other][1]
        if not known:
            unknown.append(end)
        cables.append(Cable(a, b, (known or slowest) / slowest if slowest else 1))
    if unknown and slowest:
        first = min(fabric.lines.get(end, 0) for end in unknown)
        fabric.remarks.append(
            f"{name}:{first}: {len(unknown)} links whose rate is not known count as the slowest, {slowest:g} Gbit/s"
        )
    return cables, numbers


def _fabric(text: str, name: str) -> _Fabric:
    fabric = _Fabric({}, {}, {}, {}, [])
    here = ""
    skipped = {guid for kind, guid, what, _ in _VERTEX.findall(text) if kind == "Rt" or _NO_NODE in what}
    for number, line in enumerate(text.split("\n"), 1):
        place = Place(name, number)
        if vertex := _VERTEX.match(line):
            here = vertex[2]
            if here not in skipped and not _add_vertex(fabric, vertex):
                place.refuse(f"'{here}' comes twice, or is no GUID", _REMEDY)
        elif line.startswith("["):
            port = _PORT.match(line)
            if port is None or not here:
                place.refuse(f"'{shown(line)}' is no port", _REMEDY)
            if here not in skipped and port[2] not in skipped:
                if (here, int(port[1])) in fabric.cables:
                    place.refuse(f"port {int(port[1])} of {here} comes twice", _REMEDY)
                fabric.lines[here, int(port[1])] = number
                _add_port(fabric, here, port)
    _join_ends(fabric, name)
    return fabric


def _add_vertex(fabric: _Fabric, vertex: re.Match[str]) -> bool:
    """Add a switch or an adapter, if it is one, and not there yet."""
    guid = vertex[2]
    if guid in fabric.descriptions or guid[:2] not in {"S-", "H-"}:
        return False
    fabric.descriptions[guid] = vertex[3] or guid
    if lid := _LID.search(vertex[4] or ""):
        fabric.lids[int(lid[1])] = guid
    return True


def _add_port(fabric: _Fabric, here: str, port: re.Match[str]) -> None:
    rest = port[4] or ""
    speed = _SPEED.search(rest)
    rate = int(speed[1]) * _GBIT[speed[2]] if speed else 0.0
    fabric.cables[here, int(port[1])] = ((port[2], int(port[3])), rate)
    if here.startswith("H-") and (lid := _LID.search(rest)):
        fabric.lids[int(lid[1])] = here


def _join_ends(fabric: _Fabric, name: str) -> None:
    """See that cables lead back to where they come from, and add the ends that are not described."""
    for end, (other, rate) in list(fabric.cables.items()):
        place = Place(name, fabric.lines[end])
        if other[0] not in fabric.descriptions:
            place.refuse(f"port {end[1]} of {end[0]} leads to {other[0]}, which is not described", _REMEDY)
        back, _ = fabric.cables.setdefault(other, (end, rate))
        if other == end or back != end:
            place.refuse(f"port {end[1]} of {end[0]} leads to {other[0]}, which does not lead back", "discover again")


def _hosts(adapters: Sequence[str], fabric: _Fabric) -> dict[str, str]:
    """Name the host of each adapter, by its own identifier where descriptions do not tell hosts apart."""
    words = {guid: fabric.descriptions[guid].replace("'", " ").replace("#", " ").split() for guid in adapters}
    alike = Counter(map(tuple, words.values()))
    vague = {found[0] for found in words.values() if found and (alike[tuple(found)] > 1 or found[0] in _NOBODY)}
    vague = {word for word in vague if not word.startswith(_MAKERS)}
    for word in sorted(vague):
        count = sum(found[:1] == [word] for found in words.values())
        fabric.remarks.append(f"{count} adapters call themselves {word}: each counts as a host, by its GUID")
    return {
        guid: guid if not found or found[0].startswith(_MAKERS) or found[0] in vague else found[0]
        for guid, found in words.items()
    }


def _routes(tables: str, fabric: _Fabric, vertex: Mapping[str, str], numbers: Mapping[End, int]) -> list[Route]:
    """Read the entries that lead over a cable to a node; each node has the first of its identifiers."""
    first: dict[str, int] = {}
    for lid, guid in sorted(fabric.lids.items()):
        if guid.startswith("H-"):
            first.setdefault(vertex[guid], lid)
    nodes = {lid: node for node, lid in first.items()}
    found: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    here = ""
    for line in tables.splitlines():
        if head := _TABLE.match(line.strip()):
            here = f"S-{int(head[1], 16):016x}"
        elif (entry := _ENTRY.match(line.strip())) and here in vertex:
            node = nodes.get(int(entry[1], 16))
            end = (here, int(entry[2]))
            if node is not None and end in fabric.cables:
                found[vertex[here], vertex[fabric.cables[end][0][0]], numbers[end]].append(node)
    return [Route(at, ahead, number, list(dict.fromkeys(to))) for (at, ahead, number), to in found.items()]


def _refuse(name: str, why: str, remedy: str) -> NoReturn:
    raise ThalwegError(SETTINGS, f"{name}: {why}", remedy)
