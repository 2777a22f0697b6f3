# SPDX-License-Identifier: BSD-3-Clause
"""Another job's traffic on a lab: a plain TCP stream from one host to another, as fast as links let it."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.errors import FAILED, ThalwegError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from thalweg.lab.hosts import Lab
    from thalweg.placement.pattern import Pattern

_PORT = 7741
_RECEIVER = f"""
import socket
with socket.create_server(("", {_PORT})) as server:
    print("ready", flush=True)
    stream = server.accept()[0]
    while stream.recv(1 << 16):
        pass
"""
# With less under way than fills a link's queue for long, as in networks whose switches have small queues.
_SENDER = f"""
import socket, sys
with socket.socket() as stream:
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 17)
    stream.connect((sys.argv[1], {_PORT}))
    while True:
        stream.sendall(bytes(1 << 16))
"""


@contextmanager
def foreign_flow(lab: Lab, sender: int, receiver: int) -> Iterator[None]:
    """Send from one host's place to another's while the context lasts."""
    on = ["ip", "netns", "exec"]
    with subprocess.Popen(
        [*on, lab.names[receiver], sys.executable, "-c", _RECEIVER], stdout=subprocess.PIPE, text=True
    ) as sink:
        if sink.stdout is None or sink.stdout.readline() != "ready\n":
            raise ThalwegError(FAILED, f"{lab.names[receiver]} does not listen on port {_PORT}")
        with subprocess.Popen([*on, lab.names[sender], sys.executable, "-c", _SENDER, lab.address(receiver)]) as source:
            try:
                yield
            finally:
                for process in (source, sink):
                    process.send_signal(signal.SIGTERM)


class Hop(NamedTuple):
    """A link between two switches of a lab, and hosts whose messages cross no other such link."""

    link: str
    number: int
    sender: int
    receiver: int


def _loads(lab: Lab, pattern: Pattern, slot_of: Sequence[int]) -> NDArray[np.float64]:
    """Give the bytes that a job's ranks send over each link, with a rank a host in the order in which jobs get them."""
    places = np.array([lab.names.index(name) for name in lab.dealt])[np.asarray(slot_of)]
    sent = pattern.matrix().tocoo()
    machine = _core.Interconnect(lab.network, lab.hosts)
    return machine.link_loads(places[sent.row], places[sent.col], sent.data.astype(np.float64))


def hottest_hop(lab: Lab, pattern: Pattern, slot_of: Sequence[int]) -> Hop:
    """Find the link between switches that a job loads most whose ranks have these slots."""
    machine = _core.Interconnect(lab.network, lab.hosts)
    first_switch = machine.nodes if machine.vertices > machine.nodes else 0
    loads = _loads(lab, pattern, slot_of)
    hops = []
    for sender, receiver in itertools.permutations(range(lab.hosts), 2):
        route = machine.route(sender, receiver)[0].tolist()
        between = [link for link in route if min(machine.ends(link)) >= first_switch]
        if len(between) == 1:
            hops.append(Hop(machine.link_name(between[0]), between[0], sender, receiver))
    return max(hops, key=lambda hop: float(loads[hop.number]))


def bytes_over(lab: Lab, pattern: Pattern, slot_of: Sequence[int], hop: Hop) -> float:
    """Give the bytes that the job itself sends over a link; without slots its ranks are where they were started."""
    return float(_loads(lab, pattern, slot_of if len(slot_of) else range(lab.hosts))[hop.number])
