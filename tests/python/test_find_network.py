# SPDX-License-Identifier: BSD-3-Clause
"""Networks found from what pairs of nodes lose to one another, on synthetic measurements."""

from collections.abc import Sequence

import numpy as np
import pytest

from thalweg.errors import ThalwegError
from thalweg.machine.find_network import Found, Meeting, Pair, find_network
from thalweg.machine.fit_network import candidates, sharing
from thalweg.trials.session import Job


def job_of(nodes: int) -> Job:
    return Job(nodes, tuple(range(nodes)), nodes, (), (), tuple(f"n{node}" for node in range(nodes)))


def found_on(network: str, nodes: int, seed: int, *, noise: float = 0.08, outliers: float = 0.03) -> tuple[Found, bool]:
    """Find a network whose nodes are shuffled; also tell whether the answer shares links where the truth does."""
    random = np.random.default_rng(seed)
    truth = sharing(network, nodes)
    places = random.permutation(nodes)

    def burst(one: Pair, other: Pair | None) -> float:
        ours, theirs = (int(places[a] * nodes + places[b]) for a, b in (one, other or one))
        times = 2.0 if other and truth[ours, theirs] else 1.0
        slow = random.uniform(1.5, 3) if random.random() < outliers else 1.0
        return 0.02 * times * slow * random.lognormal(0, noise)

    def bursts(meetings: Sequence[Meeting]) -> list[float]:
        return [burst(*meeting) for meeting in meetings]

    found = find_network(job_of(nodes), bursts, lambda _: None, seed)
    guess = sharing(found.fits[0].network, nodes)
    ends = [(a, b) for a in range(nodes) for b in range(nodes) if a != b]
    ours, theirs = (np.array([row[a] * nodes + row[b] for a, b in ends]) for row in (found.fits[0].places, places))
    is_apart = np.array([[not {*one} & {*other} for other in ends] for one in ends])
    return found, bool((guess[np.ix_(ours, ours)] == truth[np.ix_(theirs, theirs)])[is_apart].all())


@pytest.mark.parametrize("network", ["star", "ring", "torus:4x2", "fat-tree:4x2", "mesh:4x2"])
def test_shapes_are_found_again(network: str) -> None:
    found, is_equal = found_on(network, 8, 1)
    assert found.fits[0].network == network
    assert is_equal
    assert found.sure
    assert sorted(place for _, place in found.places) == list(range(8))


@pytest.mark.exhaustive
def test_larger_ones_are_found_too() -> None:
    found, is_equal = found_on("fat-tree:4x2", 12, 3)
    assert found.fits[0].network == "fat-tree:4x2"
    assert is_equal


def test_what_no_shape_explains_is_not_sure() -> None:
    random = np.random.default_rng(5)

    def bursts(meetings: Sequence[Meeting]) -> list[float]:
        return [1.0 + bool(other) * float(random.integers(0, 2)) for _, other in meetings]

    assert not find_network(job_of(8), bursts, lambda _: None).sure


def test_candidates_have_as_many_nodes() -> None:
    assert candidates(4) == ["star", "ring", "torus:2x2", "fat-tree:2x1", "fat-tree:2x2", "mesh:4", "mesh:2x2"]
    for nodes in range(4, 20):
        for name in candidates(nodes):
            assert sharing(name, nodes).shape == (nodes**2, nodes**2)


@pytest.mark.parametrize("nodes", [1, 3, 33])
def test_too_few_or_many_nodes_are_refused(nodes: int) -> None:
    with pytest.raises(ThalwegError, match=f"{nodes} nodes"):
        find_network(job_of(nodes), lambda pairs: [1.0] * len(pairs), lambda _: None)
