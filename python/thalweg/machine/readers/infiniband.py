"""InfiniBand fabrics: what `ibnetdiscover` prints, with the tables of `ibroute`, `dump_lfts.sh` or OpenSM's dump.

The format is that of infiniband-diags (ibnetdiscover(8), "Topology file format"; ibroute(8)).
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.readers.graphs import Cable, Graph, Route, name_of, unique

_VERTEX = re.compile(r'(Switch|Ca|Rt)\s+\d+\s+"([^"]+)"\s*(?:#\s*"([^"]*)"(.*))?')
_PORT = re.compile(
    r'\[(\d+)\](?:\[ext \d+\])?\s*(?:\([0-9a-fx]+\))?\s*"([^"]+)"\[(\d+)\](?:\[ext \d+\])?'
    r"(?:\([0-9a-fx]+\))?\s*(?:#(.*))?"
)
_LID = re.compile(r"\blid (\d+)")
_SPEED = re.compile(r"(\d+)x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\s*$")
_GBIT = {"SDR": 2, "DDR": 4, "QDR": 8, "FDR10": 10, "FDR": 13.64, "EDR": 25, "HDR": 50, "NDR": 100, "XDR": 200}
"""Of a lane, without what the encoding takes."""
_TABLE = re.compile(r"Unicast lids .*\bguid 0x([0-9a-fA-F]+)")
_ENTRY = re.compile(r"0x([0-9a-fA-F]+)\s+(\d+)\s*[:#]")
_MAKERS = ("MT", "Mellanox", "InfiniHost", "ConnectX")
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


def looks_so(text: str) -> bool:
    """Tell whether a file is likely what ibnetdiscover prints."""
    return re.search(r'^(Switch|Ca)\s+\d+\s+"[SH]-', text, re.MULTILINE) is not None


def read(text: str, name: str, tables: str = "") -> Graph:
    """Read a fabric, and the forwarding tables of its switches where `tables` has their text.

    Channel adapters of one host, by the first word of their description, are one node. Capacities are the cables'
    rates over the slowest one's. Tables count for the first local identifier of each node. Raises ThalwegError with
    the line and the remedy.
    """
    fabric = _fabric(text, name)
    switches = [guid for guid in fabric.descriptions if guid.startswith("S-")]
    adapters = [guid for guid in fabric.descriptions if guid.startswith("H-")]
    if not adapters:
        _refuse(name, "there are no channel adapters in it", "give what ibnetdiscover prints, whole")
    hosts = {guid: _host(guid, fabric.descriptions[guid]) for guid in adapters}
    nodes = list(dict.fromkeys(hosts.values()))
    own = unique(
        [*((node, node) for node in nodes), *((guid, name_of(fabric.descriptions[guid])) for guid in switches)]
    )
    vertex = {**{guid: own[hosts[guid]] for guid in adapters}, **{guid: own[guid] for guid in switches}}
    slowest = min((rate for _, rate in fabric.cables.values() if rate), default=1.0)
    cables: list[Cable] = []
    numbers: dict[End, int] = {}
    beside: dict[tuple[str, str], int] = defaultdict(int)
    for end, (other, rate) in fabric.cables.items():
        if end in numbers:
            continue
        a, b = vertex[end[0]], vertex[other[0]]
        beside[a, b] += 1
        beside[b, a] = beside[a, b]
        numbers[end] = numbers[other] = beside[a, b]
        cables.append(Cable(a, b, (rate or slowest) / slowest))
    routes = _routes(tables, fabric, vertex, numbers) if tables else []
    return Graph(nodes, [own[guid] for guid in switches], cables, routes, comment=f"from the InfiniBand fabric {name}")


def _fabric(text: str, name: str) -> _Fabric:
    fabric = _Fabric({}, {}, {})
    here = ""
    skipped = {guid for kind, guid, what, _ in _VERTEX.findall(text) if kind == "Rt" or _NO_NODE in what}
    for number, line in enumerate(text.splitlines(), 1):
        if vertex := _VERTEX.match(line):
            here = vertex[2]
            if here not in skipped and not _add_vertex(fabric, vertex):
                _refuse(name, f"line {number}: '{here}' comes twice, or is no GUID", "give ibnetdiscover's output")
        elif line.startswith("["):
            port = _PORT.match(line)
            if port is None or not here:
                _refuse(name, f"line {number}: '{line[:60]}' is no port", "give ibnetdiscover's output")
            if here not in skipped and port[2] not in skipped:
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
        back, _ = fabric.cables.setdefault(other, (end, rate))
        if other[0] not in fabric.descriptions or other == end or back != end:
            _refuse(name, f"port {end[1]} of {end[0]} leads to {other[0]}, which does not lead back", "discover again")


def _host(guid: str, description: str) -> str:
    words = description.replace("'", " ").replace("#", " ").split()
    return guid if not words or words[0].startswith(_MAKERS) else words[0]


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
    if not found:
        _refuse("the forwarding tables", "lead over no cable of the fabric", "give ibroute's output for each switch")
    return [Route(at, ahead, number, list(dict.fromkeys(to))) for (at, ahead, number), to in found.items()]


def _refuse(name: str, why: str, remedy: str) -> NoReturn:
    raise ThalwegError(SETTINGS, f"{name}: {why}", remedy)
