# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg machine check`: where the MPI library is slower at something than at what could do the same.

Self-consistent performance guidelines: Träff, Gropp, Thakur 2010; the patterns are those of Hunold and Carpen-Amarie
2018 (PGMPITuneLib). A guideline says that a call takes no longer than other calls that achieve as much.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from thalweg import _core
from thalweg._core import is_same_distance
from thalweg.trials.session import NATIVE, Samples, Session
from thalweg.tune.statistics import is_faster

Term = tuple[str, int]
"""An operation and the bytes of its unit."""

LOSS_MIN = 0.05
SIZES = (8, 1024, 64 << 10)
BATCHES = 15


class Guideline(NamedTuple):
    """Says that one call takes no longer than others in its place; bytes by ranks and the call's own unit."""

    call: str
    instead: Callable[[int, int], Sequence[Term]]
    words: str


def _shares(size: int, ranks: int) -> int:
    """Give a rank's share of a vector in whole doubles, rounded up."""
    return -(-size // (8 * ranks)) * 8


GUIDELINES = (
    Guideline("allreduce", lambda n, _: [("reduce", n), ("broadcast", n)], "reduce + broadcast"),
    Guideline(
        "allreduce",
        lambda n, p: [("reduce_scatter", _shares(n, p)), ("allgather", _shares(n, p))],
        "reduce-scatter + all-gather",
    ),
    Guideline("reduce", lambda n, _: [("allreduce", n)], "all-reduce"),
    Guideline(
        "broadcast", lambda n, p: [("scatter", _shares(n, p)), ("allgather", _shares(n, p))], "scatter + all-gather"
    ),
    Guideline("allgather", lambda n, p: [("gather", n), ("broadcast", n * p)], "gather + broadcast"),
    Guideline("allgather", lambda n, _: [("alltoall", n)], "all-to-all"),
    Guideline("gather", lambda n, _: [("allgather", n)], "all-gather"),
    Guideline("scatter", lambda n, p: [("broadcast", n * p)], "broadcast of everything"),
    Guideline("reduce_scatter", lambda n, p: [("reduce", n * p), ("scatter", n)], "reduce + scatter"),
    Guideline("reduce_scatter", lambda n, p: [("allreduce", n * p)], "all-reduce of everything"),
    Guideline("exscan", lambda n, _: [("scan", n)], "scan"),
    Guideline("scan", lambda n, _: [("allgather", n)], "all-gather, and sums at home"),
    Guideline("barrier", lambda _, __: [("allreduce", 8)], "all-reduce of 8 B"),
)
MONOTONOUS = ("broadcast", "allreduce", "reduce", "allgather", "alltoall", "gather", "scatter", "reduce_scatter")


class Violation(NamedTuple):
    """A call that takes surely longer than what could stand in its place; seconds."""

    call: str
    size: int
    seconds: float
    instead: str
    instead_seconds: float


class Native:
    """The library's own times, each measured once."""

    def __init__(self, session: Session) -> None:
        """Measure in that job."""
        self._session = session
        self._known: dict[Term, Samples] = {}

    def make_alike(self, terms: Sequence[Term]) -> None:
        """Measure calls, and all once more if ranks' cores were not equally far apart in all of them."""
        for _ in range(2):
            for term in terms:
                self.samples(term)
            distances = [self._known[term].distance_ns for term in terms]
            if all(is_same_distance(distances[0], other) for other in distances):
                return
            for term in terms:
                self._known.pop(term, None)

    def samples(self, term: Term) -> tuple[float, ...]:
        """Give a call's samples in microseconds."""
        if term not in self._known:
            operation, size = term
            self._known[term] = self._session.measure(operation, size, [NATIVE], batches=BATCHES)[NATIVE]
        return self._known[term].completion_us


def checks(ranks: int, sizes: Sequence[int]) -> Iterator[tuple[Term, Sequence[Term], str]]:
    """List what is held against what."""
    for guideline in GUIDELINES:
        for size in (0,) if guideline.call == "barrier" else sizes:
            yield (guideline.call, size), guideline.instead(size, ranks), guideline.words
    for call in MONOTONOUS:
        for size in sizes:
            yield (call, size), [(call, 2 * size)], "the same with twice the bytes"


def violation(term: Term, instead: Sequence[Term], words: str, native: Native) -> Violation | None:
    """Hold one call against what could stand in its place."""
    native.make_alike([term, *instead])
    own = native.samples(term)
    sums = [sum(parts) for parts in zip(*(native.samples(part) for part in instead), strict=False)]
    if not is_faster(sums, own, min_gain=LOSS_MIN):
        return None
    return Violation(term[0], term[1], median(own) * 1e-6, words, median(sums) * 1e-6)


def remedies(tuning: Sequence[_core.Tuning], ranks: int, nodes: int) -> Mapping[tuple[str, int], _core.Pick]:
    """Find what Thalweg runs instead, by call and size."""
    return {
        (pick.call, pick.bytes): pick
        for one in tuning
        for pick in one.picks
        if (pick.ranks, pick.nodes) == (ranks, nodes) and pick.use != NATIVE
    }
