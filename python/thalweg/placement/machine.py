# SPDX-License-Identifier: BSD-3-Clause
"""What tasks are put on: the nodes of a machine, with so many slots each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.machine import Machine
from thalweg.machine.node_files import Named, is_list, read_names_or_nodes
from thalweg.networks.batch import SLURM, batch_machine, nodes_of_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from thalweg import _core


class Slots(NamedTuple):
    """Places for ranks: slot s is on nodes[s], int64 of shape (slots,), the slots of a node one after the other.

    per_node  how many slots each of the job's nodes has, in their order, int64 of shape (nodes of the job,)
    hosts     the names of the job's nodes, in their order; none where they are not known
    """

    machine: _core.Interconnect
    nodes: NDArray[np.int64]
    per_node: NDArray[np.int64]
    hosts: Sequence[str] = ()

    def __repr__(self) -> str:
        """Say what it is without its arrays."""
        return f"<Slots of {self.machine.name}: {self.nodes.size} on {self.node_count} nodes>"

    @property
    def extents(self) -> tuple[int, ...]:
        """Give the sides of the plain mesh or torus that the machine is, with equal links; empty where it is none."""
        grid = self.machine.grid
        is_plain = grid is not None and self.machine.vertices == self.machine.nodes and "," not in self.machine.name
        return tuple(grid.extents) if grid is not None and is_plain else ()

    @property
    def is_one_node(self) -> bool:
        """Tell whether the machine is the cores of one node, by what they share: its nodes are cores then."""
        return self.machine.name.startswith("resources:")

    @property
    def node_count(self) -> int:
        """Give how many nodes the job has."""
        return 1 if self.is_one_node else self.per_node.size

    def nodes_and_cores(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give which of the job's nodes each slot is on, and which of the node's cores it takes, both from 0."""
        if self.is_one_node:
            return np.zeros_like(self.nodes), self.nodes
        first = np.cumsum(self.per_node) - self.per_node
        index = np.repeat(np.arange(self.per_node.size), self.per_node)
        return index, np.arange(index.size) - first[index]


def slots_of(machine: str | Machine, nodes: ArrayLike | None = None, slots_per_node: ArrayLike | None = None) -> Slots:
    """Make slots on nodes: coordinates of shape (nodes, dimensions), or numbers of shape (nodes,); None: all.

    slots_per_node  a number, or one for each node; None: one each, or what a `machine` that is made says

    Raises ThalwegError for what is no machine or none of its nodes, for a node that comes twice, and for nodes or slots
    of a machine that is made.
    """
    if isinstance(machine, Machine):
        if nodes is not None or slots_per_node is not None:
            remedy = "give them to thalweg.Machine"
            raise ThalwegError(SETTINGS, f"nodes or slots beside a machine {machine.name} that is made", remedy)
        return _slots_of(machine)
    if not isinstance(machine, str):
        raise ThalwegError(SETTINGS, f"machine {machine!r}", 'write a name as "torus:16x16x16", or a thalweg.Machine')
    where = None if nodes is None else np.asarray(nodes)
    if where is not None and where.ndim == 2 and where.shape[1] == 1:
        where = where.ravel()
    return _slots_of(Machine(machine, where, slots_per_node=slots_per_node))


def _slots_of(machine: Machine) -> Slots:
    per_node = np.ones(1, np.int64) if machine.slots_per_node is None else machine.slots_per_node
    return Slots(
        machine.interconnect,
        machine.nodes if machine.slots is None else machine.slots,
        np.broadcast_to(per_node, machine.node_count),
    )


def read_slots(machine: str, nodes_file: str, slots_per_node: int = 1) -> Slots:
    """Make slots from a file of nodes, which may name the torus itself; "" for either: the other's.

    Of machines that name their nodes the file may have names, as n[003-017,040], or there is such a list in place of a
    file. "slurm" is the machine that Slurm describes; within a job of Slurm it is the one that is meant, and the job's
    nodes. Raises ThalwegError with the line.
    """
    if not nodes_file and not machine and not nodes_of_job(os.environ):
        raise ThalwegError(SETTINGS, "no machine", "give one, such as --machine torus:16x16x16")
    found = read_names_or_nodes(nodes_file) if nodes_file else []
    if isinstance(found, list):
        return _slots_by_names(machine, found, slots_per_node)
    if machine == SLURM:
        raise ThalwegError(SETTINGS, f"{nodes_file} has numbers of nodes", "name them as Slurm does: n[003-017]")
    named = "torus:" + "x".join(map(str, found.extents)) if found.extents else ""
    if not machine and not named:
        raise ThalwegError(SETTINGS, f"{nodes_file} names no torus", "give --machine")
    return slots_of(found.on(machine or named, slots_per_node))


def _slots_by_names(machine: str, named: Sequence[Named], slots_per_node: int) -> Slots:
    """Make slots on these nodes; without any on the job's, or all of the machine."""
    hosts = tuple(one.name for one in named)
    if machine in ("", SLURM):
        hosts = hosts or tuple(nodes_of_job(os.environ))
        return slots_of(batch_machine(os.environ, hosts), None, slots_per_node)._replace(hosts=hosts)
    numbers = _numbers_of(named, Machine(machine)) if named else None
    return slots_of(machine, numbers, slots_per_node)._replace(hosts=hosts)


def _numbers_of(names: Sequence[Named], machine: Machine) -> list[int]:
    """Number nodes that are given by their names."""
    numbers: dict[int, str] = {}
    for name, place in names:
        number = machine.interconnect.node_named(name)
        if number < 0:
            problem = f"{name} is no node of {machine.name}" + (", and no file" if is_list(name) else "")
            place.refuse(problem, "name nodes of a graph:FILE, or give their numbers")
        if number in numbers:
            place.refuse(f"node {name} comes twice", "name each node once")
        numbers[number] = name
    return list(numbers)
