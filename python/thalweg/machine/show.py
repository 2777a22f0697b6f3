# SPDX-License-Identifier: BSD-3-Clause
"""What `thalweg machine show` prints and writes: a network's figures, and how far its nodes are from one."""

import sys
from typing import Any

import numpy as np

from thalweg import _core
from thalweg.answers.answer import answered, people_apart
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.machine.files import nodes_text, read_node_list
from thalweg.networks.read import Reading, read_machine
from thalweg.plots import save_figure
from thalweg.text_files import write_text

_BAR = 40
_SHOWN_MAX = 1 << 20


def show_machine(  # noqa: PLR0913
    source: str, *, tables: str, nodes: str, output: str, plot: str = "", json_file: str = ""
) -> None:
    """Read a network, print it, and write its graph and picture where they are asked for; empty names are none.

    Raises ThalwegError for a network or hosts that cannot be read, and for a graph that needs no file.
    """
    reading = read_machine(source, tables=tables)
    hosts = read_node_list(nodes, reading.interconnect) if nodes else []
    is_silent = answered("machine show", as_data(reading, hosts), json_file)
    if not is_silent:
        print_machine(reading)
    for remark in reading.remarks:
        print(f"thalweg: {remark}", file=sys.stderr)
    if hosts and not is_silent:
        print(f"{len(hosts)} hosts have places, as {nodes_text(hosts[:3])}")
    with people_apart(json_file):
        _write(reading, output, plot)


def _write(reading: Reading, output: str, plot: str) -> None:
    if output:
        if not reading.graph:
            name = reading.interconnect.name
            raise ThalwegError(SETTINGS, f"{name} needs no file", f"write this name: --network {name}")
        write_text(reading.graph, output, "name another: --output FILE")
        print(f"written to {output}: use it as graph:{output}")
    if plot:
        from thalweg.machine.figures import machine_figure  # noqa: PLC0415 - slow, and seldom asked for

        save_figure(machine_figure(reading.interconnect), plot)
        print(f"picture: {plot}")


def print_machine(reading: Reading) -> None:
    """Print a network's figures and a small picture."""
    machine = reading.interconnect
    switches = machine.vertices - machine.nodes
    taking = "" if machine.rank_nodes == machine.nodes else f", of which {machine.rank_nodes} take ranks"
    print(f"{machine.name} ({reading.kind})")
    print(f"nodes:     {machine.nodes}{taking}")
    print(f"switches:  {switches or 'the nodes themselves'}")
    print(f"links:     {_links(machine)}, each one way")
    print(f"diameter:  {machine.diameter} hops")
    print(f"mean hops: {machine.mean_hops:.2f}")
    print(f"bisection: {f'{machine.bisection:g} links each way' if machine.bisection else 'not known'}")
    print(f"routes:    {'spread over several' if machine.spreads else 'fixed'}")
    if 1 < machine.nodes <= _SHOWN_MAX:
        for line in picture(machine):
            print(line)


def as_data(reading: Reading, hosts: list[tuple[str, int]]) -> dict[str, Any]:
    """Give a network's figures as plain data."""
    machine = reading.interconnect
    distances = distances_of(machine) if machine.nodes <= _SHOWN_MAX else []
    return {
        "network": machine.name,
        "kind": reading.kind,
        "nodes": machine.nodes,
        "rank_nodes": machine.rank_nodes,
        "switches": machine.vertices - machine.nodes,
        "links": _link_count(machine),
        "diameter": machine.diameter,
        "mean_hops": machine.mean_hops,
        "bisection": machine.bisection,
        "spreads": machine.spreads,
        "hops_from_first": [{"hops": hops, "nodes": count} for hops, count in distances],
        "hosts": [{"host": host, "node": node} for host, node in hosts],
        "remarks": list(reading.remarks),
    }


def _links(machine: _core.Interconnect) -> str:
    return f"{'up to ' if machine.links > _SHOWN_MAX else ''}{_link_count(machine)}"


def _link_count(machine: _core.Interconnect) -> int:
    """Count the links; of a large network some may not be there."""
    if machine.links > _SHOWN_MAX:
        return machine.links
    return sum(machine.ends(link)[0] >= 0 for link in range(machine.links))


def distances_of(machine: _core.Interconnect) -> list[tuple[int, int]]:
    """Give how many other nodes are how far from node 0: hops, and nodes."""
    nodes = np.arange(machine.nodes, dtype=np.int64)
    hops, counts = np.unique(machine.hops(np.zeros_like(nodes), nodes), return_counts=True)
    return list(zip(hops[1:].tolist(), counts[1:].tolist(), strict=True))


def picture(machine: _core.Interconnect) -> list[str]:
    """Draw how many nodes are how far from node 0."""
    distances = distances_of(machine)
    longest = max((count for _, count in distances), default=1)
    lines = ["hops from node 0"]
    for distance, count in distances:
        bar = "█" * max(1, round(_BAR * count / longest))
        lines.append(f"{distance:9d}  {bar} {count}")
    return lines
