# SPDX-License-Identifier: BSD-3-Clause
"""Slurm's topology/block: nodes that are close to each other by blocks, and blocks by larger ones.

topology.conf names the base blocks, and in BlockSizes the nodes of each kind of larger block: consecutive base blocks
make one, as many as its size is a multiple of the first one (topology.conf(5)). `scontrol show topology` lists larger
blocks themselves, as AggregatedBlock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.networks.graphs import Cable, Graph, name_of
from thalweg.networks.hostlists import expand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from thalweg.text_files import Place

_BASE, _AGGREGATED, _SIZES = "blockname", "aggregatedblock", "blocksizes"
_KEYS = {_BASE, _AGGREGATED, _SIZES, "nodes", "blockindex", "blocksize"}
_ALL = "all_blocks"
_DIGITS_MAX = 9


class _Block(NamedTuple):
    """Nodes with a name; what is in a block is in those that have all of its nodes."""

    place: Place
    name: str
    nodes: list[str]


def is_entry(pairs: Mapping[str, str]) -> bool:
    """Tell whether a line is about blocks."""
    return any(key in pairs for key in (_BASE, _AGGREGATED, _SIZES))


def read(entries: Sequence[tuple[Place, Mapping[str, str]]], name: str) -> Graph:
    """Read blocks as switches: nodes have their base block's, and blocks that of the smallest block around them.

    All blocks meet in one more switch, unless one has all nodes. Raises ThalwegError with the line and the remedy.
    """
    blocks: list[_Block] = []
    larger: list[_Block] = []
    sizes: list[int] = []
    for place, pairs in entries:
        if unknown := next((key for key in pairs if key not in _KEYS), None):
            place.refuse(f"'{unknown}' beside blocks", "write BlockName=NAME Nodes=LIST and BlockSizes=LIST")
        if _SIZES in pairs:
            sizes = _sizes(pairs[_SIZES], place)
        if _BASE in pairs:
            names = expand(pairs[_BASE], place)
            if len(names) != 1:
                place.refuse(f"{len(names)} blocks in one line", "write a line for each")
            _add(blocks, _Block(place, name_of(names[0]), _nodes(pairs, place)))
        elif _AGGREGATED in pairs:
            parts = [name_of(part) for part in expand(pairs[_AGGREGATED], place)]
            larger.append(_Block(place, f"{parts[0]}-{parts[-1]}", _nodes(pairs, place)))
    if not any(block.nodes for block in blocks):
        raise ThalwegError(SETTINGS, f"{name}: there are no nodes in it", "write BlockName=b0 Nodes=n[0-15]")
    larger += _aggregated(blocks, sizes)
    nodes, names, cables = _joined(blocks, larger)
    return Graph(nodes, names, cables, comment=f"from Slurm's blocks {name}")


def _nodes(pairs: Mapping[str, str], place: Place) -> list[str]:
    return [name_of(node) for node in dict.fromkeys(expand(pairs.get("nodes", ""), place))]


def _sizes(text: str, place: Place) -> list[int]:
    words = text.split(",")
    if not all(word.isascii() and word.isdecimal() and len(word) <= _DIGITS_MAX and int(word) > 0 for word in words):
        place.refuse(f"BlockSizes={text}", "write numbers of nodes, as BlockSizes=18,36")
    return [int(word) for word in words]


def _add(blocks: list[_Block], block: _Block) -> None:
    """Keep a base block whose name and nodes are its own."""
    for other in blocks:
        if other.name == block.name:
            block.place.refuse(f"block {block.name} comes twice", "write a line for each block")
        if twice := set(other.nodes) & set(block.nodes):
            block.place.refuse(f"node {min(twice)} is in {other.name} and {block.name}", "name each node once")
    blocks.append(block)


def _aggregated(blocks: Sequence[_Block], sizes: Sequence[int]) -> list[_Block]:
    """Make the larger blocks that sizes say, of consecutive ones."""
    made: list[_Block] = []
    for size in sizes[1:]:
        count = size // sizes[0]
        for first in range(0, len(blocks) if count > 1 else 0, max(count, 1)):
            parts = blocks[first : first + count]
            if len(parts) > 1:
                nodes = [node for part in parts for node in part.nodes]
                made.append(_Block(parts[0].place, f"{parts[0].name}-{parts[-1].name}", nodes))
    return made


def _joined(blocks: Sequence[_Block], larger: Sequence[_Block]) -> tuple[list[str], list[str], list[Cable]]:
    """Give nodes, switches, and the cable from each to the switch above."""
    nodes = [node for block in blocks for node in block.nodes]
    by_size = sorted(
        (*blocks, *larger), key=lambda block: len(block.nodes)
    )  # a base block before one of the same nodes
    names = _fresh([block.name for block in by_size], {*nodes})
    base = {id(block): name for block, name in zip(by_size, names, strict=True)}
    cables = [Cable(node, base[id(block)]) for block in blocks for node in block.nodes]
    sets = [frozenset(block.nodes) for block in by_size]
    tops: list[str] = []
    for index, own in enumerate(sets):
        above = next((at for at in range(index + 1, len(sets)) if own <= sets[at]), -1)
        if above < 0:
            tops.append(names[index])
        else:
            cables.append(Cable(names[index], names[above]))
    if len(tops) > 1:
        names += _fresh([_ALL], {*nodes, *names})
        cables += [Cable(top, names[-1]) for top in tops]
    return nodes, names, cables


def _fresh(wanted: Sequence[str], taken: set[str]) -> list[str]:
    """Give names that nothing else has."""
    names: list[str] = []
    for name in wanted:
        own = name
        while own in taken:
            own += "_"
        taken.add(own)
        names.append(own)
    return names
