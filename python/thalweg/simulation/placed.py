# SPDX-License-Identifier: BSD-3-Clause
"""The network of a simulation: which node each rank is on, and how fast links are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.placement.machine import Slots, slots_of
from thalweg.text_files import Place, lines_of, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

_DIGITS_MAX = 9


class Network(NamedTuple):
    """A network, and the node of each rank on it, int64 of shape (ranks,)."""

    interconnect: _core.Interconnect
    places: NDArray[np.int64]

    @property
    def numbers(self) -> list[int]:
        """Number the nodes that have ranks from 0, in the order of their first ranks; give each rank's."""
        _, first, places = np.unique(self.places, return_index=True, return_inverse=True)
        order = np.empty(first.size, dtype=np.int64)
        order[np.argsort(first, kind="stable")] = np.arange(first.size)
        numbers: list[int] = order[places].tolist()
        return numbers

    @property
    def leaves(self) -> list[int]:
        """Number the switches that have ranks' nodes likewise; give each rank's, nothing where one has all of them."""
        of_node = self.places[np.sort(np.unique(self.places, return_index=True)[1])].tolist()
        return _core.NodePlaces(self.interconnect.name, 0, of_node).leaves(self.numbers)


def network_of(  # noqa: PLR0913 - where ranks are has that many sides, most with a usual value
    name: str,
    ranks: int,
    ranks_per_node: int = 1,
    *,
    nodes: ArrayLike | None = None,
    without: Sequence[int] = (),
    placement: ArrayLike | None = None,
) -> Network:
    """Put ranks on the nodes of a network.

    Slot s is on node s // ranks_per_node of those that the job has (None: all), but for the numbers in `without`. Rank
    r is on slot placement[r] (None: slot r), as `thalweg place map` gives them. With 0 ranks on a node all are on the
    first; with 0 ranks there are as many as slots. Raises ThalwegError for what is no network, for too few slots, and
    for a placement that is none.
    """
    if ranks_per_node < 0:
        raise ThalwegError(SETTINGS, f"{ranks_per_node} ranks on a node", "choose 0, for all, or more")
    job = None if nodes is None else np.asarray(nodes)
    slots = slots_of(_completed(name, ranks + len(without) * ranks_per_node, ranks_per_node), job, ranks_per_node or 1)
    there = _without(slots, without)
    if ranks_per_node == 0:
        return Network(slots.machine, np.full(max(ranks, 1), there[0]))
    count = ranks or there.size
    if count > there.size:
        raise ThalwegError(
            SETTINGS,
            f"{count} ranks on {there.size} slots of {slots.machine.name}",
            "choose a larger network, or more ranks on a node",
        )
    return Network(slots.machine, there[_checked(placement, count, there.size)])


def _without(slots: Slots, missing: Sequence[int]) -> NDArray[np.int64]:
    """Give the nodes of the slots that are not on missing ones."""
    unknown = sorted(set(missing) - set(slots.nodes.tolist()))
    if unknown:
        raise ThalwegError(
            SETTINGS, f"the job has no node {unknown[0]} of {slots.machine.name}", "name only nodes of it"
        )
    return slots.nodes[~np.isin(slots.nodes, list(missing))]


def _completed(name: str, ranks: int, ranks_per_node: int) -> str:
    """Give the number of nodes to a network that has none by itself, as a star."""
    nodes = -(-ranks // ranks_per_node) if ranks_per_node else 1
    try:
        return _core.Interconnect(name).name
    except _core.Error as error:
        try:
            return _core.Interconnect(name, nodes).name if nodes else name
        except _core.Error:
            raise ThalwegError(SETTINGS, *error.args) from error


def _checked(placement: ArrayLike | None, ranks: int, slots: int) -> NDArray[np.int64]:
    if placement is None:
        return np.arange(ranks)
    given = np.asarray(placement)
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise ThalwegError(SETTINGS, f"a placement of type {given.dtype}", "give each rank the number of its slot")
    found = given.astype(np.int64).ravel()
    if found.size < ranks:
        raise ThalwegError(SETTINGS, f"a placement of {found.size} ranks for {ranks}", "give each rank a slot")
    found = found[:ranks]
    if found.size and (found.min() < 0 or found.max() >= slots or np.unique(found).size != found.size):
        raise ThalwegError(SETTINGS, "the placement is none", f"give each rank a slot of its own from 0 to {slots - 1}")
    return found


def read_placement(path: str) -> NDArray[np.int64]:
    """Read the slot of each rank, a line each, as `thalweg place map -o FILE --format list` writes them."""
    remedy = "name a file of slots, as `thalweg place map -o FILE --format list` writes it"
    slots: dict[int, None] = {}
    for line in lines_of(read_text(path, remedy), path):
        for word in line.words:
            if not (word.isascii() and word.isdigit()) or len(word) > _DIGITS_MAX:
                line.place.refuse(f"'{shown(word)}' is no slot", remedy)
            if int(word) in slots:
                line.place.refuse(f"slot {int(word)} comes twice", "give each rank a slot of its own")
            slots[int(word)] = None
    if not slots:
        Place(path, 1).refuse("no slots in it", remedy)
    return np.array(list(slots), dtype=np.int64)


def is_network(name: str) -> bool:
    """Say whether it is the name of a network, not of a machine file."""
    return not Path(name).exists() and (name == "star" or ":" in name) and not name.endswith(".toml")


def with_link_rate(machine: _core.Machine, bytes_per_second: float) -> _core.Machine:
    """Give a machine's network links of another bandwidth."""
    changed = _core.parse_machine(machine.to_text(), machine.title)
    levels = changed.levels
    for level in levels:
        if level.level == _core.Level.network:
            ranges = level.ranges
            for cost in ranges:
                cost.gap_per_byte = _core.Figure(*(3 * [1 / bytes_per_second]))
            level.ranges = ranges
    changed.levels = levels
    return changed


def with_latency_by_hops(machine: _core.Machine, interconnect: _core.Interconnect) -> tuple[_core.Machine, float]:
    """Give a machine whose messages between nodes take what is left of their latency without hops, and a hop's seconds.

    The probe counts nodes' own links, which meshes and tori may be without. Nothing changes where it did not find what
    hops cost.
    """
    network = next((one for one in machine.levels if one.level == _core.Level.network), None)
    if network is None or network.hops == 0 or network.hop.value <= 0:
        return machine, 0.0
    own_links = 0 if interconnect.vertices > interconnect.nodes else 2
    changed = _core.parse_machine(machine.to_text(), machine.title)
    levels = changed.levels
    for level in levels:
        if level.level == _core.Level.network:
            ranges = level.ranges
            of_hops = max(0, level.hops - own_links) * level.hop.value
            for cost in ranges:
                cost.latency = _core.Figure(*(3 * [max(0.0, cost.latency.value - of_hops)]))
            level.ranges = ranges
            level.hops = 0
    changed.levels = levels
    return changed, network.hop.value


def loggops_with_link_rate(loggops: str, bytes_per_second: float) -> str:
    """Give LogGOPS' parameters, as text, another G."""
    usual = ["2500", "1500", "1000", "6", "0", "65535"]
    words = loggops.split(",")
    words += usual[len(words) :]
    words[3] = repr(1e9 / bytes_per_second)
    return ",".join(words)
