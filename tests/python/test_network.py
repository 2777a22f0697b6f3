# SPDX-License-Identifier: BSD-3-Clause
"""Simulated networks: results on numpy, the command, pictures, benchmarks, and errors with their remedies."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import thalweg
from thalweg.cli import application
from thalweg.errors import SETTINGS, USAGE, Status, ThalwegError
from thalweg.simulation import network
from thalweg.simulation.network_command import loads_from
from thalweg_labs.bench import packets, papers, papers_routers, permutations
from thalweg_labs.bench.papers_rows import Request


def command(*words: str) -> None:
    """Run the command in this process."""
    application(["simulate", "network", *words])


def test_results_do_not_depend_on_workers() -> None:
    answers = [
        thalweg.simulate_network("tree:4^2", "transpose", (0.2, 0.6, 1.0), packets=2000, workers=workers)
        for workers in (1, 2, 3)
    ]
    assert answers[0].fingerprints == answers[1].fingerprints == answers[2].fingerprints
    assert answers[0].latencies.dtype == np.float64
    assert answers[0].loads.tolist() == [0.2, 0.6, 1.0]
    other = thalweg.simulate_network("tree:4^2", "transpose", (0.2,), packets=2000, routers=thalweg.Routers(seed=2))
    assert other.fingerprints[0] != answers[0].fingerprints[0]


def test_saturation_is_a_result() -> None:
    found = thalweg.simulate_network(
        "star:8", loads=(0.3, 0.6, 1.0), routers=thalweg.Routers(buffers=2), packets=10_000
    )
    assert found.saturated.tolist() == [False, False, True]
    assert found.stable_load == 0.6
    through, half_width = found.saturation
    assert 0.7 < through < 0.9
    assert 0 < half_width < 0.05
    assert found.latencies[0] < found.latencies[1]


def test_the_command_answers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    words = ("--network", "tree:4x2", "--load", "0.5,1", "--packets", "1000", "--plot", str(tmp_path / "load.svg"))
    command(*words)
    text = capsys.readouterr().out
    assert "saturates above a load of 0.5" in text
    assert "<svg" in (tmp_path / "load.svg").read_text()
    command(*words, "--json")
    answer = json.loads(capsys.readouterr().out)
    assert answer["topology"] == "tree:4^2"
    assert [point["saturated"] for point in answer["loads"]] == [False, True]
    assert answer["routers"]["buffers"] == 4
    command("--network", "tree:5x2", "--workload", "md", "--bytes", "8,64", "--plot", str(tmp_path / "times.svg"))
    assert "<svg" in (tmp_path / "times.svg").read_text()
    capsys.readouterr()
    command("--network", "star:8", "--load", "0.2", "--packets", "1000", "--multicast", "fanout=4,sets=3", "--json")
    assert json.loads(capsys.readouterr().out)["pattern"] == "multicast:4"


def test_the_usual_simulation_needs_no_name(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("allreduce", "ring"), ("program", "allreduce", "ring")):
        application(["simulate", *words, "-n", "4"])
        assert "allreduce ring" in capsys.readouterr().out


def test_collectives_in_switches_answer(capsys: pytest.CaptureFixture[str]) -> None:
    command("--network", "tree:4x2", "--reduce", "units=3,groups=2", "--bytes", "8,1KiB", "--json")
    rows = json.loads(capsys.readouterr().out)["finish_ns"]
    assert [row["bytes"] for row in rows] == [8, 1024]
    assert rows[0]["in switches"] < rows[1]["in switches"]
    command("--network", "tree:4x3", "--workload", "md", "--bytes", "256")
    assert "point to point" in capsys.readouterr().out


def test_permutations_are_checked() -> None:
    assert network.find_contention("tree:4^2", "shift:4").is_free_any_way
    found = network.find_contention("tree:4^2", "transpose")
    assert (found.is_free_any_way, found.level) == (False, 1)
    assert network.find_contention("tree:4^2", list(range(16))).by_destination == 0
    times = network.simulate_permutation("tree:4^2", "shift:4", 1024)
    assert times.ends.shape == (16,)
    assert times.finish == times.ends.max()


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (("--load", "1.1"), SETTINGS, "a load of 1.1"),
        (("--load", "0"), SETTINGS, "above 0"),
        (("--load", "x"), USAGE, "write 0.1..1.0"),
        (("--load", "0.1..0.5:0"), USAGE, "write 0.1..1.0"),
        (("--network", "pile:4"), SETTINGS, "no shape"),
        (("--network", "xgft:4x4:2x2"), SETTINGS, "has 2 links"),
        (("--network", "tree:3x2", "--pattern", "bit_reversal"), SETTINGS, "2, 4, 8"),
        (("--pattern", "gossip"), SETTINGS, "choose uniform"),
        (("--routing", "minimal"), SETTINGS, "adaptive_up"),
        (("--router", "buffers=0"), SETTINGS, "packet buffers"),
        (("--router", "buffers=-1"), SETTINGS, "from 0 on"),
        (("--router", "credit_rule=card"), SETTINGS, "crosspoint or link"),
        (("--router", "queues=input"), SETTINGS, "one counter a link"),
        (("--multicast", "fanout=x"), USAGE, "fanout=NUMBER"),
        (("--multicast", "fanout=999"), SETTINGS, "multicasts to 999"),
        (("--multicast", "fanout=2", "--network", "mesh:4x4"), SETTINGS, "no tree"),
        (("--multicast", "fanout=2", "--workload", "md"), USAGE, "choose one"),
        (("--reduce", "units=0", "--network", "tree:4x2"), SETTINGS, "1 or more"),
        (("--reduce", "units=1,groups=0", "--network", "tree:4x2"), SETTINGS, "0 reductions"),
        (("--workload", "weather"), USAGE, "choose md"),
        (("--interface", "occupancy"), USAGE, "choose latency"),
        (("--interface", "soft"), USAGE, "latency or occupancy"),
        (("--packets", "1"), SETTINGS, "packets to measure"),
        (("--router", "gigabits=0"), SETTINGS, "bits a second"),
        (("--senders", "99999999999"), USAGE, "senders"),
    ],
)
def test_errors_name_the_remedy(words: tuple[str, ...], status: Status, part: str) -> None:
    with pytest.raises(ThalwegError) as raised:
        command(*words)
    assert raised.value.status == status
    assert part in str(raised.value)


def test_loads_are_read() -> None:
    assert loads_from("0.1..0.3") == [0.1, 0.2, 0.3]
    assert loads_from("0.5..0.6:0.05") == [0.5, 0.55, 0.6]
    assert loads_from("0.25") == [0.25]


def test_an_exception_of_the_progress_ends_it() -> None:
    def end(done: int, of: int) -> None:
        raise KeyboardInterrupt(done, of)

    with pytest.raises(KeyboardInterrupt):
        thalweg.simulate_network("tree:4^2", loads=(0.5,), packets=1000, progress=end)


def test_reductions_of_the_paper_cross() -> None:
    rows = {row.case: row for row in papers_routers.reductions((8, 64, 96, 256))}
    assert rows["8 ports are faster from"].ours == 96
    assert rows["32 ports, 5 units, 256 bytes"].ours < rows["8 ports, 256 bytes"].ours


@pytest.mark.exhaustive
def test_the_papers_figures_are_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    papers.run(Request(8, 20), str(tmp_path / "rows.json"))
    assert "What the text does not say" in capsys.readouterr().out
    rows = json.loads((tmp_path / "rows.json").read_text())
    figures = {"8.8, 8.9", "8.10, 8.11", "8.12, 8.13", "8.14, 8.15", *(f"8.{number}" for number in range(16, 22))}
    assert {row["figure"] for row in rows} == figures
    with pytest.raises(ThalwegError, match="chapter 7"):
        papers.run(Request(7, 20), "")


def test_permutations_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    permutations.run(permutations.Request("tree:4^2", (1, 5), 4096, 4), str(tmp_path / "rows.json"))
    assert "free any way" in capsys.readouterr().out
    rows = {(row["exchange"], row["step"]): row for row in json.loads((tmp_path / "rows.json").read_text())}
    assert rows["shift", 1]["is_free_any_way"]
    assert not rows["shift", 5]["is_free_any_way"]
    assert rows["exchange", 5]["adaptive_bandwidth"] == rows["exchange", 5]["by_destination_bandwidth"] > 0.8


@pytest.mark.exhaustive
@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may make network namespaces")
@pytest.mark.xdist_group("lab")
def test_permutations_are_measured_on_labs(tmp_path: Path) -> None:
    """A step that shares ways up takes longer than one that does not, simulated and measured."""
    lab = permutations.LabRequest("openmpi", "50mbit", 1 << 20, 3)
    permutations.run(permutations.Request("xgft:2x2:1x1", (1, 2), 65536, 4, lab), str(tmp_path / "rows.json"))
    rows = {(row["exchange"], row["step"]): row for row in json.loads((tmp_path / "rows.json").read_text())}
    free, shared = rows["exchange", 1], rows["exchange", 2]
    assert shared["by_destination_bandwidth"] < 0.6 < free["by_destination_bandwidth"]
    assert shared["lab_bandwidth"] < free["lab_bandwidth"] <= 1.2


def test_the_speed_of_packets_is_measured() -> None:
    hops, seconds, mebibytes = packets.measure(packets.CASES[0], packets=100)
    assert hops > 0
    assert seconds > 0
    assert mebibytes >= 0
