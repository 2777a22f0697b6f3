# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines: what is held against what, and what counts as a violation."""

import random
from collections.abc import Sequence

import pytest

from support import Command
from thalweg.trials.cases import OPERATIONS
from thalweg.trials.session import Samples
from thalweg.tune.guidelines import GUIDELINES, Native, Term, checks, violation


class FakeSession:
    """A library whose calls take what they are told, with noise; unnamed ones take a microsecond."""

    def __init__(self, costs: dict[Term, float]) -> None:
        self.costs = costs
        self.asked: list[Term] = []
        self.random = random.Random(5)

    def measure(
        self, operation: str, size: int, candidates: Sequence[str], *, batches: int, limit: float = 0
    ) -> dict[str, Samples]:
        del limit
        self.asked.append((operation, size))
        cost = self.costs.get((operation, size), 1.0)
        times = tuple(cost * self.random.lognormvariate(0, 0.02) for _ in range(batches))
        return {name: Samples(times, times, 1) for name in candidates}


def test_a_violation_is_found_and_measured_once() -> None:
    session = FakeSession({("allreduce", 8): 100, ("reduce", 8): 20, ("broadcast", 8): 30})
    native = Native(session)  # type: ignore[arg-type]
    found = violation(("allreduce", 8), [("reduce", 8), ("broadcast", 8)], "reduce + broadcast", native)
    assert found is not None
    assert found.seconds == pytest.approx(100e-6, rel=0.05)
    assert found.instead_seconds == pytest.approx(50e-6, rel=0.05)
    native.samples(("reduce", 8))
    assert session.asked.count(("reduce", 8)) == 1


@pytest.mark.parametrize("cost", [30, 50, 51])
def test_what_is_kept_or_nearly_kept_is_no_violation(cost: float) -> None:
    session = FakeSession({("allreduce", 8): cost, ("reduce", 8): 20, ("broadcast", 8): 30})
    terms = [("reduce", 8), ("broadcast", 8)]
    assert violation(("allreduce", 8), terms, "", Native(session)) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("ranks", [1, 2, 7, 64])
def test_every_guideline_is_about_calls_that_can_be_measured(ranks: int) -> None:
    held = list(checks(ranks, [8, 1000 * 8]))
    assert {term[0] for term, _, _ in held} >= {guideline.call for guideline in GUIDELINES}
    for term, instead, words in held:
        assert words
        for operation, size in (term, *instead):
            assert operation in OPERATIONS
            assert size % 8 == 0
    shares = next(terms for term, terms, words in held if "scatter + all-gather" in words and term[1] == 8000)
    assert all(ranks * size >= 8000 for _, size in shares)


def test_a_library_is_checked(thalweg: Command) -> None:
    result = thalweg("machine", "check", "--mpi", "mpich", "-n", "2", "--bytes", "8")
    assert result.returncode == 0, result.stderr
    assert "guidelines are violated by MPICH" in result.stdout
