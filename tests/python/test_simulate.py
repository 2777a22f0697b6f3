"""Simulations: results on numpy, the command, programs in GOAL, and errors that say what waits for what."""

import json
from pathlib import Path

import numpy as np
import pytest

import thalweg
from support import Command
from thalweg import _core
from thalweg.bench import simulate as bench
from thalweg.cli import make_application
from thalweg.errors import FAILED, SETTINGS, USAGE, Status, ThalwegError
from thalweg.simulation.simulate import LOGGOPS, kinds, run
from thalweg.strategies import make_sample

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
    make_application()(args=["simulate", *words], standalone_mode=False)


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
        (("allreduce", "ring", "-n", "0"), USAGE, "nothing to simulate"),
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
        "bench", "simulate", "--rounds", "1", "--ranks-max", "256", "--packets", "0", "--json", "rows.json"
    )
    assert answer.returncode == 0, answer.stderr
    (row,) = json.loads((tmp_path / "rows.json").read_text())
    assert row["case"] == "linear_alltoall"
    assert row["finish_ns"] == 2_967_690
    assert set(row) == set(bench.Row._fields)


def test_a_goal_may_be_bytes() -> None:
    with pytest.raises(ThalwegError, match="cannot go on"):
        thalweg.simulate(goal=STALLED.encode())
