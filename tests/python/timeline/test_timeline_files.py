# SPDX-License-Identifier: BSD-3-Clause
"""Timelines without a job: matching of messages, late ranks, simulations, several in one file, and refusals."""

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timelines import Timeline

from support import Command
from thalweg.errors import ThalwegError
from thalweg.simulation.simulate import simulate
from thalweg.simulation.timeline import timeline_of_simulation
from thalweg.timeline.chrome import stack_chrome, write_chrome
from thalweg.timeline.command import convert
from thalweg.timeline.events import read_file
from thalweg.timeline.files import check_name
from thalweg.timeline.matching import Arrival, Interval, Message, find_late_ranks, match_messages

MESSAGES_MAX = 30
PROGRAMS = [("alltoall", "bruck"), ("allreduce", "ring"), ("broadcast", "knomial"), ("barrier", "dissemination")]


def message(rank: int, peer: int, tag: int, begin: int, *, is_send: bool) -> Message:
    interval = Interval(rank, begin, begin + 5)
    return Message(rank, rank, peer, tag, 0, 8, begin, begin + 5, is_send, interval)


@given(st.lists(st.integers(0, 2), max_size=MESSAGES_MAX), st.randoms(use_true_random=False))
def test_messages_of_a_tag_are_matched_in_their_order(tags: list[int], random: object) -> None:
    """Whatever the order in which receives of different tags are posted."""
    sends = [message(0, 1, tag, 10 * place, is_send=True) for place, tag in enumerate(tags)]
    order = list(range(len(tags)))
    random.shuffle(order)  # type: ignore[attr-defined]
    of_tag = {tag: iter([place for place in range(len(tags)) if tags[place] == tag]) for tag in set(tags)}
    wanted = [next(of_tag[tags[place]]) for place in order]
    receives = [message(1, 0, tags[place], 1000 + at, is_send=False) for at, place in enumerate(order)]
    match_messages([*receives, *sends], set())
    assert [sends.index(one.partner) for one in receives if one.partner] == wanted
    assert all(one.partner is not None and one.partner.partner is one for one in sends)


@given(st.integers(1, MESSAGES_MAX), st.integers(0, MESSAGES_MAX), st.integers(0, MESSAGES_MAX))
def test_where_events_are_lost_the_last_ones_belong_together(count: int, lost_sends: int, lost_receives: int) -> None:
    """Each side may have lost as many as it likes."""
    sends = [message(0, 1, 0, 10 * place, is_send=True) for place in range(count)][lost_sends:]
    receives = [message(1, 0, 0, 10 * place + 1, is_send=False) for place in range(count)][lost_receives:]
    match_messages([*sends, *receives], {0, 1})
    pairs = [(one.begin, one.partner.begin) for one in receives if one.partner]
    assert len(pairs) == min(len(sends), len(receives))
    assert all(begin == sent + 1 for begin, sent in pairs)


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 100)), min_size=2, max_size=6))
def test_ranks_wait_for_the_last_one_within_their_calls(spans: list[tuple[int, int]]) -> None:
    """The last one waits for nobody, and a collective with a rank missing says nothing."""
    calls = [Interval(rank, begin, begin + length) for rank, (begin, length) in enumerate(spans)]
    arrivals = [Arrival(one.row, one.begin, one) for one in calls]
    find_late_ranks([(len(arrivals) + 1, arrivals)])
    assert all(one.late_rank < 0 for one in calls)
    find_late_ranks([(len(arrivals), arrivals)])
    last = max(one.begin for one in calls)
    for one in calls:
        assert one.late_rank < 0 or one.begin < one.late <= min(last, one.end)
    assert any(one.begin == last and one.late_rank < 0 for one in calls)


def test_simulated_timelines_hold_and_stand_below(tmp_path: Path) -> None:
    """Two in one file: processes and numbers of the second are others, and it stands below."""
    found = simulate("allreduce", "ring", 4, 65536, timeline=True)
    names = ("upper", "lower")
    messages = 4 * 2 * 3
    for name in names:
        write_chrome(timeline_of_simulation(found, name), str(tmp_path / f"{name}.json"))
    one = Timeline(tmp_path / "upper.json")
    assert sorted(one.rows.values()) == ["critical path", *(f"rank {rank}" for rank in range(4))]
    assert max(each["ts"] + each["dur"] for each in one.slices()) == pytest.approx(found.finish / 1e3)
    stack_chrome([str(tmp_path / f"{name}.json") for name in names], str(tmp_path / "both.json.gz"))
    both = Timeline(tmp_path / "both.json.gz")
    assert len(both.events) == 2 * len(one.events)
    assert (len(one.arrows()), len(both.arrows())) == (messages, 2 * messages)
    order = {
        event["args"]["sort_index"]: both.processes[event["pid"]]
        for event in both.events
        if event["name"] == "process_sort_index"
    }
    assert [order[index] for index in sorted(order)] == ["upper: simulated", "lower: simulated"]


@given(
    st.sampled_from(PROGRAMS),
    st.integers(2, 9),
    st.sampled_from(["", "packet", "flow"]),
)
def test_simulated_messages_are_arrows(program: tuple[str, str], ranks: int, level: str) -> None:
    """One each, from what its sender does to what its receiver does, and never back in time."""
    network = f"torus:{ranks}" if level else ""
    found = simulate(*program, ranks, 4096, timeline=True, network=network, level=level)
    drawn = timeline_of_simulation(found, "drawn")
    assert len(drawn.arrows) == found.messages > 0
    latest = dict.fromkeys(range(ranks), 0)
    for one in drawn.slices:
        if one.row < ranks:
            latest[one.row] = max(latest[one.row], one.end)
    for arrow in drawn.arrows:
        assert arrow.sent < arrow.received <= latest[arrow.to_row]
        at_work = [one for one in drawn.slices if one.kind != "waiting"]
        assert any(one.row == arrow.from_row and one.begin <= arrow.sent < one.end for one in at_work)
        assert any(one.row == arrow.to_row and one.begin < arrow.received <= one.end for one in at_work)


def test_ranks_that_are_alike_are_drawn_singly_while_they_are_few(tmp_path: Path) -> None:
    """Of many one stands for all, and the timeline says so."""
    few = simulate("allreduce", "ring", 64, 65536, timeline=True)
    assert few.folded == 0 and set(few.timeline.ranks.tolist()) == set(range(64))
    assert few.finish == simulate("allreduce", "ring", 64, 65536).finish
    many = simulate("allreduce", "ring", 4096, 65536, timeline=True)
    assert many.folded > 0 and not many.deliveries.senders.size
    write_chrome(timeline_of_simulation(many, "many"), str(tmp_path / "many.json"))
    assert "rank 0 stands for all 4096" in Timeline(tmp_path / "many.json").remarks


def test_the_command_simulates_and_stacks(thalweg: Command, tmp_path: Path) -> None:
    words = ["simulate", "program", "broadcast", "knomial", "-n", "8", "--timeline"]
    for name in ("a.json", "b.json"):
        assert thalweg(*words, name).returncode == 0
    result = thalweg("timeline", "a.json", "b.json", "-o", "c.json")
    assert result.returncode == 0, result.stderr
    assert len(Timeline(tmp_path / "c.json").processes) == 2


@pytest.mark.parametrize("name", ["t.txt", "t", "t.gz"])
def test_names_of_no_kind_are_refused(name: str, thalweg: Command) -> None:
    with pytest.raises(ThalwegError, match="no kind of timeline"):
        check_name(name, "--timeline")
    result = thalweg("run", "--timeline", name, "-n", "2", "--", "true")
    assert result.returncode != 0
    assert f"--timeline: {name}: no kind of timeline is called so" in result.stderr
    assert ".json" in result.stderr


@pytest.mark.parametrize("content", [b"\x08" + bytes(7), b"x" * 100, struct.pack("Q", 5000) + bytes(5000)])
def test_damaged_events_are_refused_with_the_byte(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.json.events"
    path.write_bytes(content)
    with pytest.raises(ThalwegError, match=r"t\.json\.events: byte \d+: no whole timeline's events"):
        read_file(str(path))


def test_what_is_no_timeline_is_not_stacked(tmp_path: Path) -> None:
    other = tmp_path / "report.json"
    other.write_text(json.dumps({"format": "thalweg-report"}))
    with pytest.raises(ThalwegError, match="no traceEvents"):
        convert([str(other), str(other)], str(tmp_path / "t.json"))
    with pytest.raises(ThalwegError, match="one above the other"):
        convert([str(other)], str(tmp_path / "t.otf2"))
