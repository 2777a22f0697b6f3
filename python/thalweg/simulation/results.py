# SPDX-License-Identifier: BSD-3-Clause
"""What simulations of programs say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from thalweg.notebook_html import facts_html
from thalweg.units import time_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg import _core
    from thalweg.notebook_figure import NotebookFigure

TICKS = 1e9
"""Of a second."""


class Segments(NamedTuple):
    """What processors and messages did when; times in nanoseconds, kinds as positions in `kinds()`.

    links  of messages on their way on levels flow and packet: the link that held them up; -1: none
    """

    ranks: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    links: NDArray[np.int64]


class Deliveries(NamedTuple):
    """Messages whose two ends take processors' time; all of shape (messages,), times in nanoseconds.

    begins  when the sender's processor was at it; ends: when the receiver's had taken it in
    """

    senders: NDArray[np.int64]
    receivers: NDArray[np.int64]
    tags: NDArray[np.int64]
    bytes: NDArray[np.int64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


class Links(NamedTuple):
    """What links carried, those with the most to do first; all of shape (links,). None on level loggp."""

    numbers: NDArray[np.int64]
    """Of the interconnect's links."""
    bytes: NDArray[np.float64]
    busy: NDArray[np.float64]
    """The nanoseconds that these take at the link's full capacity."""


STEADY = 1e-3
"""Part of a round's time by which the last rounds may differ from those before."""


class Rounds(NamedTuple):
    """Rounds that are alike, of which few were simulated."""

    total: int
    simulated: int
    round_ns: float
    """That one takes, by the last of those that were simulated; the others take it too."""
    before_ns: float
    """By those before them."""
    min_ns: int = 0
    """What the program takes at least: where messages share no links, and by the bytes of the busiest link."""

    @property
    def are_steady(self) -> bool:
        """Say whether rounds have come to take equally long; if not, the time is a rough one."""
        return abs(self.round_ns - self.before_ns) <= STEADY * self.round_ns


@dataclass(frozen=True, repr=False)
class Simulation:
    """What a simulation says; times in nanoseconds."""

    level: str
    ranks: int
    finish: int
    """When the last rank has finished, all having begun at 0."""
    last_rank: int
    ends: NDArray[np.int64]
    """Of each rank."""
    busy: NDArray[np.int64]
    """How long each rank's processors had something to do; the rest of its time it waited."""
    operations: int
    """That were simulated; of folded programs, one rank's."""
    messages: int
    events: int
    packets: int
    """That have come, on level packet; else 0."""
    packet_hops: int
    """How often one has passed a switch."""
    patterns: int
    """How many kinds of ranks there are."""
    folded: int
    """How many ranks were looked at and found alike, so that one was simulated for all; 0: all were."""
    why: dict[str, int]
    """How long each kind of cost is on the critical path; empty if the program was too large to explain."""
    path: Segments
    """The critical path, from the start to the finish without a pause."""
    timeline: Segments
    """What all processors did, where it was asked for."""
    deliveries: Deliveries
    """The messages between them; none where one rank was simulated for all."""
    links: Links
    """What links carried, on levels flow and packet."""
    links_on_path: list[tuple[int, int]]
    """The links that messages of the critical path waited for, with nanoseconds, longest first."""
    network: _core.Interconnect | None
    """What lies between the ranks, where it is known."""
    fingerprint: int
    """Equal for equal results."""
    rounds: Rounds | None = None
    """What stands for what, where not all rounds were simulated."""

    def __repr__(self) -> str:
        """Say what it is without its arrays."""
        return (
            f"<Simulation of {self.ranks} ranks on level {self.level!r}: {self.seconds:.6g} s, "
            f"{self.messages} messages, rank {self.last_rank} is the last>"
        )

    def _repr_html_(self) -> str:
        """Show in a notebook when it ends, and into which costs the critical path goes."""
        costs = sorted(self.why.items(), key=lambda cost: -cost[1])
        return facts_html(
            f"{self.ranks} ranks on level {self.level}",
            [
                ("time", time_text(self.seconds)),
                ("last rank", str(self.last_rank)),
                ("messages", f"{self.messages:,}"),
                *((f"critical path: {kind}", time_text(ticks / TICKS)) for kind, ticks in costs if ticks),
            ],
        )

    def plot(self) -> NotebookFigure:
        """Draw the timeline of the first ranks, with the critical path; needs simulate(..., timeline=True).

        Raises ThalwegError where there is no timeline, or no matplotlib.
        """
        from thalweg.simulation.picture import timeline_figure  # noqa: PLC0415 - which needs this module

        return timeline_figure(self)

    @property
    def seconds(self) -> float:
        """When the last rank has finished."""
        return self.finish / TICKS

    def link_name(self, link: int) -> str:
        """Name a link of the network for people."""
        return "" if self.network is None else self.network.link_name(link)

    def ranks_on_path(self) -> list[tuple[int, int]]:
        """Give the ranks that the critical path goes through, with their nanoseconds on it, longest first."""
        ranks, places = np.unique(self.path.ranks, return_inverse=True)
        ticks = np.zeros(ranks.size, dtype=np.int64)
        np.add.at(ticks, places, self.path.ends - self.path.begins)
        order = np.lexsort((ranks, -ticks))
        return [(int(ranks[place]), int(ticks[place])) for place in order]
