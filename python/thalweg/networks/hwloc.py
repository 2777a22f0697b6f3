# SPDX-License-Identifier: BSD-3-Clause
"""hwloc's XML: the inside of a node as a hierarchy, whose places are the cores."""

from xml.etree import ElementTree as ET

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.networks.graphs import Cable, Graph
from thalweg.text_files import Place

_REMEDY = "give what lstopo --of xml writes"

_KINDS = ("Machine", "NUMANode", "Socket", "Package", "Die", "Group", "L5Cache", "L4Cache", "L3Cache", "L2Cache")
"""What cores share, beside the node itself. In hwloc 1 packages are sockets, and are inside of the memory's nodes."""
_LEAVES = ("Core", "PU")
_INSTRUCTIONS = "2"
"""The type of a cache that has no data, in hwloc 1."""
_DEPTH_MAX = 200


def looks_so(text: str) -> bool:
    """Tell whether a file is likely one of hwloc's."""
    return "<topology" in text[:2000]


def read(text: str, name: str) -> str | Graph:
    """Read the name of a hierarchy, as "hierarchy:2x4x8": from the node down to the cores.

    Where the parts are not all alike it is a graph, a tree. Raises ThalwegError where the file is none of hwloc's.
    """
    try:
        root = ET.fromstring(text)  # noqa: S314 - a file that the user names
    except ET.ParseError as error:
        line, _ = error.position
        Place(name, line).refuse(f"this is no XML: {error}", _REMEDY)
    leaf = next((kind for kind in _LEAVES if root.find(f".//object[@type='{kind}']") is not None), None)
    machine = root.find("object")
    if leaf is None or machine is None:
        raise ThalwegError(SETTINGS, f"{name} tells of no cores", _REMEDY)
    tree = _collapsed(_parts(machine, leaf))
    if not isinstance(tree, list):
        return "star:1"
    extents = _extents(tree)
    if extents is not None:
        return "hierarchy:" + "x".join(map(str, extents)) if len(extents) > 1 else f"star:{extents[0]}"
    graph = Graph([], [], [], comment=f"from hwloc's {name}")
    _add(graph.nodes, graph.switches, graph.cables, tree)  # type: ignore[arg-type]
    return graph


Tree = int | list["Tree"]
"""A leaf, or parts."""


def _kind(part: ET.Element) -> str:
    """Name what a part is, as hwloc 2 does: hwloc 1 gives caches their level apart."""
    kind = part.get("type", "")
    if kind == "Cache" and part.get("cache_type") != _INSTRUCTIONS:
        return f"L{part.get('depth')}Cache"
    return kind


def _parts(whole: ET.Element, leaf: str, depth: int = 0) -> list[Tree]:
    """Give what the cores of a part share. Kinds that are none of ours, as what only has a name, are passed through."""
    if depth > _DEPTH_MAX:
        raise ThalwegError(SETTINGS, f"parts inside of more than {_DEPTH_MAX} others", _REMEDY)
    parts: list[Tree] = []
    for child in whole.findall("object"):
        kind = _kind(child)
        inside: list[Tree] = [0] if kind == leaf else _parts(child, leaf, depth + 1)
        parts += [_collapsed(inside)] if kind in _KINDS and inside else inside
    return parts


def _collapsed(parts: list[Tree]) -> Tree:
    """Give a thing of one part as that part."""
    return parts[0] if len(parts) == 1 else parts


def _extents(tree: Tree) -> list[int] | None:
    """Give the numbers of parts from the whole down; nothing where they are not all alike."""
    if not isinstance(tree, list):
        return []
    below = [_extents(part) for part in tree]
    if below[0] is None or any(one != below[0] for one in below):
        return None
    return [len(tree), *below[0]]


def _add(nodes: list[str], switches: list[str], cables: list[Cable], tree: Tree) -> str:
    if not isinstance(tree, list):
        nodes.append(f"core{len(nodes)}")
        return nodes[-1]
    own = f"part{len(switches)}"
    switches.append(own)
    for part in tree:
        cables.append(Cable(_add(nodes, switches, cables, part), own))
    return own
