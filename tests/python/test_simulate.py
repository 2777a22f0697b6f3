# SPDX-License-Identifier: BSD-3-Clause
"""Simulations: results on numpy, the command, programs in GOAL, and errors that say what waits for what."""

import json
from pathlib import Path

import numpy as np
import pytest

import thalweg
from support import Command
from thalweg import _core
from thalweg.cli import application
from thalweg.errors import FAILED, SETTINGS, USAGE, Status, ThalwegError
from thalweg.simulation import rounds
from thalweg.simulation.candidates import simulate_candidate
from thalweg.simulation.ground import LOGGOPS, Costs
from thalweg.simulation.simulate import kinds, run
from thalweg.strategies import make_sample
from thalweg.trials.cases import Case
from thalweg.trials.session import Job
from thalweg_labs.bench import simulate as bench
from thalweg_labs.bench.simulate_labs import compare, rows_of

STALLED = """num_ranks 2
rank 0 {
a: recv 8b from 1 tag 4
b: calc 5
b requires a
}
rank 1 {
send 8b to 0 tag 5
}
"""


def command(*words: str) -> None:
    """Run the command in this process."""
    application(["simulate", *words])


def test_results_are_of_one_piece() -> None:
    found = thalweg.simulate("allreduce", "recursive_doubling", 16, 4096, timeline=True)
    assert found.ends.shape == found.busy.shape == (16,)
    assert found.finish == found.ends.max() == found.ends[found.last_rank]
    assert (found.busy <= found.ends).all()
    assert list(found.why) == kinds()
    assert sum(found.why.values()) == found.finish
    assert found.path.begins[0] == 0
    assert (found.path.begins[1:] == found.path.ends[:-1]).all()
    assert sum(ticks for _, ticks in found.ranks_on_path()) == found.finish
    lengths = found.timeline.ends - found.timeline.begins
    assert (np.bincount(found.timeline.ranks, lengths) == found.busy).all()
    assert found.events == found.operations + found.messages


def test_a_program_is_the_same_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = make_sample("alltoall", "bruck", 9, ranks_per_node=1, unit_bytes=512).goal(512)
    (tmp_path / "bruck.goal").write_text(text)
    answers = []
    for words in (("alltoall", "bruck", "-n", "9", "--bytes", "512"), ("--goal", str(tmp_path / "bruck.goal"))):
        command(*words, "--json")
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0]["fingerprint"] == answers[1]["fingerprint"]
    assert answers[0]["finish_ns"] == answers[1]["finish_ns"] > 0
    assert sum(answers[0]["why_ns"].values()) == answers[0]["finish_ns"]


def test_many_ranks_that_are_alike_are_folded() -> None:
    found = thalweg.simulate("barrier", "dissemination", 1 << 20)
    assert found.folded > 1
    assert found.ends.shape == (1 << 20,)
    # 20 rounds of a message of one byte.
    assert found.finish == 20 * (2 * 1500 + 2500)


def test_few_rounds_stand_for_many_on_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a star nothing is shared, so the time is that of the one rank that stands for all without a network."""
    monkeypatch.setattr(rounds, "OPERATIONS_MAX", 1 << 24)
    found = thalweg.simulate("allreduce", "ring", 2048, 1 << 16, network="star")
    assert found.rounds
    assert found.rounds.total > 2000 > found.rounds.simulated
    folded = thalweg.simulate("allreduce", "ring", 2048, 1 << 16)
    assert (found.ends == folded.ends).all()
    assert found.rounds.min_ns == folded.finish
    assert sum(found.why.values()) == found.finish
    sent = 2 * 2047 * 32
    assert set(found.links.bytes.tolist()) == {sent}
    assert found.links_on_path == []


def test_a_machine_file_says_what_messages_cost(tmp_path: Path) -> None:
    machine = _core.default_machine()
    (tmp_path / "machine.toml").write_text(machine.to_text())
    found = thalweg.simulate("allreduce", "ring", 8, 65536, machine=str(tmp_path / "machine.toml"))
    assert found.finish == thalweg.simulate("allreduce", "ring", 8, 65536, machine=machine).finish
    near = thalweg.simulate("allreduce", "ring", 8, 65536, machine=machine, ranks_per_node=0)
    assert near.finish < found.finish
    text = tmp_path / "pair.goal"
    text.write_text("num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n")
    apart, together = (thalweg.simulate(goal=text, machine=machine, ranks_per_node=each).finish for each in (1, 2))
    assert apart > together > 0


def test_the_command_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    command("allreduce", "ring", "-n", "64", "--bytes", "1MiB")
    answer = capsys.readouterr().out
    for part in ("64 ranks, level loggp", "critical path", "bytes", "rank 0 is the last", "messages"):
        assert part in answer


def test_a_timeline_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    command("reduce", "knomial", "-n", "16", "--plot", str(tmp_path / "timeline.svg"))
    assert "<svg" in (tmp_path / "timeline.svg").read_text()
    command("alltoall", "direct", "-n", "8", "--machine", "torus:8", "--plot", str(tmp_path / "links.svg"))
    assert "<svg" in (tmp_path / "links.svg").read_text()


def test_a_program_that_cannot_go_on_is_an_error(thalweg: Command, tmp_path: Path) -> None:
    (tmp_path / "stalled.goal").write_text(STALLED)
    answer = thalweg("simulate", "--goal", "stalled.goal")
    assert answer.returncode == FAILED.number
    assert "2 of its 3 operations" in answer.stderr
    assert "rank 0, operation 0: waits for a message from rank 1, tag 4" in answer.stderr
    assert "rank 1, operation 0: its 8 bytes wait for a receive of rank 0, tag 5" in answer.stderr
    assert not answer.stdout


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        ((), USAGE, "nothing to simulate"),
        (("allreduce", "ring"), USAGE, "nothing to simulate"),
        (("allreduce", "ring", "-n", "4", "--goal", "x"), USAGE, "both a strategy and --goal"),
        (("--goal", "missing"), SETTINGS, "missing cannot be read"),
        (("allreduce", "rong", "-n", "4"), SETTINGS, "ring"),
        (("allreduce", "ring", "-n", "4", "--level", "quark"), USAGE, "choose loggp"),
        (("allreduce", "ring", "-n", "4", "--loggops", "1,x"), SETTINGS, "write L,o,g,G,O,S"),
        (("allreduce", "ring", "-n", "4", "--ties", "x"), USAGE, "choose order or loggopsim"),
        (("allgather", "neighbor_exchange", "-n", "100000"), SETTINGS, "fewer ranks"),
    ],
)
def test_errors_name_the_remedy(words: tuple[str, ...], status: Status, part: str) -> None:
    with pytest.raises(ThalwegError) as raised:
        command(*words)
    assert raised.value.status == status
    assert part in str(raised.value)


def test_progress_is_reported_and_may_end_it() -> None:
    program = _core.sample_program("dissemination", 1 << 15, 8, LOGGOPS)
    heard: list[int] = []
    assert run(program, explained_max=0, progress=heard.append).events == 3 * 15 << 15
    assert heard

    def end(events: int) -> None:
        raise KeyboardInterrupt(events)

    with pytest.raises(KeyboardInterrupt):
        run(program, explained_max=0, progress=end)


def test_the_benchmark_writes_rows(thalweg: Command, tmp_path: Path) -> None:
    answer = thalweg(
        *("bench", "simulate", "--rounds", "1", "--ranks-max", "256", "--only", "linear"),
        *("--packets", "0", "--json", "rows.json"),
    )
    assert answer.returncode == 0, answer.stderr
    (row,) = json.loads((tmp_path / "rows.json").read_text())
    assert row["case"] == "linear_alltoall"
    assert row["finish_ns"] == 2_967_690
    assert set(row) == set(bench.Row._fields)


def test_a_goal_may_be_bytes() -> None:
    with pytest.raises(ThalwegError, match="cannot go on"):
        thalweg.simulate(goal=STALLED.encode())


def test_messages_share_the_links_of_a_network(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("alltoall", "cyclic", "-n", "64", "--machine", "torus:4x4x4", "--link-latency", "100")
    command(*words, "--json")
    answer = json.loads(capsys.readouterr().out)
    assert answer["level"] == "flow"
    assert answer["network"] == "torus:4x4x4"
    assert sum(answer["why_ns"].values()) == answer["finish_ns"]
    assert answer["why_ns"]["sharing"] > 0
    assert 0 < answer["links"][0]["busy"] <= 1
    assert answer["path_links"]
    assert sum(link["ns"] for link in answer["path_links"]) <= answer["finish_ns"]
    command(*words, "--level", "loggp", "--json")
    alone = json.loads(capsys.readouterr().out)
    assert not alone["links"]
    assert alone["finish_ns"] < answer["finish_ns"]
    command(*words)
    assert "most loaded of 384 links" in capsys.readouterr().out


def test_links_may_be_faster_than_messages_alone() -> None:
    slow, fast = (
        thalweg.simulate("allgather", "ring", 16, 100_000, network="torus:16", link_bandwidth=rate).finish
        for rate in (1e9, 2e9)
    )
    assert slow == thalweg.simulate("allgather", "ring", 16, 100_000, loggops="2500,1500,1000,1").finish
    assert slow - fast == pytest.approx(15 * 49_999.5, abs=15)


def test_a_placement_may_be_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slots = np.random.default_rng(1).permutation(32)
    (tmp_path / "slots.txt").write_text("".join(f"{slot}\n" for slot in slots))
    words = ("allgather", "ring", "-n", "32", "--bytes", "64KiB", "--machine", "torus:4x4", "--ranks-per-node", "2")
    times = []
    for more in ((), ("--placement", str(tmp_path / "slots.txt"))):
        command(*words, *more, "--json")
        times.append(json.loads(capsys.readouterr().out)["finish_ns"])
    assert times[1] > times[0]
    found = thalweg.simulate(
        "allgather", "ring", 32, 65536, network="torus:4x4", ranks_per_node=2, placement=slots, explained_max=0
    )
    assert found.finish == times[1]
    assert found.links.bytes.sum() > 0


def test_ranks_of_one_node_use_no_link() -> None:
    found = thalweg.simulate("alltoall", "direct", 8, 65536, network="torus:100x100x100", ranks_per_node=0)
    assert not found.links.numbers.size


def test_a_machine_file_may_name_its_network() -> None:
    machine = _core.default_machine()
    machine.network = "fat-tree:2x1"
    alone = thalweg.simulate("alltoall", "direct", 8, 65536, machine=machine)
    shared = thalweg.simulate("alltoall", "direct", 8, 65536, machine=machine, level="flow")
    assert shared.finish > alone.finish
    assert shared.links.numbers.size


# The latency of the file is that of nodes that are a hop apart.
def test_a_machine_file_may_know_what_hops_cost() -> None:
    machine = _core.default_machine()
    machine.network = "torus:8"
    machine.step = _core.Figure(0, 0, 0)
    levels = machine.levels
    levels[-1].hops, levels[-1].hop = 3, _core.Figure(1e-6, 1e-6, 1e-6)
    machine.levels = levels

    def finish(*places: int) -> int:
        return thalweg.simulate("broadcast", "flat", 2, 8, machine=machine, level="flow", placement=places).finish

    assert finish(0, 3) - finish(0, 1) == 2000
    for place in (1, 3):
        where = _core.NodePlaces("torus:8", 8, [0, place])
        predicted = _core.predict("bcast=flat", 8, 2, [0, 1], machine, node_places=where)[0]
        found = simulate_candidate("bcast=flat", 8, [0, 1], machine, where).finish
        assert found == pytest.approx(predicted * 1e9, abs=2)


def test_explanations_may_be_simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = _core.default_machine()
    machine.network = "fat-tree:2x1"
    (tmp_path / "machine.toml").write_text(machine.to_text())
    words = ["tune", "explain", "alltoall", "-n", "8", "--ranks-per-node", "1", "--bytes", "64KiB", "--simulate"]
    application([*words, "--machine", str(tmp_path / "machine.toml")])
    answer = capsys.readouterr().out
    assert "simulated" in answer
    assert "most at" in " ".join(answer.split())


def test_predictors_are_held_against_measured_times() -> None:
    machine = _core.default_machine()
    job = Job(ranks=4, nodes=(0, 1, 2, 3), machines=1, fingerprint=(), places=(), hosts=("a", "b", "c", "d"))
    case = Case("allreduce", 65536)
    predicted = {one.text: one.seconds for one in _core.candidates("allreduce", 65536, 4, [0, 1, 2, 3], machine)[:6]}
    found = compare(case, predicted, predicted, job, machine)
    assert list(found["model"]) == pytest.approx([1, 1, 1])
    assert found["flow"].error >= 1
    assert {row["case"] for row in rows_of("star allreduce", found)} == {"star allreduce"}


RECORDED = """thalweg-pattern 1
ranks 8
seconds 2.5
command ./app
site 0 call MPI_Isend halo.c:42 (exchange)
site 1 like:knomial MPI_Bcast solve.c:7 (step)
phase 10 solve
0 1 10000 10 0
1 0 10000 10 0
0 4 2000 20 1
phase 1 end
2 3 500 1 0
3 3 500 1 0
"""


def test_a_recorded_program_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "app.pattern").write_text(RECORDED)
    command("--trace", str(tmp_path / "app.pattern"), "--machine", "torus:8", "--json")
    answer = json.loads(capsys.readouterr().out)
    assert [(site["phase"], site["messages"]) for site in answer["sites"]] == [("solve", 20), ("solve", 20), ("end", 1)]
    assert answer["recorded_seconds"] == 2.5
    # Two ranks exchange a message ten times; at last there is one message.
    assert answer["sites"][0]["seconds"] == pytest.approx(10 * (2 * 1500 + 2500 + 6 * 999) * 1e-9)
    assert answer["sites"][2]["seconds"] == pytest.approx((2 * 1500 + 2500 + 6 * 499) * 1e-9)
    assert answer["seconds"] == pytest.approx(sum(site["seconds"] for site in answer["sites"]))
    command("--trace", str(tmp_path / "app.pattern"))
    assert "no computation is in it" in capsys.readouterr().out


def test_a_stream_is_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    command("stream", "--shape", "4x4x4", "--items", "100", "--bytes", "32", "--machine", "torus:4x4x4", "--json")
    answer = json.loads(capsys.readouterr().out)
    assert answer["messages"] == 64 * 9
    assert answer["finish_ns"] == thalweg.simulate_stream((4, 4, 4), 100, 32, costs=Costs(network="torus:4x4x4")).finish
    assert answer["ranks"] == 64


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("allreduce", "ring", "-n", "4", "--level", "flow"), "level flow without a network"),
        (("allreduce", "ring", "-n", "9", "--machine", "torus:8"), "9 ranks on 8 slots"),
        (("allreduce", "ring", "-n", "4", "--machine", "tours:8"), "tours"),
        (("allreduce", "ring", "-n", "4", "--link-bandwidth", "fast"), "no bandwidth"),
        (("allreduce", "ring", "-n", "4", "--placement", "missing"), "cannot be read"),
        (("stream", "--shape", "4x4"), "without a mesh or items"),
        (("stream", "--shape", "4xy", "--items", "5"), "no mesh '4xy'"),
        (("stream", "--shape", "4x4", "--items", "5", "--buffer-bytes", "4"), "buffers that hold an item"),
        (("--trace", "missing.pattern"), "missing.pattern"),
    ],
)
def test_errors_of_networks_and_streams_name_the_remedy(words: tuple[str, ...], part: str) -> None:
    with pytest.raises(ThalwegError) as raised:
        command(*words)
    assert part in str(raised.value)
