# SPDX-License-Identifier: BSD-3-Clause
"""Advice before a job, other jobs' loads from a file, and what is said of placing a recorded program."""

import json
from pathlib import Path

import numpy as np
import pytest

from support import Command
from thalweg import _core
from thalweg.errors import ThalwegError
from thalweg.placement.advice import advise
from thalweg.placement.base_load import read_base_load
from thalweg.placement.explain_placing import job_slots, kept_trial
from thalweg.placement.files import read_pattern
from thalweg.placement.machine import slots_of
from thalweg.placement.mapping import Budget
from thalweg_labs.bench.patterns import PATTERNS

FEW = Budget(proposals=4000)
RING = """thalweg-pattern 1
ranks 4
seconds 20
command ./ring -n 100
site 0 call MPI_Send ring.c:4 (main)
phase 100 1
0 1 1000000 100 0
1 2 1000000 100 0
2 3 1000000 100 0
3 0 1000000 100 0
"""
HOSTS = "# ring\nh0 0\nh1 1\nh2 2\nh3 3\n"


def test_a_cube_is_advised_for_a_stencil() -> None:
    """A stencil of 4 x 4 x 4 ranks is fastest on a cube, where each byte goes one hop."""
    found = advise(PATTERNS["stencil"](64), "torus:16x16x16", budget=FEW)
    assert found[0].shape == "4x4x4"
    assert found[0].hops_per_byte == 1
    assert [one.seconds for one in found] == sorted(one.seconds for one in found)
    assert all(one.nodes == 64 and one.spare == 0 and one.seconds <= one.seconds_in_order for one in found)
    assert {one.shape for one in found} >= {"4x4x4", "2x4x8"}


def test_fewer_nodes_have_fewer_bytes_between_them() -> None:
    pattern = PATTERNS["stencil"](64)
    found = advise(pattern, "torus:8x8x8", ranks_per_node=(1, 8), spare=4, budget=FEW)
    assert {one.ranks_per_node for one in found} == {1, 8}
    assert {one.nodes - one.spare for one in found} == {64, 8}
    assert any(one.spare for one in found)
    hops = {per_node: min(one.hops_per_byte for one in found if one.ranks_per_node == per_node) for per_node in (1, 8)}
    assert hops[8] < hops[1]


@pytest.mark.parametrize("machine", ["tree:4^3", "hierarchy:4x2x8", "dragonfly:2x4x2", "torus:4x4*2", "torus:4x4*2+1"])
def test_other_machines_have_allocations_too(machine: str) -> None:
    found = advise(PATTERNS["mesh"](12), machine, spare=2, budget=Budget(proposals=200))
    assert all(12 <= one.nodes <= 14 for one in found)
    assert found[0].seconds > 0


def test_what_has_no_room_is_refused() -> None:
    pattern = PATTERNS["mesh"](12)
    with pytest.raises(ThalwegError, match="no room"):
        advise(pattern, "tree:2^3")
    with pytest.raises(ThalwegError, match="no room"):
        advise(pattern, "torus:3x3")
    with pytest.raises(ThalwegError):
        advise(pattern, "torus:4x4", ranks_per_node=(0,))
    with pytest.raises(ThalwegError, match="budget"):
        advise(pattern, "torus:4x4", budget=Budget(seconds=float("nan")))


def test_more_than_there_is_counts_as_what_there_is() -> None:
    found = advise(PATTERNS["mesh"](12), "torus:4x4", ranks_per_node=(10**11,), spare=10**11, budget=FEW)
    assert {one.ranks_per_node for one in found} == {12}
    assert max(one.nodes for one in found) == 16


def test_the_commands(thalweg: Command, tmp_path: Path) -> None:
    path = tmp_path / "ring.pattern"
    path.write_text(RING)
    answer = thalweg("place", "advise", str(path), "--machine", "torus:4x4", "--seconds", "0.02", "--json")
    rows = json.loads(answer.stdout)["allocations"]
    assert {row["shape"] for row in rows} == {"2x2", "1x4"}
    text = thalweg("place", "advise", str(path), "--machine", "torus:4x4", "--seconds", "0.02").stdout
    assert text.splitlines()[0].split()[:2] == ["allocation", "nodes"]
    loads = tmp_path / "loads"
    slots = slots_of("ring:4")
    loads.write_text(f"# others\n{slots.machine.link_name(0)} 5e6\n1 7\n")
    assert list(read_base_load(str(loads), slots)[:2]) == [5e6, 7]
    words = ["place", "map", str(path), "--machine", "ring:4", "--objective", "link", "--proposals", "500", "--json"]
    assert json.loads(thalweg(*words, "--base-load", str(loads)).stdout)["identity"]["link"] > 5e6


@pytest.mark.parametrize("text", ["99999 1", "nowhere 1", "0", "0 x", "0 -1", "0 nan", "0 inf", "0 1e300", "\0"])
def test_loads_of_nothing_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "loads"
    path.write_text(text)
    with pytest.raises(ThalwegError, match=":1: "):
        read_base_load(str(path), slots_of("ring:4"))


@pytest.mark.parametrize("text", ["", "\n", "# a note\n"])
def test_loads_of_no_link_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "loads"
    path.write_text(text)
    with pytest.raises(ThalwegError, match="there is no link in it"):
        read_base_load(str(path), slots_of("ring:4"))


def explained(thalweg: Command, folder: Path, hosts: str) -> str:
    """Explain the ring's pattern on these hosts of a ring."""
    (folder / "hosts").write_text(HOSTS)
    return thalweg(
        "tune", "explain", str(folder / "ring.pattern"), "--node-list", str(folder / "hosts"), "--hosts", hosts
    ).stdout


def test_placing_is_explained(thalweg: Command, tmp_path: Path) -> None:
    """Hosts in order are as good as can be; others are worth a trial, whose verdict is then told."""
    pattern = tmp_path / "ring.pattern"
    pattern.write_text(RING)
    assert "no other numbering is better" in explained(thalweg, tmp_path, "h0,h1,h2,h3")
    dealt = "h0,h2,h1,h3"
    text = explained(thalweg, tmp_path, dealt)
    assert "no run on these slots has tried" in text
    assert "the next run may spend 2 s" in text
    slots = job_slots(4, str(tmp_path / "hosts"), dealt.split(","))
    assert kept_trial(str(pattern), slots) is None
    placed = np.array([int(word) for word in text.rpartition("slots: ")[2].split()], dtype=np.int32)
    assert placed[0] == 0
    core = read_pattern(str(pattern)).core
    assert _core.placement_metrics(core, slots.machine, slots.nodes, placed, np.empty(0)).hops_per_byte == 3


def test_programs_and_lists_that_are_none(thalweg: Command, tmp_path: Path) -> None:
    (tmp_path / "ring.pattern").write_text(RING)
    words = ["tune", "explain", str(tmp_path / "ring.pattern")]
    assert "--node-list" in thalweg(*words).stdout
    for text in ("", "# ring\n", "# torus:3x3\nh0 0\nh1 1\nh2 2\nh3 99\n"):
        (tmp_path / "hosts").write_text(text)
        assert thalweg(*words, "--node-list", str(tmp_path / "hosts")).returncode != 0
    assert thalweg(*words, "--node-list", str(tmp_path / "none")).returncode != 0
