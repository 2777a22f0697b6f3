# SPDX-License-Identifier: BSD-3-Clause
"""A network from what pairs of nodes lose to one another: which shape, and which node is where in it.

Two messages that share a link take twice as long as each alone; alone, all pairs look alike. So what is measured is
which pairs of pairs share links. A shape predicts that for each way to place the nodes; the ways are searched by
swaps from random starts, and the shape whose best way explains the most is the answer.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from thalweg import _core

SURE_PART = 0.75
"""Of the measurements, which the shape has to explain; others are noise."""
SURE_ODDS = 10.0
"""Of the answer over any other shape, as a natural logarithm: 22,000 to 1."""
_ERROR_MIN = 0.005
_STARTS = 24
"""For 8 nodes."""
_STARTS_MIN = 4
_ERROR_MAX = 0.5
_BATCH = 1 << 22
_DIMENSIONS_MAX = 3
Places = NDArray[np.int64]


class Meetings(NamedTuple):
    """Measurements: while `others` were sending, `pairs` took `times` as long as alone. Rows of (from, to) nodes."""

    pairs: NDArray[np.int64]
    others: NDArray[np.int64]
    times: NDArray[np.float64]


class Fit(NamedTuple):
    """A shape at its best."""

    network: str
    places: Places
    """Of each node."""
    explained: float
    """The part of the measurements that come out as the shape predicts."""
    error: float
    """Of log2 of the times, squared, its mean; outliers count as `_ERROR_MAX`."""


def candidates(nodes: int) -> list[str]:
    """Name the shapes that so many nodes can be on, simple ones first."""
    names = ["star", "ring"] if nodes > 2 else ["star"]
    factors = list(_factors(nodes))
    for dimensions in range(2, _DIMENSIONS_MAX + 1):
        names += [f"torus:{'x'.join(map(str, one))}" for one in factors if len(one) == dimensions]
    for hosts in range(2, nodes):
        if nodes % hosts == 0:
            names += [f"fat-tree:{hosts}x{spines}" for spines in range(1, hosts + 1)]
    return names + [f"mesh:{'x'.join(map(str, one))}" for one in factors if len(one) <= _DIMENSIONS_MAX]


def _factors(number: int) -> Iterator[tuple[int, ...]]:
    """Give all rows of numbers above 1 with this product."""
    yield (number,)
    for first in range(2, number // 2 + 1):
        if number % first == 0:
            for rest in _factors(number // first):
                yield (first, *rest)


@cache
def sharing(network: str, nodes: int) -> NDArray[np.bool_]:
    """Tell which messages share a link: for (from, to) as from * nodes + to, of shape (nodes**2, nodes**2)."""
    machine = _core.Interconnect(network, nodes)
    carried = np.zeros((nodes * nodes, machine.links), dtype=np.float32)
    for pair in range(nodes * nodes):
        links, _ = machine.route(pair // nodes, pair % nodes)
        carried[pair, links] = 1
    return carried @ carried.T > 0


def _predicted(shared: NDArray[np.bool_], places: Places, meetings: Meetings) -> NDArray[np.bool_]:
    """Tell which meetings are on a link, for each row of places; of shape (rows, meetings)."""
    nodes = places.shape[-1]
    ours = places[..., meetings.pairs[:, 0]] * nodes + places[..., meetings.pairs[:, 1]]
    others = places[..., meetings.others[:, 0]] * nodes + places[..., meetings.others[:, 1]]
    met: NDArray[np.bool_] = shared[ours, others]
    return met


def _errors(meetings: Meetings) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give what it costs to predict of each meeting that it shares no link, and that it does."""
    times = np.log2(np.maximum(meetings.times, 0.1))
    return np.minimum(times**2, _ERROR_MAX), np.minimum((times - 1) ** 2, _ERROR_MAX)


def fit_shape(
    network: str, nodes: int, meetings: Meetings, random: np.random.Generator, known: Places | None = None
) -> Fit:
    """Place the nodes on a shape so that it explains the measurements best; `known` is one more start."""
    shared = sharing(network, nodes)
    apart, together = _errors(meetings)

    def errors(places: Places) -> NDArray[np.float64]:
        means: NDArray[np.float64] = np.where(_predicted(shared, places, meetings), together, apart).mean(axis=-1)
        return means

    one, other = np.triu_indices(nodes, 1)
    swapped = np.tile(np.arange(nodes), (one.size, 1))
    rows = np.arange(one.size)
    swapped[rows, one], swapped[rows, other] = other, one
    size = max(1, _BATCH // max(1, meetings.times.size))
    best, best_error = np.arange(nodes), np.inf
    starts = [random.permutation(nodes) for _ in range(max(_STARTS_MIN, _STARTS * 8 // nodes))]
    for start in [*starts, *([] if known is None else [known])] if _is_shared(network, nodes) else starts[:1]:
        places = start
        error = float(errors(places))
        while one.size:
            tries = np.concatenate(
                [errors(places[swapped[begin : begin + size]]) for begin in range(0, one.size, size)]
            )
            better = int(tries.argmin())
            if tries[better] >= error - 1e-12:
                break
            places, error = places[swapped[better]], float(tries[better])
        if error < best_error - 1e-12:
            best, best_error = places, error
    wrong = _predicted(shared, best, meetings) != (meetings.times > np.sqrt(2))
    return Fit(network, best, 1 - float(wrong.mean()), best_error)


def fit_network(nodes: int, meetings: Meetings, random: np.random.Generator, before: Sequence[Fit] = ()) -> list[Fit]:
    """Fit all shapes, the best first; of those that predict the same the simplest, without the others.

    `before` are the fits to fewer measurements.
    """
    known = {fit.network: fit.places for fit in before}
    fits = [fit_shape(name, nodes, meetings, random, known.get(name)) for name in candidates(nodes)]
    spread = max(_ERROR_MIN, min(fit.error for fit in fits))
    fits.sort(key=lambda fit: round(fit.error + 2 * spread * _ways(fit) / meetings.times.size, 9))
    kept: list[Fit] = []
    for fit in fits:
        ours = _predicted(sharing(fit.network, nodes), fit.places, meetings)
        if all((ours != _predicted(sharing(one.network, nodes), one.places, meetings)).any() for one in kept):
            kept.append(fit)
    return kept


def odds(fits: Sequence[Fit], measurements: int) -> list[float]:
    """Say how much likelier the first fit is than each other one: natural logarithms of the odds.

    Errors count by the first one's spread; a shape on which places matter pays for having been fitted: the logarithm of
    how many ways there are.
    """
    spread = max(fits[0].error, _ERROR_MIN)
    scores = [measurements * fit.error / (2 * spread) + _ways(fit) for fit in fits]
    return [score - scores[0] for score in scores[1:]]


def _ways(fit: Fit) -> float:
    nodes = fit.places.size
    return float(gammaln(nodes + 1)) if _is_shared(fit.network, nodes) else 0.0


@cache
def _is_shared(network: str, nodes: int) -> bool:
    """Tell whether any two messages without a node in common share a link."""
    a, b = np.divmod(np.arange(nodes * nodes), nodes)
    ends = np.stack([a, b], axis=1)
    one, other = np.nonzero(sharing(network, nodes))
    is_apart = (ends[one][:, :, None] != ends[other][:, None, :]).all(axis=(1, 2))
    return bool(is_apart.any())


def telling(fits: Sequence[Fit], nodes: int, pairs: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order meetings that were not measured by how differently the shapes predict them, the most telling first."""
    meetings = Meetings(pairs, others, np.ones(len(pairs)))
    said = np.stack([_predicted(sharing(fit.network, nodes), fit.places, meetings) for fit in fits])
    agreeing = np.abs(said.mean(axis=0) - 0.5)
    order = np.argsort(agreeing, kind="stable")
    return np.asarray(order[agreeing[order] < 0.5], dtype=np.int64)
