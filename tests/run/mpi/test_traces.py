# SPDX-License-Identifier: BSD-3-Clause
"""Traces of calls in their order: what they keep of jobs, and that they can be replayed."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from jobs import NATIVE, Mode, Result, build, run
from mpis import named
from test_placing import DEBIAN, EVERY, RANKS, around, pairs

from thalweg.simulation.ground import Costs
from thalweg.simulation.replaying import replay


def traced(name: str, program: str, ranks: int, folder: Path, *arguments: str, **settings: str) -> Path:
    """Run a program and give its trace, for what MPI it is."""
    mode = Mode("trace", preload=True, settings={"THALWEG_TRACE": "1", "THALWEG_PATTERNS": str(folder), **settings})
    result = run(named(name), ranks, [str(build(named(name), program)), *arguments], mode)
    assert result.status == 0, result.explain()
    (file,) = folder.glob(f"{program}-*-{ranks}.trace")
    return file


def calls(trace: Path) -> Iterator[tuple[int, int, str]]:
    """Give the lines of calls: rank, how often the loops around have it called, the line."""
    rank, times = 0, [1]
    for line in trace.read_text().splitlines():
        words = line.split()
        if words[0] == "rank":
            rank = int(words[1])
        elif words[0] == "loop":
            times.append(times[-1] * int(words[1]))
        elif words[0] == "end" and len(words) == 1:
            times.pop()
        elif words[0].isdecimal():
            yield rank, times[-1], line


def sent(trace: Path) -> Counter[tuple[int, int, str]]:
    """Bytes and messages of the program's own, loops written out: (from, to, which)."""
    found: Counter[tuple[int, int, str]] = Counter()
    for rank, times, line in calls(trace):
        if match := re.fullmatch(r"\d+ (?:s?send|is?send \d+) \d+ (\d+) \d+ (\d+)", line):
            peer, size = map(int, match.groups())
            found[rank, peer, "bytes"] += times * size
            found[rank, peer, "messages"] += times
    return found


def reached(trace: Path) -> Counter[tuple[int, int, str]]:
    """Bytes of one-sided calls, and the calls: (from, whose memory, which)."""
    found: Counter[tuple[int, int, str]] = Counter()
    for rank, times, line in calls(trace):
        if match := re.fullmatch(r"\d+ (?:remote|iremote \d+) \d+ (\d+) (\d+) (\d+)", line):
            peer, written, read = map(int, match.groups())
            found.update({(rank, peer, "written"): times * written, (rank, peer, "read"): times * read})
            found[rank, peer, "calls"] += times
    return found


@EVERY
def test_every_message_is_in_the_trace(name: str, tmp_path: Path) -> None:
    """All kinds of sends, persistent and partitioned ones, split communicators, neighbors; and it can be replayed."""
    trace = traced(name, "traffic", RANKS, tmp_path)
    partitioned = Counter[tuple[int, int, str]]() if name in {"openmpi4", "openmpi5"} else around(96, 3, 1)
    exposures = around(0, 1, 1, -1)
    assert sent(trace) == around(130, 8, 1, -1) + around(40, 4, 1) + exposures + partitioned + pairs(5)
    next_of_reversed = {(rank, (rank - 1) % RANKS) for rank in range(RANKS)}
    amounts = {"written": 36, "read": 30, "calls": 9}
    assert reached(trace) == {(*pair, which): amount for pair in next_of_reversed for which, amount in amounts.items()}
    assert "one-sided" not in trace.read_text()
    assert "window" not in trace.read_text()
    found = replay(str(trace), Costs(ranks_per_node=0), use=["alltoall=bruck"], computation_scale=0)
    assert found.simulation.seconds < found.recorded_seconds


@EVERY
def test_every_send_has_an_end(name: str, tmp_path: Path) -> None:
    """Also where the library gives several sends the same request, however they are waited for, in whichever order."""
    trace = traced(name, "sends_at_once", 2, tmp_path)
    begun, ended = Counter[int](), Counter[int]()
    for rank, times, line in calls(trace):
        words = line.split()
        if words[1] == "isend":
            begun[rank] += times
        elif words[1] == "wait":
            ended[rank] += times * len(words[2:])
    assert begun == ended == {0: 24, 1: 24}
    assert "lacks" not in trace.read_text()
    assert replay(str(trace), Costs(ranks_per_node=0)).simulation.messages == 48


@DEBIAN
def test_long_traces_are_gathered_in_parts(name: str, tmp_path: Path) -> None:
    """Each call of a rank is there, in its order, however much the ranks have."""
    trace = traced(name, "long_trace", 3, tmp_path)
    sizes: dict[int, list[int]] = {}
    for rank, times, line in calls(trace):
        if match := re.fullmatch(r"\d+ (?:s?send|is?send \d+) \d+ \d+ \d+ (\d+)", line):
            sizes.setdefault(rank, []).extend([int(match[1])] * times)
    assert {rank: len(found) for rank, found in sizes.items()} == {0: 40_000, 1: 160_000}
    seed, expected = 1, []
    for _ in range(160_000):
        seed = (seed * 1664525 + 1013904223) % 2**32
        expected.append((seed >> 16) % 2**16)
    assert sizes[1] == expected
    assert sizes[0] == expected[:40_000]


@DEBIAN
def test_calls_over_many_requests_take_no_memory(name: str, tmp_path: Path) -> None:
    """What a call keeps of its requests lies where the last one's did; fresh pages cost more than the call itself."""
    mpi = named(name)
    program = [str(build(mpi, "many_requests"))]
    mode = Mode("trace", preload=True, settings={"THALWEG_TRACE": "1", "THALWEG_PATTERNS": str(tmp_path)})
    natively, traced_bytes = (_bytes_taken(run(mpi, 2, program, which)) for which in (NATIVE, mode))
    assert traced_bytes < natively + 100_000
    (trace,) = tmp_path.glob("many_requests-*-2.trace")
    ended = sum(times * len(line.split()[2:]) for rank, times, line in calls(trace) if line.split()[1] == "wait")
    assert ended == 4096


def _bytes_taken(result: Result) -> int:
    assert result.status == 0, result.explain()
    found = re.search(r"calls took (\d+) bytes", result.out)
    assert found, result.explain()
    return int(found[1])


@DEBIAN
def test_any_kind_of_program_can_be_replayed(name: str, tmp_path: Path) -> None:
    """Requests, messages for anybody, found ones, canceled ones, all forms of collectives: nothing waits for good."""
    suites = ["p2p_traffic", "request_kinds", "alltoallw", "bcast", "neighbor_cart", "comm_makers"]
    trace = traced(name, "conformance", 3, tmp_path, "--known", named(name).known_names, "--scale", "0.2", *suites)
    found = replay(str(trace), Costs(ranks_per_node=0))
    assert found.simulation.messages > 0
    assert len(sent(trace)) > 0


@pytest.mark.parametrize("name", ["mpich4", pytest.param("openmpi4", marks=pytest.mark.exhaustive)])
def test_threads_have_calls_of_their_own(name: str, tmp_path: Path) -> None:
    """Three threads on communicators of their own, beside the one that made them."""
    trace = traced(name, "threads", 3, tmp_path, "--known", named(name).known_names, "--scale", "0.2")
    assert Counter(trace.read_text().splitlines())["thread"] == 3 * 4
    assert replay(str(trace), Costs(ranks_per_node=0)).simulation.messages > 0
