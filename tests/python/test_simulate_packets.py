# SPDX-License-Identifier: BSD-3-Clause
"""Programs on level packet: the command, Python, missing nodes, and what routers may be told."""

import json
from pathlib import Path

import numpy as np
import pytest

import thalweg
from thalweg.cli import application
from thalweg.errors import FAILED, SETTINGS, USAGE, Status, ThalwegError
from thalweg.strategies import make_sample


def command(*words: str) -> None:
    """Run the command in this process."""
    application(["simulate", *words])


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    """Give what the command prints as JSON."""
    command(*words, "--json")
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_strategies_and_their_goal_programs_are_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = make_sample("alltoall", "bruck", 9, ranks_per_node=1, unit_bytes=2048)
    (tmp_path / "bruck.goal").write_text(sample.goal(2048))
    where = ("--machine", "torus:3x3", "--level", "packet")
    by_name = answer(capsys, "alltoall", "bruck", "-n", "9", "--bytes", "2048", *where)
    by_goal = answer(capsys, "--goal", str(tmp_path / "bruck.goal"), *where)
    assert by_name["level"] == "packet"
    assert by_name["fingerprint"] == by_goal["fingerprint"]
    assert by_name["packets"] == by_goal["packets"] != 0
    found = thalweg.simulate("alltoall", "bruck", 9, 2048, network="torus:3x3", level="packet")
    assert f"{found.fingerprint:016x}" == by_name["fingerprint"]
    assert sum(found.why.values()) == found.finish


def test_routers_and_routing_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("alltoall", "direct", "-n", "16", "--bytes", "4096", "--machine", "torus:4x4", "--level", "packet")
    usual = answer(capsys, *words)
    few = answer(capsys, *words, "--router", "buffers=1", "--router", "switch_ns=90", "--link-latency", "20")
    assert few["finish_ns"] > usual["finish_ns"]  # type: ignore[operator]
    routers = thalweg.Routers(buffers=1, channel_ns=20, switch_ns=90)
    same = thalweg.simulate("alltoall", "direct", 16, 4096, network="torus:4x4", level="packet", routers=routers)
    assert same.finish == few["finish_ns"]
    ways = [
        thalweg.simulate("alltoall", "direct", 16, 4096, network="torus:4x4", level="packet", routing=routing).finish
        for routing in ("dimension_ordered", "valiant", "ugal", "along_routes")
    ]
    assert ways[0] == usual["finish_ns"]
    assert len(set(ways)) > 2


# A prefix exchange is free of contention, but not where a node in the middle is missing.
def test_nodes_may_be_missing(capsys: pytest.CaptureFixture[str]) -> None:
    def finish(*missing: int) -> int:
        return thalweg.simulate(
            "allgather", "prefix", 32, 16384, network="tree:4^3", without=missing, level="packet", routing="adaptive_up"
        ).finish

    assert finish() < finish(17)
    words = ("allgather", "prefix", "-n", "32", "--bytes", "16384", "--machine", "tree:4^3", "--level", "packet")
    by_command = answer(capsys, *words, "--without", "17,3", "--routing", "adaptive_up")
    assert by_command["finish_ns"] == finish(3, 17)


def test_missing_nodes_are_those_of_the_job() -> None:
    there = thalweg.simulate("allgather", "ring", 4, 64, network="mesh:4x4", nodes=np.arange(8), without=(1, 2, 4, 5))
    nodes = {int(link) for link in there.links.numbers}
    assert nodes
    listed = thalweg.simulate("allgather", "ring", 4, 64, network="mesh:4x4", nodes=np.array([0, 3, 6, 7]))
    assert there.fingerprint == listed.fingerprint


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (("--level", "packet"), USAGE, "level packet without a network"),
        (("--machine", "star", "--routing", "ugal"), USAGE, "choose --level packet"),
        (("--machine", "star", "--level", "packet", "--routing", "ugal"), FAILED, "no routing 'ugal'"),
        (("--machine", "star", "--level", "packet", "--router", "color=red"), USAGE, "choose buffers"),
        (("--machine", "star", "--level", "packet", "--router", "buffers=many"), USAGE, "give a number"),
        (("--machine", "star", "--level", "packet", "--router", "buffers=0"), SETTINGS, "packet buffers"),
        (("--machine", "star", "--level", "packet", "--router", "credit_rule=card"), SETTINGS, "crosspoint or link"),
        (("--machine", "star:8", "--without", "9"), SETTINGS, "the job has no node 9"),
        (("--machine", "star:8", "--without", "x"), USAGE, "write numbers"),
        (("--machine", "star:4", "--without", "1"), SETTINGS, "4 ranks on 3 slots"),
        (("--without", "1"), USAGE, "without a network"),
    ],
)
def test_errors_name_the_remedy(words: tuple[str, ...], status: Status, part: str) -> None:
    with pytest.raises(ThalwegError) as raised:
        command("allreduce", "ring", "-n", "4", *words)
    assert raised.value.status == status
    assert part in str(raised.value)
