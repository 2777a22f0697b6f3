# SPDX-License-Identifier: BSD-3-Clause
"""Recorded programs on machines that nobody here has: each phase's call sites, played one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.simulation.ground import Costs, Ground, ground_of
from thalweg.simulation.results import TICKS, Simulation
from thalweg.simulation.simulate import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ROUNDS_MAX = 16
"""So many messages between two ranks are played; where there were more, they stand for those."""


class Sent(NamedTuple):
    """What a call site sent in a phase, all times together; of shape (pairs,)."""

    senders: NDArray[np.int64]
    receivers: NDArray[np.int64]
    bytes: NDArray[np.int64]
    messages: NDArray[np.int64]


class Site(NamedTuple):
    """A call site of a phase."""

    phase: str
    repeats: int
    """How often the phase began."""
    name: str
    """How its messages are known, its function and its place."""
    sent: Sent


class Recording(NamedTuple):
    """What `thalweg run --record` kept."""

    ranks: int
    seconds: float
    """That the run took; 0: not known."""
    command: str
    sites: list[Site]


class Played(NamedTuple):
    """A call site of a phase on the simulated machine."""

    site: Site
    rounds: int
    """That were played."""
    seconds: float
    """Of all times together."""
    simulation: Simulation


def read_recording(path: str) -> Recording:
    """Read a recorded pattern. Raises ThalwegError naming the file and what is wrong."""
    try:
        found = _core.load_recording(path)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    return Recording(
        found.ranks,
        found.seconds,
        found.command,
        [
            Site(phase, repeats, name, Sent(*(np.asarray(column, dtype=np.int64) for column in columns)))
            for phase, repeats, name, columns in found.sites()
        ],
    )


def play(
    recording: Recording, costs: Costs | None = None, *, progress: Callable[[int], None] | None = None
) -> list[Played]:
    """Simulate each phase's call sites by themselves, all ranks beginning together.

    A pair of ranks with m messages in a time of the phase has a message in m rounds. A rank's next round begins when
    its messages of one have been sent and have come. Nothing is computed between: the recording does not say what.
    """
    ground = ground_of(costs or Costs(), recording.ranks)
    return [_play(recording.ranks, site, ground, progress) for site in recording.sites]


def _play(ranks: int, site: Site, ground: Ground, progress: Callable[[int], None] | None) -> Played:
    sent = site.sent
    each = np.maximum(1, np.ceil(sent.messages / site.repeats)).astype(np.int64)
    busiest = int(each.max(initial=1))
    rounds = min(busiest, ROUNDS_MAX)
    # Of a pair with fewer messages than others they come in equal distances.
    played = np.maximum(1, each * rounds // busiest)
    places = np.repeat(np.arange(each.size), played)
    number = np.arange(places.size) - np.repeat(np.cumsum(played) - played, played)
    program = _core.exchange_program(
        ranks,
        sent.senders[places].astype(np.int32),
        sent.receivers[places].astype(np.int32),
        (sent.bytes // np.maximum(sent.messages, 1))[places].astype(np.int64),
        (number * rounds // played[places]).astype(np.uint32),
        ground.machine,
        ground.ranks_per_node,
        ground.loggops,
        ground.nodes,
    )
    found = run(program, ground, progress=progress)
    # As many messages as there were: the busiest pair's say how many times the rounds are played.
    times = float(sent.messages.max(initial=0)) / rounds
    return Played(site, rounds, found.finish / TICKS * times, found)
