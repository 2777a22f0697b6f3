# SPDX-License-Identifier: BSD-3-Clause
"""Machines, and what a job has of them: thalweg.Machine."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import thalweg
from support import examples
from thalweg.errors import ThalwegError

NAMES = ("torus:4x3", "mesh:3x4", "torus:2x2*3", "torus:2x3*2+1", "tree:2^3", "xgft:3x4:1x2,route=spread", "star:9")


@given(data=st.data(), name=st.sampled_from(NAMES))
@settings(max_examples=examples(60))
def test_slots_are_where_the_nodes_are(data: st.DataObject, name: str) -> None:
    whole = thalweg.Machine(name)
    nodes = data.draw(st.lists(st.sampled_from(whole.nodes.tolist()), min_size=1, max_size=8, unique=True))
    per_node = data.draw(st.lists(st.integers(0, 3), min_size=len(nodes), max_size=len(nodes)))
    machine = thalweg.Machine(name, nodes, slots_per_node=per_node)
    ranks = data.draw(st.integers(0, sum(per_node)))
    places = machine.places_of(ranks)
    assert places.tolist() == np.repeat(nodes, per_node)[:ranks].tolist()
    assert sorted(machine.order(ranks).tolist()) == list(range(ranks))
    with pytest.raises(ThalwegError, match="slots"):
        machine.places_of(sum(per_node) + 1)


@given(name=st.sampled_from(NAMES), seed=st.integers(0, 1000))
@settings(max_examples=examples(40))
def test_links_carry_as_many_bytes_as_there_are_hop_bytes(name: str, seed: int) -> None:
    machine = thalweg.Machine(name)
    random = np.random.default_rng(seed)
    a, b = random.integers(0, machine.interconnect.nodes, (2, 5, 7))
    sent = random.random((5, 7))
    loads = machine.link_loads(a, b, sent)
    assert loads.shape == (machine.interconnect.links,)
    assert loads.sum() == pytest.approx((machine.hops(a, b) * sent).sum())


def test_coordinates_are_numbers() -> None:
    grid = thalweg.Machine("torus:4x3", [[0, 0], [3, 2], [1, 1]])
    assert grid.nodes.tolist() == [0, 11, 5]
    assert grid.places_of(6).tolist() == [0, 0, 11, 11, 5, 5]
    several = thalweg.Machine("torus:4x3*16+2", [[0, 0, 15], [3, 2, 0]], slots_per_node=2)
    assert several.nodes.tolist() == [15, 11 * 18]
    assert several.places_of(3).tolist() == [15, 15, 11 * 18]


def test_a_million_nodes_are_numbers_too() -> None:
    machine = thalweg.Machine("torus:100x100x100")
    places = machine.places_of(10**6)
    assert places.size == machine.node_count == 10**6
    assert machine.hops(places, places[::-1]).max() <= machine.interconnect.diameter == 150
    assert math.isclose(machine.interconnect.mean_hops, 75 * 1e6 / (1e6 - 1))


@pytest.mark.parametrize(
    ("machine", "nodes", "slots", "message"),
    [
        ("cube:4", None, None, "'cube:4' is no shape of a network"),
        ("torus:4x4", [[0, 0, 0]], None, "of shape"),
        ("torus:4x4", [[0.5, 0]], None, "type float64"),
        ("torus:4x4", [[0, 0], [0, 4]], None, "node 1 is at 0 4, outside"),
        ("torus:4x4", [[0, -1]], None, "node 0 is at 0 -1, outside"),
        ("torus:4x4", [[1, 2], [0, 0], [1, 2]], None, "the node at 1 2 comes twice"),
        ("torus:4x4", [0, 16], None, "node 16 is outside"),
        ("star:4", [[0]], None, "of shape"),
        ("star:4", [1, 2, 1], 1, "node 1 comes twice"),
        ("star:4", [1, 2], [1, -1], "-1 slots"),
        ("star:4", [1, 2], [1, 1, 1], "3 numbers of slots for 2 nodes"),
        ("star:4", [1, 2], 0.5, "type float64"),
        ("torus:4x4*2+1", [[0, 0, 2]], None, "takes no ranks"),
    ],
)
def test_what_is_no_machine_is_refused(
    machine: str, nodes: list[list[int]] | list[int] | None, slots: list[int] | int | None, message: str
) -> None:
    with pytest.raises(ThalwegError, match=message) as caught:
        thalweg.Machine(machine, None if nodes is None else np.array(nodes), slots_per_node=slots)
    assert caught.value.remedy


def test_foreign_nodes_are_refused() -> None:
    machine = thalweg.Machine("torus:4")
    with pytest.raises(ThalwegError, match="node 4 is outside"):
        machine.hops([0], [4])
    with pytest.raises(ThalwegError, match="node -1 is outside"):
        machine.link_loads([-1], [0], [1.0])
