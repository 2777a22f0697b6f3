# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg machine probe --find-resources`: what the cores of a node share, from sets of messages sent at once."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from thalweg.errors import FAILED, ThalwegError
from thalweg.machine.fit_resources import Resource, Sets, fit_resources, predicted, telling
from thalweg.trials.places import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from thalweg.trials.session import Job, Session

CORES_MIN = 4
"""Fewer have no two messages without a core in common."""
CORES_MAX = 64
BYTES_MIN = 16 << 10
"""Below, messages stay in caches and share nothing (Sudheer Kumar 2012, chapter 4)."""
SURE_PART = 0.8
_NEAR = 0.25
"""Of log2 of a time: a prediction within 19 % of it explains it."""
_RANDOM_PER_CORE = 30
_TELLING_PER_CORE = 8
_ROUNDS = 5
_FRESH = 2000
_AGREEING = 0.01
_SAMPLES = 5
_BURST_BYTES = 16 << 20

Message = tuple[int, int]


class Slowest(NamedTuple):
    """The set whose slowest message took longest, as times of what it takes alone."""

    messages: Sequence[Message]
    samples: Sequence[float]


class FoundResources(NamedTuple):
    """What cores share, as far as messages show it."""

    cores: int
    resources: Sequence[Resource]
    measurements: int
    explained: float
    """The part of the sets that took what the resources predict."""
    alone: tuple[float, float]
    """What single messages took, the fastest and the slowest pair of cores, as times of the median."""
    slowest: Slowest

    @property
    def sure(self) -> bool:
        """Tell whether nearly all measurements come out as predicted."""
        return self.explained >= SURE_PART


class SetBursts(Protocol):
    """Sends bursts of messages, set after set; gives several samples of what the slowest of each set took."""

    def __call__(self, sets: Sequence[Sequence[Message]]) -> Sequence[Sequence[float]]:
        """Measure."""


def set_bursts_of(session: Session, message_bytes: int) -> SetBursts:
    """Make bursts between a job's ranks."""
    count = max(4, _BURST_BYTES // message_bytes)

    def measured(sets: Sequence[Sequence[Message]]) -> list[tuple[float, ...]]:
        words = (" ".join(str(rank) for message in one for rank in message) for one in sets)
        return [session.probe(f"burst {message_bytes} {count} {_SAMPLES} {ranks}") for ranks in words]

    return measured


def cores_of(job: Job) -> int:
    """Count the cores that a job's ranks stay on, one each.

    Raises ThalwegError where they are on several nodes, may move, share a core, or are too few or many.
    """
    start = "start one on each core: thalweg machine probe --find-resources -- mpirun -np 8 --bind-to core"
    if not CORES_MIN <= job.ranks <= CORES_MAX:
        raise ThalwegError(FAILED, f"{job.ranks} ranks do not show what cores share", f"{start}, {CORES_MIN} or more")
    if len(set(job.nodes)) > 1:
        raise ThalwegError(FAILED, f"the ranks are on {len(set(job.nodes))} nodes, not on one", start)
    held = [place.processors for place in job.places]
    for rank, own in enumerate(held):
        if len(own) != 1:
            raise ThalwegError(FAILED, f"rank {rank} may run on {len(own) or 'unknown'} processors", start)
        if own in held[:rank]:
            raise ThalwegError(FAILED, f"ranks {held.index(own)} and {rank} share processor {min(own)}", start)
    return job.ranks


def known_groups(job: Job) -> list[list[int]]:
    """Give the ranks of each socket and core complex, where searches begin."""
    groups = []
    for part in ([place.socket for place in job.places], [place.core_complex for place in job.places]):
        numbers = set(part) - {NOWHERE}
        groups += [[rank for rank, number in enumerate(part) if number == own] for own in sorted(numbers)]
    return [group for group in groups if 1 < len(group) < job.ranks]


def find_resources(
    cores: int,
    bursts: SetBursts,
    show: Callable[[str], None],
    groups: Sequence[Sequence[int]] = (),
    seed: int = 0,
) -> FoundResources:
    """Measure sets of messages, at random first, then those that tell likely answers apart; and fit."""
    random = np.random.default_rng(seed)
    alone: dict[int, float] = {}
    taken: dict[tuple[int, ...], list[float]] = {}

    def measure(rows: NDArray[np.int64]) -> None:
        wanted = [tuple(sorted(one for one in row if one >= 0)) for row in rows.tolist()]
        wanted = [one for one in dict.fromkeys(wanted) if one not in taken]
        fresh = list(dict.fromkeys(message for one in wanted for message in one if message not in alone))
        for message, samples in zip(fresh, bursts([[divmod(one, cores)] for one in fresh]), strict=True):
            alone[message] = median(samples)
        for one, samples in zip(wanted, bursts([[divmod(m, cores) for m in row] for row in wanted]), strict=True):
            base = max(alone[message] for message in one)
            taken[one] = [sample / base for sample in samples]

    show(f"sending sets of messages between {cores} cores")
    measure(_random_sets(cores, _RANDOM_PER_CORE * cores, random))
    for attempt in range(_ROUNDS):
        sets = _sets(taken, cores)
        resources = fit_resources(cores, sets, random, groups)
        show(f"after {len(taken)} sets: {len(resources)} resources, which explain {_explained(resources, sets):.0%}")
        half = random.permutation(len(taken))[: len(taken) // 2]
        other = fit_resources(cores, Sets(sets.members[half], sets.times[half]), random, groups)
        fresh = _random_sets(cores, _FRESH, random)
        apart = telling([resources, other], fresh)
        if apart.size <= _AGREEING * _FRESH or attempt == _ROUNDS - 1:
            break
        measure(fresh[apart[: _TELLING_PER_CORE * cores]])
    middle = median(alone.values())
    worst = max(taken, key=lambda one: median(taken[one]))
    return FoundResources(
        cores,
        resources,
        len(taken),
        _explained(resources, sets),
        (min(alone.values()) / middle, max(alone.values()) / middle),
        Slowest([divmod(message, cores) for message in worst], taken[worst]),
    )


def _random_sets(cores: int, count: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Draw sets of 2 messages up to half of the cores, without a core in common."""
    limit = cores // 2
    order = random.random((count, cores)).argsort(axis=1)
    drawn = order[:, :limit] * cores + order[:, limit : 2 * limit]
    sizes = random.integers(2, limit + 1, size=count)
    drawn[np.arange(limit)[None, :] >= sizes[:, None]] = -1
    return np.asarray(drawn, dtype=np.int64)


def _sets(taken: dict[tuple[int, ...], list[float]], cores: int) -> Sets:
    members = np.full((len(taken), cores // 2), -1, dtype=np.int64)
    for row, one in zip(members, taken, strict=True):
        row[: len(one)] = one
    return Sets(members, np.asarray([median(samples) for samples in taken.values()]))


def _explained(resources: Sequence[Resource], sets: Sets) -> float:
    apart = np.abs(np.log2(np.maximum(sets.times, 0.1) / predicted(resources, sets.members)))
    return float((apart < _NEAR).mean())
