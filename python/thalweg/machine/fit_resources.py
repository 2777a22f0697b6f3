# SPDX-License-Identifier: BSD-3-Clause
"""What cores share, from how long sets of messages take that are sent at once.

Alone, all pairs of cores look alike; messages that need the same ring segment, cache, memory channel or link between
sockets slow one another (Sudheer Kumar 2012, chapter 4). A resource is what some messages use, of which it carries
`capacity` at full rate. The slowest message of a set then takes as many times as long as alone as the most crowded
resource says: messages that use it by its capacity.

So no resource may predict more than was measured, but less, as others come. Searches count it `_OVER` times.

Resources are added one after the other, the one that explains most first, while each explains more than naming it
costs. Each is searched by changes of one core from several starts, and searched again when others have come.
"""

from collections.abc import Callable, Sequence
from math import lgamma, log, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg.machine.resource_forms import FORMS, Form, Shape

ERROR_MIN = 0.002
_ERROR_MAX = 0.5
_OVER = 8
_CAPACITIES = 24
_RESOURCES_MAX = 24
_RANDOM_STARTS = 6
_RING_STARTS = 4
_RING_MAX = 16
"""Cores: a ring's order is searched by all swaps of two."""
_SWEEPS_MAX = 4

Loads = NDArray[np.float64]


class Sets(NamedTuple):
    """Measurements, a row each."""

    members: NDArray[np.int64]
    """The messages that were sent at once, as from * cores + to; -1 where a set has fewer."""
    times: NDArray[np.float64]
    """How many times as long as alone the slowest took."""


class Resource(NamedTuple):
    """What some messages share."""

    name: str
    users: NDArray[np.bool_]
    """[a, b]: does the message from core a to core b use it?"""
    capacity: float
    """So many of them at once are as fast as one alone."""


class _Part(NamedTuple):
    """A shape that was found, and what it does to the measurements."""

    shape: Shape
    capacity: float
    loads: Loads

    @property
    def slowed(self) -> Loads:
        return self.loads / self.capacity


def loads_of(usage: NDArray[np.bool_], members: NDArray[np.int64]) -> Loads:
    """Count the users of the most used of some resources in each set.

    `usage` is of shape (…, resources, cores**2), the answer of shape (…, sets).
    """
    padded = np.concatenate([usage, np.zeros((*usage.shape[:-1], 1), dtype=np.bool_)], axis=-1)
    counted: Loads = padded[..., members].sum(axis=-1).max(axis=-2).astype(np.float64)
    return counted


def predicted(resources: Sequence[Resource], members: NDArray[np.int64]) -> NDArray[np.float64]:
    """Predict how many times as long as alone the slowest message of each set takes."""
    times = np.ones(len(members))
    for one in resources:
        times = np.maximum(times, loads_of(one.users.reshape(1, -1), members) / one.capacity)
    return times


def errors_of(times: NDArray[np.float64], guessed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the squared error of log2 for each set; outliers count no more than `_ERROR_MAX`."""
    errors: NDArray[np.float64] = np.minimum(np.log2(np.maximum(times, 0.1) / guessed) ** 2, _ERROR_MAX)
    return errors


def _search_errors(times: NDArray[np.float64], guessed: NDArray[np.float64]) -> NDArray[np.float64]:
    errors: NDArray[np.float64] = errors_of(times, guessed) * np.where(guessed > times, _OVER, 1)
    return errors


def fit_resources(
    cores: int, sets: Sets, random: np.random.Generator, groups: Sequence[Sequence[int]] = ()
) -> list[Resource]:
    """Find what the cores share. `groups` of cores, such as those of a socket, are starts of searches, no more."""
    search = _Search(cores, sets, random, groups)
    parts: list[_Part] = []
    while len(parts) < _RESOURCES_MAX:
        others = _slowest(parts, len(sets.times))
        found = search.best(others)
        if search.gain(others, found) <= 0:
            break
        parts = search.settled([*parts, found])
    if len(parts) > 1:
        parts = search.settled(parts, search.best)
    return [one for part in search.evened(parts) for one in _resources_of(part, cores)]


def _slowest(parts: Sequence[_Part], sets: int) -> Loads:
    slowest: Loads = np.max([np.ones(sets), *(part.slowed for part in parts)], axis=0)
    return slowest


class _Search:
    """Looks for the resource that explains most of what others leave."""

    def __init__(self, cores: int, sets: Sets, random: np.random.Generator, groups: Sequence[Sequence[int]]) -> None:
        self._cores, self._sets, self._random = cores, sets, random
        self._capacities = np.geomspace(1, max(2, sets.members.shape[1]), _CAPACITIES)
        self._groups = [np.isin(np.arange(cores), group) for group in groups]

    def best(self, others: Loads) -> _Part:
        """Search all forms from several starts."""
        found = [self._climbed(start, others) for form in FORMS for start in self._starts(form)]
        return min(found, key=lambda part: self._score(others, part))

    def gain(self, others: Loads, part: _Part) -> float:
        """Say how much likelier the measurements become, as a logarithm, less what naming the resource costs."""
        return self._unlikelihood(others) - self._score(others, part)

    def settled(self, parts: list[_Part], search: Callable[[Loads], _Part] | None = None) -> list[_Part]:
        """Search each part again beside all others, by default near where it is; drop what gains nothing."""
        for _ in range(_SWEEPS_MAX if search is None else 1):
            before = [part.shape for part in parts]
            for index in range(len(parts) - 1, -1, -1):
                rest = parts[:index] + parts[index + 1 :]
                others = _slowest(rest, len(self._sets.times))
                found = [self._climbed(parts[index].shape, others), *([] if search is None else [search(others)])]
                better = min(found, key=lambda part: self._score(others, part))
                parts = rest if self.gain(others, better) <= 0 else [*parts[:index], better, *parts[index + 1 :]]
            if len(parts) == len(before) and all(a.shape.equals(b) for a, b in zip(parts, before, strict=True)):
                break
        return parts

    def evened(self, parts: list[_Part]) -> list[_Part]:
        """Choose capacities anew, with what is predicted too high counted as what is too low."""
        for index, part in enumerate(parts):
            others = _slowest(parts[:index] + parts[index + 1 :], len(self._sets.times))
            tried = np.maximum(1, part.capacity * np.linspace(0.85, 1.05, 41))
            errors = errors_of(self._sets.times, np.maximum(others, part.loads / tried[:, None])).sum(axis=-1)
            parts = [*parts[:index], part._replace(capacity=float(tried[errors.argmin()])), *parts[index + 1 :]]
        return parts

    def _unlikelihood(self, guessed: Loads) -> float:
        """Give the negative logarithm of how likely the measurements are, if errors are normal and of one spread."""
        spread = max(ERROR_MIN, float(_search_errors(self._sets.times, guessed).mean()))
        return guessed.size / 2 * log(spread)

    def _score(self, others: Loads, part: _Part) -> float:
        cost = lgamma(self._cores + 1) if part.shape.form.is_order else part.shape.bits.size * log(2)
        return self._unlikelihood(np.maximum(others, part.slowed)) + cost + log(_CAPACITIES)

    def _starts(self, form: Form) -> list[Shape]:
        cores = self._cores
        if form.is_order:
            count = _RING_STARTS if 3 < cores <= _RING_MAX else 0
            return [Shape(form, self._random.permutation(cores)) for _ in range(count)]
        sides = [np.ones(cores, dtype=np.bool_), *self._groups, *(~group for group in self._groups)]
        known = [np.concatenate([a, b]) for a in sides for b in sides] if form.is_two_sided else sides
        width = 2 * cores if form.is_two_sided else cores
        drawn = [self._random.random(width) < self._random.choice([0.3, 0.5, 0.8]) for _ in range(_RANDOM_STARTS)]
        return [Shape(form, bits) for bits in [*known, *drawn]]

    def _climbed(self, start: Shape, others: Loads) -> _Part:
        """Change one core's part, or swap two in an order, while that explains more."""
        best, error = self._priced([start], others)
        while True:
            near, tried = self._priced(best.shape.neighbors(), others)
            if tried >= error - 1e-9:
                return best
            best, error = near, tried

    def _priced(self, shapes: Sequence[Shape], others: Loads) -> tuple[_Part, float]:
        """Give the shape that explains most, with the capacity at which it does, and the sum of its errors."""
        usage = np.stack([shape.usage(self._cores) for shape in shapes])
        loads = loads_of(usage, self._sets.members)
        slowed = loads[:, None, :] / self._capacities[None, :, None]
        errors = _search_errors(self._sets.times, np.maximum(others, slowed)).sum(axis=-1)
        row, column = np.unravel_index(int(errors.argmin()), errors.shape)
        fine = self._capacities[column] * np.linspace(0.96, 1.04, 9)
        finer = _search_errors(self._sets.times, np.maximum(others, loads[row] / fine[:, None])).sum(axis=-1)
        capacity = float(max(1.0, fine[finer.argmin()]))
        return _Part(shapes[int(row)], capacity, loads[row]), float(finer.min())


def _resources_of(part: _Part, cores: int) -> list[Resource]:
    usage = part.shape.usage(cores)
    names = part.shape.names(cores)
    return [
        Resource(name, row.reshape(cores, cores), part.capacity)
        for name, row in zip(names, usage, strict=True)
        if row.any()
    ]


def telling(fits: Sequence[Sequence[Resource]], members: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order sets that were not measured by how differently fits predict them; those alike for all are left out."""
    said = np.log2(np.stack([predicted(fit, members) for fit in fits]))
    apart = said.max(axis=0) - said.min(axis=0)
    order = np.argsort(-apart, kind="stable")
    return np.asarray(order[apart[order] > log2(1.15)], dtype=np.int64)
