# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg machine probe --find-network`: the network's shape, and where nodes are in it, from messages alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from thalweg.errors import FAILED, ThalwegError
from thalweg.machine.fit_network import SURE_ODDS, SURE_PART, Fit, Meetings, fit_network, odds, telling

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from thalweg.trials.session import Job, Session

NODES_MIN = 4
"""Fewer have no two pairs without a node in common."""
NODES_MAX = 32
_RANDOM_PER_NODE = 25
_TELLING_PER_NODE = 6
_ROUNDS = 8
_TELLING_FITS = 6
_SAMPLES = 2
_MESSAGE_BYTES = 1 << 17
_MESSAGES_MAX = 1 << 10
_BURST_S = 0.05
_MEETINGS_MAX = 48
_US = 1e-6

Pair = tuple[int, int]


class Found(NamedTuple):
    """What the network is likely."""

    fits: Sequence[Fit]
    """The best first."""
    hosts: Sequence[str]
    measurements: int
    odds: Sequence[float]
    """Of the best over each other fit, as natural logarithms."""

    @property
    def sure(self) -> bool:
        """Tell whether the best fit explains nearly all, and is clearly better than any other."""
        return self.fits[0].explained >= SURE_PART and min(self.odds, default=SURE_ODDS) >= SURE_ODDS

    @property
    def places(self) -> list[tuple[str, int]]:
        """Give each host its place."""
        return [(host, int(place)) for host, place in zip(self.hosts, self.fits[0].places, strict=True)]


Meeting = tuple[Pair, Pair | None]
"""Pairs that send at once, or one alone."""


class Bursts(Protocol):
    """Sends bursts of messages, meeting after meeting; gives the seconds that the slower pair of each took."""

    def __call__(self, meetings: Sequence[Meeting]) -> Sequence[float]:
        """Measure."""


def bursts_of(session: Session) -> Bursts:
    """Make bursts between the first ranks of a job's nodes, so long that their start does not matter."""
    speaker = [session.job.nodes.index(node) for node in range(len(session.job.hosts))]

    def measured(meetings: Sequence[Meeting], count: int) -> list[float]:
        seconds: list[float] = []
        for begin in range(0, len(meetings), _MEETINGS_MAX):
            words = [
                str(speaker[node]) if node >= 0 else "-1"
                for one, other in meetings[begin : begin + _MEETINGS_MAX]
                for node in (*one, *(other or (-1, -1)))
            ]
            samples = session.probe(f"meetings {_MESSAGE_BYTES} {count} {_SAMPLES} {' '.join(words)}")
            seconds += [sample * _US * count for sample in samples]
        return seconds

    count = 2
    while count < _MESSAGES_MAX and measured([((0, 1), None)], count)[0] < _BURST_S:
        count *= 2
    return lambda meetings: measured(meetings, count)


def find_network(job: Job, bursts: Bursts, show: Callable[[str], None], seed: int = 0) -> Found:
    """Measure pairs of pairs, at random first, then those that tell the likeliest shapes apart; and fit.

    Raises ThalwegError where the job has too few nodes, or too many.
    """
    nodes = len(job.hosts)
    if not NODES_MIN <= nodes <= NODES_MAX:
        message = f"a job on {nodes} nodes does not show its network"
        raise ThalwegError(FAILED, message, f"give it {NODES_MIN} to {NODES_MAX} nodes: thalweg machine probe -n 8 …")
    random = np.random.default_rng(seed)
    alone: dict[Pair, float] = {}
    measured: dict[tuple[Pair, Pair], float] = {}

    def measure(wanted: Sequence[tuple[Pair, Pair]]) -> None:
        fresh = list(dict.fromkeys(pair for meeting in wanted for pair in meeting if pair not in alone))
        alone.update(zip(fresh, bursts([(pair, None) for pair in fresh]), strict=True))
        for meeting, seconds in zip(wanted, bursts(wanted), strict=True):
            measured[meeting] = seconds / max(alone[meeting[0]], alone[meeting[1]])

    show(f"measuring pairs of {nodes} nodes")
    measure(_random_meetings(nodes, _RANDOM_PER_NODE * nodes, random))
    fits: list[Fit] = []
    for attempt in range(_ROUNDS):
        fits = fit_network(nodes, _meetings(measured), random, fits)
        found = Found(fits, job.hosts, len(measured), odds(fits, len(measured)))
        show(f"after {len(measured)} measurements: {fits[0].network}, which explains {fits[0].explained:.0%}")
        fresh = [one for one in _random_meetings(nodes, 40 * nodes * nodes, random) if one not in measured]
        if (found.sure and attempt > 0) or not fresh or attempt == _ROUNDS - 1:
            break
        ends = np.asarray(fresh, dtype=np.int64)
        order = telling(fits[:_TELLING_FITS], nodes, ends[:, 0], ends[:, 1])
        if not order.size:
            break
        measure([fresh[index] for index in order[: _TELLING_PER_NODE * nodes]])
    return found


def _random_meetings(nodes: int, count: int, random: np.random.Generator) -> list[tuple[Pair, Pair]]:
    """Draw pairs of pairs without a node in common, each once; the pair with the smaller first node comes first."""
    drawn: NDArray[np.int64] = random.random((count, nodes)).argpartition(3, axis=1)[:, :4]
    drawn = random.permuted(drawn, axis=1)
    found: dict[tuple[Pair, Pair], None] = {}
    for a, b, c, d in drawn.tolist():
        found[((a, b), (c, d)) if a < c else ((c, d), (a, b))] = None
    return list(found)


def _meetings(measured: dict[tuple[Pair, Pair], float]) -> Meetings:
    ends = np.asarray(list(measured), dtype=np.int64)
    return Meetings(ends[:, 0], ends[:, 1], np.fromiter(measured.values(), np.float64, len(measured)))
