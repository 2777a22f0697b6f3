# SPDX-License-Identifier: BSD-3-Clause
"""What the lab is made of, by name: hosts, their addresses, and the folder of its files."""

import json
import os
import random
import re
from pathlib import Path
from typing import NamedTuple

from thalweg import _core
from thalweg.errors import LAB, USAGE, ThalwegError

NETNS = Path("/etc/netns")
HOSTS_MAX = 250
_LABS = Path("/run/thalweg-lab")
_NAME = re.compile(r"[a-z][a-z0-9]{0,31}")
_RATE = re.compile(r"\d+(\.\d+)?[kmg]?bit")


class Lab(NamedTuple):
    """A lab as it was asked for."""

    name: str
    """Its hosts' names begin with it, so that several labs can be up."""

    hosts: int
    rate: str
    """Of each link in each direction, in the words of tc: 200mbit."""

    topology: str
    """The network's shape, as docs/machines.md has them: star, fat-tree:4x2, ring, torus:4x2, dragonfly:2x2x1."""

    shuffle: int = 0
    """Jobs get the hosts in a random order by this seed, as a busy cluster's scheduler deals them out; 0: in order."""

    nic: bool = False
    """Each host has an agent that runs collectives on its network device."""

    host_rate: str = ""
    """Of hosts' own links, where those are faster than the others, as in machines that are tori; "": the same."""

    operators: str = ""
    """A folder with operators of users that the agents have; "": none."""

    @property
    def names(self) -> list[str]:
        """Name the hosts, which are their network namespaces too."""
        return [f"{self.name}-h{index}" for index in range(self.hosts)]

    @property
    def dealt(self) -> list[str]:
        """Name the hosts in the order in which jobs get them."""
        if not self.shuffle:
            return self.names
        return random.Random(self.shuffle).sample(self.names, self.hosts)  # noqa: S311 - it guards nothing

    @property
    def network(self) -> str:
        """Describe the network for those who place ranks: its shape, and how much faster hosts' own links are."""
        kind, _, extents = self.topology.partition(":")
        if not self.host_rate or kind not in ("ring", "torus", "mesh"):
            return self.topology
        kind, extents = ("torus", extents or str(self.hosts)) if kind == "ring" else (kind, extents)
        faster = bits_per_second(self.host_rate) / bits_per_second(self.rate)
        return f"{kind}:{extents}*1,capacity={'1:' * (extents.count('x') + 1)}{faster:g}"

    @property
    def node_list(self) -> Path:
        """Say where the file is that tells where each host is in the network."""
        return self.folder / "hosts"

    def switch(self, index: int) -> str:
        """Name a switch's namespace."""
        return f"{self.name}-s{index}"

    @property
    def folder(self) -> Path:
        """Say where its files are."""
        return folder_of(self.name)

    @property
    def leaves(self) -> list[int]:
        """Number the switches that aggregate for their hosts: all that have some, where they have several."""
        network = network_of(self.topology, self.hosts)
        found = {network.switch_of(host) - self.hosts for host in range(self.hosts)}
        return sorted(found) if len(found) < self.hosts else []

    @property
    def spine(self) -> int:
        """Number the switch that aggregates for the leaves: the first that is linked to all; -1: none is."""
        network = network_of(self.topology, self.hosts)
        leaves = {leaf + self.hosts for leaf in self.leaves}
        links = {(a, b) for a, b in network.links}
        above = range(self.hosts, self.hosts + network.switches)
        found = [at - self.hosts for at in above if leaves and all((leaf, at) in links for leaf in leaves)]
        return found[0] if found else -1

    @property
    def aggregating(self) -> list[int]:
        """Number all switches that aggregate."""
        return [*self.leaves, self.spine] if self.spine >= 0 else self.leaves

    def switch_address(self, index: int) -> str:
        """Give the address that an aggregating switch has for itself: in a star on its bridge."""
        return "10.77.0.254" if self.topology == "star" else f"10.78.{index // 250}.{index % 250 + 1}"

    def leaf_address(self, host: int) -> str:
        """Give the address of the switch that aggregates for a host; nothing where none does."""
        if not self.leaves:
            return ""
        return self.switch_address(network_of(self.topology, self.hosts).switch_of(host) - self.hosts)

    def address(self, index: int) -> str:
        """Give a host's address on its only link."""
        return f"10.77.0.{index + 1}"


def bits_per_second(rate: str) -> float:
    """Read a link's rate in the words of tc: 50mbit."""
    number = rate.removesuffix("bit")
    return float(number.rstrip("kmg")) * {"k": 1e3, "m": 1e6, "g": 1e9}.get(number[-1], 1.0)


def folder_of(name: str) -> Path:
    """Say where the files of the lab of that name are."""
    if not _NAME.fullmatch(name):
        raise ThalwegError(USAGE, f"'{name}' is no name of a lab", "choose small letters and digits: --name thalweg")
    return _LABS / name


def is_host(namespace: str, name: str) -> bool:
    """Tell whether a namespace is a host of the lab of that name."""
    return re.fullmatch(rf"{name}-h\d+", namespace) is not None


def belongs(namespace: str, name: str) -> bool:
    """Tell whether a namespace is part of the lab of that name."""
    return is_host(namespace, name) or re.fullmatch(rf"{name}-s\d+", namespace) is not None


def checked(  # noqa: PLR0913, PLR0917 - a lab's properties
    name: str, hosts: int, rate: str, topology: str, shuffle: int = 0, host_rate: str = ""
) -> Lab:
    """Refuse what cannot be built."""
    folder_of(name)
    if not 2 <= hosts <= HOSTS_MAX:
        raise ThalwegError(USAGE, f"a lab of {hosts} hosts cannot be made", f"choose 2 to {HOSTS_MAX}: --hosts 8")
    for text in (rate, host_rate or rate):
        if not _RATE.fullmatch(text):
            raise ThalwegError(USAGE, f"'{text}' is no rate of a link", "write 200mbit, 1gbit or 64kbit")
    network_of(topology, hosts)
    if shuffle < 0:
        raise ThalwegError(
            USAGE, f"{shuffle} is no seed", "choose one above 0, or 0 to leave hosts in order: --shuffle 1"
        )
    return Lab(name, hosts, rate, topology, shuffle, host_rate=host_rate)


def network_of(topology: str, hosts: int) -> _core.Network:
    """Make the network of that shape, refusing what is none."""
    try:
        return _core.Network(topology, hosts)
    except _core.Error as error:
        raise ThalwegError(USAGE, *error.args) from error


def saved(name: str) -> Lab | None:
    """Read what the lab of that name is; nothing where none is up."""
    file = folder_of(name) / "lab.json"
    try:
        return Lab(**json.loads(file.read_text()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        message = f"{file} is damaged: {error}"
        raise ThalwegError(LAB, message, f"remove what is left: thalweg lab down --name {name}") from error


def network_of_lab(name: str) -> str:
    """Name the shape of a lab's network; empty without a lab."""
    lab = saved(name) if name else None
    return lab.topology if lab else ""


def node_list_of_lab(name: str) -> str:
    """Say where the file is that tells where a lab's hosts are in its network; empty without a lab."""
    lab = saved(name) if name else None
    return str(lab.node_list) if lab else ""


def hosts_of_lab(name: str) -> list[tuple[str, int]]:
    """Give a lab's hosts with their places in its network: host i is at place i. None without a lab."""
    lab = saved(name) if name else None
    return [(host, place) for place, host in enumerate(lab.names)] if lab else []


def save(lab: Lab) -> None:
    """Remember which lab is up, and where its hosts are for those who read node lists."""
    lines = [f"# {lab.network}", *(f"{name} {place}" for place, name in enumerate(lab.names))]
    lab.node_list.write_text("\n".join(lines) + "\n")
    (lab.folder / "lab.json").write_text(json.dumps(lab._asdict()))


def require_root() -> None:
    """Refuse to go on as anybody else."""
    if os.geteuid() != 0:
        raise ThalwegError(
            LAB, "hosts are network namespaces, which root alone may make", "run it as root, or with sudo"
        )
