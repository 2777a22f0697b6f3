# SPDX-License-Identifier: BSD-3-Clause
"""What cores share, found again on synthetic nodes; and sets of messages that are really sent."""

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import thalweg
from thalweg.errors import ThalwegError
from thalweg.machine.find_resources import FoundResources, Message, SetBursts, cores_of, find_resources, set_bursts_of
from thalweg.machine.fit_resources import Resource, predicted
from thalweg.machine.resource_files import described, text_of
from thalweg.machine.resource_forms import FORMS, Shape
from thalweg.placement.mapping import Budget
from thalweg.trials.places import Place
from thalweg.trials.session import Job, Session, start_words
from thalweg.trials.shipped import trial_program

ROUND_THE_CELL = [1, 3, 5, 7, 6, 4, 2, 0]
CORES = 8
LOW, HIGH, ALL = (np.isin(np.arange(CORES), group) for group in (range(4), range(4, 8), range(8)))


def made(name: str, bits: NDArray[np.int64] | NDArray[np.bool_], capacity: float) -> list[Resource]:
    """Make the resources of a form."""
    form = next(form for form in FORMS if form.name == name)
    usage = Shape(form, bits).usage(CORES)
    return [Resource(name, row.reshape(CORES, CORES), capacity) for row in usage]


def between(senders: NDArray[np.bool_], receivers: NDArray[np.bool_], capacity: float) -> list[Resource]:
    return made("between", np.concatenate([senders, receivers]), capacity)


NODES = {
    "nothing is shared": [],
    "the Cell's ring": made("ring", np.array(ROUND_THE_CELL), 1.0),
    "two sockets, links of two speeds": between(LOW, HIGH, 1.0) + between(HIGH, LOW, 1.5),
    "two slices of cache": made("touching", LOW, 2.0) + made("touching", HIGH, 2.0),
    "two memory channels": between(ALL, LOW, 1.3) + between(ALL, HIGH, 1.3),
    "one link for both ways": made("across", LOW, 1.25),
}


def bursts_on(truth: Sequence[Resource], noise: float, seed: int) -> SetBursts:
    random = np.random.default_rng(seed)

    def bursts(sets: Sequence[Sequence[Message]]) -> list[list[float]]:
        rows = np.full((len(sets), CORES), -1)
        for row, one in zip(rows, sets, strict=True):
            row[: len(one)] = [a * CORES + b for a, b in one]
        times = predicted(truth, rows)
        return [[2e-3 * time * random.lognormal(0, noise) for _ in range(3)] for time in times]

    return bursts


def cell_patterns() -> dict[str, NDArray[np.int64]]:
    """Give the messages of the source's six patterns, which cores send and receive at once; threads are cores."""
    cores = np.arange(CORES)
    patterns = {"ring": (cores, (cores + 1) % CORES), "Bruck 2": ((cores + 2) % CORES, cores)}
    patterns |= {f"doubling {stage}": (cores, cores ^ 1 << stage) for stage in range(3)}
    patterns["binomial 3"] = (cores[::2], cores[::2] + 1)
    return {name: np.stack(ends) for name, ends in patterns.items()}


AFFINITIES = {
    "Identity": [0, 1, 2, 3, 4, 5, 6, 7],
    "Ring": [0, 7, 1, 6, 2, 5, 3, 4],
    "Overlap": [0, 7, 2, 5, 4, 3, 6, 1],
    "EvenOdd": [0, 4, 2, 6, 1, 5, 3, 7],
    "Leap2": [0, 4, 7, 3, 1, 5, 6, 2],
}


def is_half_way(core: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    place = np.argsort(ROUND_THE_CELL)
    half: NDArray[np.bool_] = (place[core] - place[other]) % CORES == CORES // 2
    return half


def check_cell(found: FoundResources) -> None:
    """The 30 cases that the source judges: messages overlap as they do on the ring, half-way ones left out."""
    truth = made("ring", np.array(ROUND_THE_CELL), 1.0)
    for pattern, (senders, receivers) in cell_patterns().items():
        for name, threads in AFFINITIES.items():
            core = np.argsort(threads)
            ends = core[senders], core[receivers]
            messages = (ends[0] * CORES + ends[1])[~is_half_way(*ends)][None, :]
            said, right = (predicted(one, messages)[0] for one in (found.resources, truth))
            assert said == pytest.approx(right, rel=0.1), (pattern, name)


BRIEF = ("one link for both ways", "nothing is shared")


@pytest.mark.parametrize(
    "node", [one if one in BRIEF else pytest.param(one, marks=pytest.mark.exhaustive) for one in NODES]
)
def test_what_is_shared_is_found_again(node: str) -> None:
    """With errors of 5 %, what is found predicts sets that were not measured; also the Cell's published cases."""
    truth = NODES[node]
    found = find_resources(CORES, bursts_on(truth, 0.05, 3), lambda _: None, seed=1)
    assert found.sure
    random = np.random.default_rng(9)
    order = np.argsort(random.random((1000, CORES)), axis=1)
    fresh = order[:, :4] * CORES + order[:, 4:]
    apart = np.abs(np.log2(predicted(found.resources, fresh) / predicted(truth, fresh)))
    assert (apart > 0.14).mean() < 0.02, list(described(found))
    assert bool(found.resources) == bool(truth)
    if node == "the Cell's ring":
        check_cell(found)


def test_what_nothing_explains_is_not_sure() -> None:
    random = np.random.default_rng(5)

    def bursts(sets: Sequence[Sequence[Message]]) -> list[list[float]]:
        return [[1.0 + float(len(one) > 1) * float(random.integers(0, 8))] * 3 for one in sets]

    assert not find_resources(4, bursts, lambda _: None).sure


def test_the_file_is_a_machine_for_mapping(tmp_path: Path) -> None:
    """Two rings of four are put on the sockets, not across the slow link, as the file is read."""
    truth = between(LOW, HIGH, 1.0) + between(HIGH, LOW, 1.0)
    named = [one._replace(name=f"link{number}") for number, one in enumerate(truth)]
    found = FoundResources(CORES, named, 1, 1.0, (1.0, 1.0), None)  # type: ignore[arg-type]
    file = tmp_path / "node.resources"
    file.write_text(text_of(found, range(CORES)))
    pattern = np.zeros((CORES, CORES))
    for ring in ([0, 2, 4, 6], [1, 3, 5, 7]):
        for a, b in pairwise([*ring, ring[0]]):
            pattern[a, b] = 1e6
    mapped = thalweg.map_ranks(pattern, f"resources:{file}", objective="contention", budget=Budget(seconds=0.1))
    sides = [{int(mapped.slot_of[rank]) // 4 for rank in ring} for ring in ([0, 2, 4, 6], [1, 3, 5, 7])]
    assert sorted(len(side) for side in sides) == [1, 1]


def job_of(*processors: int, nodes: Sequence[int] = ()) -> Job:
    places = tuple(Place(one, frozenset({one}), 0, 0) for one in processors)
    return Job(len(processors), tuple(nodes or [0] * len(processors)), 1, (), places)


def test_jobs_that_show_nothing_are_refused() -> None:
    assert cores_of(job_of(0, 1, 2, 3)) == 4
    free = job_of(0, 1, 2, 3)
    free = free._replace(places=(*free.places[:3], Place(3, frozenset({2, 3}), 0, 0)))
    for job, reason in (
        (job_of(0, 1), "2 ranks"),
        (job_of(*range(65)), "65 ranks"),
        (job_of(0, 1, 2, 1), "ranks 1 and 3 share processor 1"),
        (job_of(0, 1, 2, 3, nodes=[0, 0, 1, 1]), "2 nodes"),
        (free, "rank 3 may run on 2 processors"),
    ):
        with pytest.raises(ThalwegError, match=reason):
            cores_of(job)


def test_sets_of_messages_are_really_sent() -> None:
    """Four ranks on whatever cores there are: two messages at once are measured as one alone is."""
    program = trial_program("openmpi", os.environ)
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with Session(start_words([], 4, program), variables=consent) as session:
        alone, both = set_bursts_of(session, 1 << 16)([[(0, 1)], [(0, 1), (3, 2)]])
    assert len(alone) == len(both) > 1
    assert min(*alone, *both) > 0
