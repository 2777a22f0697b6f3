# SPDX-License-Identifier: BSD-3-Clause
"""Where ranks are and what nodes are made of, on machines that are made up."""

from itertools import combinations

import pytest

from thalweg.machine.parts import describe, describe_ranks, parse_parts
from thalweg.machine.probe import level_of, pairs
from thalweg.trials.places import NOWHERE, find_places, parse_processors
from thalweg.trials.session import Job


def _report(processor: int, may: str = "", *, complex_size: int = 4, socket_size: int = 8) -> str:
    """Say what a rank on that processor says on a node with two sockets of two core complexes each."""
    parts = [(processor // size * size, processor // size * size + size - 1) for size in (complex_size, socket_size)]
    return ";".join([str(processor), may or str(processor), *(f"{first}-{last}" for first, last in parts)])


def _job(ranks_per_node: int, reports: list[str]) -> Job:
    nodes = tuple(rank // ranks_per_node for rank in range(len(reports)))
    return Job(len(reports), nodes, nodes[-1] + 1, (), find_places([f"n{node}" for node in nodes], reports))


def _xml(sockets: int, complexes: int, cores: int, threads: int) -> str:
    """Write what hwloc writes of a node; processors are numbered core by core, the second threads after all first."""
    text, core, count = "", 0, sockets * complexes * cores
    for _ in range(sockets):
        text += '<object type="Package"><object type="NUMANode" local_memory="17179869184"/>'
        for _ in range(complexes):
            text += '<object type="L3Cache" cache_size="33554432">'
            for _ in range(cores):
                units = "".join(f'<object type="PU" os_index="{core + n * count}"/>' for n in range(threads))
                text += f'<object type="L2Cache" cache_size="1048576"><object type="Core">{units}</object></object>'
                core += 1
            text += "</object>"
        text += "</object>"
    return f'<?xml version="1.0"?><topology version="2.0"><object type="Machine">{text}</object></topology>'


@pytest.mark.parametrize(
    ("text", "found"),
    [("0-3,8", {0, 1, 2, 3, 8}), ("5", {5}), ("", set()), ("all", set()), ("1-", set()), ("2-1", set()), ("-3", set())],
)
def test_lists_of_processors_are_read(text: str, found: set[int]) -> None:
    assert parse_processors(text) == found


def test_levels_are_the_nearest_part_that_both_stay_on() -> None:
    job = _job(4, [_report(0), _report(3), _report(4), _report(8), _report(0)])
    assert [level_of(job, 0, other) for other in range(1, 5)] == ["core_complex", "socket", "node", "network"]


def test_ranks_that_may_move_are_as_far_apart_as_they_may_move() -> None:
    job = _job(4, [_report(0, "0-15"), _report(1, "0-15"), _report(0, "0-7"), _report(1, "0-7")])
    assert level_of(job, 0, 1) == "node"
    assert level_of(job, 2, 3) == "socket"
    assert [place.core_complex for place in job.places] == [NOWHERE] * 4


@pytest.mark.parametrize("reports", ["", ";;;", "-1;;;", "0", "x;y;z;w", "3;0-7;;"])
def test_what_the_system_does_not_tell_is_a_node_apart(reports: str) -> None:
    assert level_of(_job(2, [reports, reports]), 0, 1) == "node"


def test_parts_of_different_nodes_differ() -> None:
    job = _job(1, [_report(0), _report(0)])
    assert job.places[0].socket != job.places[1].socket
    assert job.places[0].core_complex != job.places[1].core_complex


@pytest.mark.parametrize("ranks", [2, 3, 8, 16, 40])
@pytest.mark.parametrize("per_node", [1, 2, 7, 16])
def test_pairs_are_of_their_level_and_share_nothing(ranks: int, per_node: int) -> None:
    job = _job(per_node, [_report(rank % per_node) for rank in range(ranks)])
    chosen = pairs(job, cores=16)
    assert set(chosen) == {level_of(job, a, b) for a, b in combinations(range(ranks), 2)}
    for name, found in chosen.items():
        members = [rank for pair in found for rank in pair]
        assert len(members) == len(set(members))
        assert 1 <= len(found) <= 8
        assert {level_of(job, *pair) for pair in found} == {name}
        assert len({frozenset(job.nodes[rank] for rank in pair) for pair in found}) == 1


def test_a_pair_shares_no_processor_where_it_can() -> None:
    job = _job(3, [_report(0), _report(0), _report(1)])
    assert pairs(job, cores=2) == {"core_complex": [(0, 2)]}


def test_nodes_are_described() -> None:
    parts = parse_parts(_xml(sockets=2, complexes=2, cores=4, threads=2))
    assert describe(parts) == (
        "2 sockets, 4 L3 of 32 MiB (4 cores each), 16 L2 of 1 MiB, 16 cores of 2 threads, 32 GiB in 2 NUMA nodes"
    )
    assert parts.core_of[3] == parts.core_of[19] == 3
    job = _job(2, [_report(3), _report(0, "0-15"), ";;;"])
    assert describe_ranks(job.nodes, job.places, parts.core_of, limit=2) == [
        "rank 0: node 0, core 3, core complex 0, socket 0",
        "rank 1: node 0, one of 16 cores (seen on 0)",
        "… and 1 more ranks",
    ]
    assert describe_ranks(job.nodes, job.places, {}, limit=4)[-1] == "rank 2: node 1, core not known"


def test_nodes_without_caches_and_cores_are_described() -> None:
    text = '<topology><object type="Machine"><object type="PU" os_index="0"/></object></topology>'
    assert describe(parse_parts(text)) == "1 socket, 1 core, 0 GiB"


@pytest.mark.parametrize("text", ["", "<topology>", "<topology/>", "no XML"])
def test_what_hwloc_does_not_say_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="hwloc"):
        parse_parts(text)
