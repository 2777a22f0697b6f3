# SPDX-License-Identifier: BSD-3-Clause
"""Timelines of real jobs: every call, message and request is in them, however the job ends."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from locks import processors
from timelines import Timeline

from support import Command, Programs

RANKS = 3
STEPS = 3
BOTH = pytest.mark.parametrize("family", ["openmpi", "mpich"])
SOURCES = Path(__file__).parent

Run = Callable[..., Timeline]


@pytest.fixture
def timeline(environment: dict[str, str], tmp_path: Path) -> Run:
    """Run a program and read its timeline; how it ends is the caller's business."""

    def run(program: list[str], *options: str, ranks: int = RANKS, file: str = "t.json") -> Timeline:
        path = tmp_path / file
        words = [sys.executable, "-m", "thalweg", "run", "--no-summary", "--timeline", str(path), *options]
        with processors():
            result = subprocess.run(
                [*words, "-n", str(ranks), *program], env=environment, capture_output=True, text=True, timeout=240,
                check=False,
            )  # fmt: skip
        assert path.exists(), result.stdout + result.stderr
        assert not list(tmp_path.glob("*.events"))
        assert "thalweg: timeline of" in result.stderr, result.stderr
        return Timeline(path)

    return run


def example(programs: Programs, family: str, *words: str, source: str = "ring") -> list[str]:
    text = (SOURCES / f"{source}.c").read_text()
    return [programs.build(source, text, f"mpicc.{family}", "-g", "-pthread"), *words]


def functions(found: Timeline, row: str) -> Counter[str]:
    """How often a row has called what."""
    kinds = ("call", "collective")
    return Counter(one["name"].split()[0] for one in found.slices(*kinds) if one["row"] == row)


@BOTH
def test_everything_is_in_the_timeline(programs: Programs, family: str, timeline: Run) -> None:
    """Calls of all ranks, with line and strategy; messages as arrows, requests, and for whom ranks waited."""
    found = timeline(example(programs, family, str(STEPS), "150000"), "--use", "allreduce=ring")
    rows = [f"rank {rank}" for rank in range(RANKS)]
    assert sorted(found.rows.values()) == rows
    assert len(found.processes) == 1
    a_step = {
        "MPI_Allreduce": 1,
        "MPI_Bcast": 1,
        "MPI_Iallreduce": 1,
        "MPI_Sendrecv": 1,
        "MPI_Irecv": 1,
        "MPI_Isend": 1,
    }
    for row in rows:
        calls = functions(found, row)
        assert {call: calls[call] for call in a_step} == {call: STEPS * count for call, count in a_step.items()}
        assert calls["MPI_Wait"] == calls["MPI_Waitall"] == STEPS
        assert calls["MPI_Comm_split"] == 1
    names = {one["name"] for one in found.slices("collective")}
    assert any(re.fullmatch(r"MPI_Allreduce ring\.c:\d+ ring.*", one) for one in names), names
    around = [
        (f"rank {rank}", f"rank {(rank + 1) % RANKS}", tag, size)
        for rank in range(RANKS)
        for step in range(STEPS)
        for tag, size in ((7, 64), (step % 3, 32))
    ]
    assert sorted(found.arrows()) == sorted(around)
    requests = Counter(one["name"].split()[0] for one in found.events if one["ph"] == "b" and "args" in one)
    assert requests == dict.fromkeys(("MPI_Iallreduce", "MPI_Irecv", "MPI_Isend"), STEPS * RANKS)
    late = [one for one in found.slices("waiting") if one["args"]["for rank"] == RANKS - 1]
    assert {one["row"] for one in late} >= {"rank 0", "rank 1"}
    assert found.remarks == ""


@BOTH
def test_collectives_have_as_many_instances_on_all_ranks_of_their_communicators(
    programs: Programs, family: str, timeline: Run
) -> None:
    """Each has the number of the call on its communicator, of which ranks of the other half know nothing."""
    found = timeline(example(programs, family, str(STEPS), "0"), ranks=4)
    instances: dict[tuple[str, int], list[str]] = {}
    for one in found.slices("collective"):
        about = one["args"]
        instances.setdefault((about["communicator"], about["collective"]), []).append(one["name"])
    assert all(len(set(names)) == 1 for names in instances.values()), instances
    worlds = {number: names for (communicator, number), names in instances.items() if "WORLD" in communicator}
    halves = {key: names for key, names in instances.items() if "WORLD" not in key[0]}
    assert {len(names) for names in worlds.values()} == {4}
    assert {len(names) for names in halves.values()} == {2}
    assert len({communicator for communicator, _ in halves}) == 2


@BOTH
@pytest.mark.parametrize("how", ["abort", "kill"])
def test_jobs_that_are_killed_have_a_timeline(programs: Programs, family: str, how: str, timeline: Run) -> None:
    """All that was until then, and the calls in which ranks were."""
    found = timeline(example(programs, family, str(STEPS), "0", how))
    assert len(found.arrows()) == 2 * STEPS * RANKS
    stuck = [one for one in found.slices("call") if "not ended" in one["args"]]
    assert {one["row"] for one in stuck} == {f"rank {rank}" for rank in range(1, RANKS)}
    assert all(one["name"].startswith("MPI_Recv ring.c:") for one in stuck)
    assert "did not come to MPI_Finalize" in found.remarks


@BOTH
def test_a_timeline_that_was_too_long_holds_the_end(programs: Programs, family: str, timeline: Run) -> None:
    """Of more calls than there is room for the last ones are there, and since when is said."""
    steps = 3000
    found = timeline(example(programs, family, str(steps), "0"), "--timeline-size", "1", ranks=1, file="t.json.gz")
    calls = functions(found, "rank 0")
    assert 0 < calls["MPI_Allreduce"] < steps
    assert abs(len(found.arrows()) - 2 * calls["MPI_Allreduce"]) <= 4
    assert re.search(r"events of 1 of 1 ranks are lost; all are there from .* on", found.remarks)
    assert functions(found, "rank 0")["MPI_Comm_free"] == 0 or calls["MPI_Comm_split"] == 0


@BOTH
def test_threads_are_rows(programs: Programs, family: str, timeline: Run) -> None:
    """Threads that call MPI at once have rows of their own, in which slices nest."""
    found = timeline(example(programs, family, source="threads"), ranks=2)
    assert any(re.fullmatch(r"rank 0, thread \d+", row) for row in found.rows.values()), found.rows


@BOTH
def test_calls_that_are_left_by_jumps_end(programs: Programs, family: str, timeline: Run) -> None:
    """What is behind a jump out of a call is in no other."""
    found = timeline(example(programs, family, source="jumps"), ranks=2)
    assert found.slices("call", "collective")


def test_otf2_has_communicators_with_their_own_ranks(programs: Programs, thalweg: Command, tmp_path: Path) -> None:
    """Each collective is there once for each member, and a message is in the communicator of both of its ends."""
    otf2 = pytest.importorskip("otf2")
    archive, ranks = tmp_path / "t.otf2", 4
    words = example(programs, "mpich", str(STEPS), "0")
    result = thalweg("run", "--timeline", str(archive), "-n", str(ranks), *words)
    assert result.returncode == 0, result.stderr
    callers: Counter[tuple[int, str]] = Counter()
    ends: dict[str, list[tuple[str, str]]] = {"MpiSend": [], "MpiRecv": []}
    groups: dict[int, list[str]] = {}
    with otf2.reader.open(str(archive)) as reader:
        for location, event in reader.events:
            kind = type(event).__name__
            if kind == "MpiCollectiveEnd":
                members = [one.name for one in event.communicator.group.members]
                groups[event.communicator._ref] = members
                callers[event.communicator._ref, location.name] += 1
                assert location.name in members
            elif kind in ends:
                members = [one.name for one in event.communicator.group.members]
                peer = members[event.receiver if kind == "MpiSend" else event.sender]
                ends[kind].append((location.name, peer) if kind == "MpiSend" else (peer, location.name))
    assert sorted(ends["MpiSend"]) == sorted(ends["MpiRecv"])
    assert set(ends["MpiSend"]) == {(f"rank {rank}", f"rank {(rank + 1) % ranks}") for rank in range(ranks)}
    halves = {tuple(members) for members in groups.values() if len(members) < ranks}
    assert halves == {("rank 0", "rank 2"), ("rank 1", "rank 3")}
    for number, members in groups.items():
        assert len({callers[number, member] for member in members}) == 1, callers


def test_otf2_has_the_same_calls_and_messages(programs: Programs, thalweg: Command, tmp_path: Path) -> None:
    """An archive that OTF2's own reader reads."""
    otf2 = pytest.importorskip("otf2")
    archive = tmp_path / "t.otf2"
    result = thalweg("run", "--timeline", str(archive), "-n", str(RANKS), *example(programs, "mpich", str(STEPS), "0"))
    assert result.returncode == 0, result.stderr
    entered: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    with otf2.reader.open(str(archive)) as reader:
        locations = [one.name for one in reader.definitions.locations]
        latest: dict[str, int] = {}
        for location, event in reader.events:
            assert event.time >= latest.get(location.name, 0)
            latest[location.name] = event.time
            kinds[type(event).__name__] += 1
            if type(event).__name__ == "Enter":
                entered[event.region.name.split()[0]] += 1
    assert locations == [f"rank {rank}" for rank in range(RANKS)]
    assert kinds["Enter"] == kinds["Leave"]
    assert kinds["MpiSend"] == kinds["MpiRecv"] == 2 * STEPS * RANKS
    assert entered["MPI_Allreduce"] == STEPS * RANKS
    assert kinds["MpiCollectiveBegin"] == kinds["MpiCollectiveEnd"] == entered["MPI_Allreduce"] + entered["MPI_Bcast"]
