# SPDX-License-Identifier: BSD-3-Clause
"""What is recorded of who sends to whom, and programs whose ranks are numbered anew."""

import random
from collections import Counter
from pathlib import Path

import pytest
from jobs import Mode, build, run
from mpis import Mpi, named
from test_programs import check

DEBIAN = pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
OTHERS = [pytest.param(name, marks=pytest.mark.exhaustive) for name in ("openmpi5", "mpich5", "mpich5abi", "intel")]
EVERY = pytest.mark.parametrize("name", ["openmpi4", "mpich4", *OTHERS])
RANKS = 4


def numbered(folder: Path, slots: list[int], **settings: str) -> Mode:
    """Ranks with these slots."""
    file = folder / "slots"
    file.write_text(" ".join(map(str, slots)) + "\n")
    return Mode("numbered", preload=True, settings={"THALWEG_PLACE": str(file), **settings})


def recorded(mpi: Mpi, folder: Path, **settings: str) -> dict[str, Counter[tuple[int, int, str]]]:
    """Bytes and messages of the program with known traffic, by phase: (from, to, which)."""
    mode = Mode("record", preload=True, settings={"THALWEG_RECORD": "1", "THALWEG_PATTERNS": str(folder), **settings})
    result = run(mpi, RANKS, [str(build(mpi, "traffic"))], mode)
    assert "passed traffic" in result.out, result.explain()
    (file,) = folder.glob(f"traffic-*-{RANKS}.pattern")
    phases: dict[str, Counter[tuple[int, int, str]]] = {}
    for line in file.read_text().splitlines():
        words = line.split()
        if words[0] == "phase":
            traffic = phases.setdefault(f"{words[2]} {words[1]}", Counter())
        elif words[0].isdecimal():
            source, target, size, messages, _ = map(int, words)
            traffic[source, target, "bytes"] += size
            traffic[source, target, "messages"] += messages
    return phases


def around(size: int, messages: int, *steps: int) -> Counter[tuple[int, int, str]]:
    """What every rank sends to those that many ahead of it."""
    traffic: Counter[tuple[int, int, str]] = Counter()
    for rank in range(RANKS):
        for step in steps:
            traffic[rank, (rank + step) % RANKS, "bytes"] += size
            traffic[rank, (rank + step) % RANKS, "messages"] += messages
    return traffic


def pairs(size: int) -> Counter[tuple[int, int, str]]:
    """What ranks send to the other one of their pair, as one message."""
    traffic: Counter[tuple[int, int, str]] = Counter()
    for rank in range(RANKS):
        traffic[rank, rank ^ 1, "bytes"] += size
        traffic[rank, rank ^ 1, "messages"] += 1
    return traffic


def between_groups() -> Counter[tuple[int, int, str]]:
    """What an all-gather, a broadcast and an all-reduction between even and odd ranks send."""
    traffic: Counter[tuple[int, int, str]] = Counter()
    straight = [(a, b, 6) for a in range(RANKS) for b in range(RANKS) if a % 2 != b % 2]
    broadcast = [(0, odd, 7) for odd in range(1, RANKS, 2)]
    for source, target, size in [*straight, *broadcast, (0, 1, 8), (1, 0, 8)]:
        traffic[source, target, "bytes"] += size
        traffic[source, target, "messages"] += 1
    return traffic


@DEBIAN
def test_every_message_is_recorded(name: str, tmp_path: Path) -> None:
    """All kinds of sends and one-sided calls, phases, pauses, and what a strategy's schedule sends."""
    phases = recorded(named(name), tmp_path, THALWEG_USE="alltoall=direct;allgather=ring", THALWEG_LEARN="off")
    assert phases == {
        "1 1": around(130, 8, 1, -1),
        "2 1": around(40, 4, 1),
        "3 1": around(240, 10, 1, 2, 3),
        "4 11": around(240, 30, 1),
        "5 1": around(36, 5, -1) + around(30, 5, 1),
        **({} if name == "openmpi4" else {"6 1": around(96, 3, 1)}),  # partitioned messages came with MPI 4
        "7 1": pairs(5),
        "8 1": between_groups(),
    }


def test_the_library_s_collectives_count_as_their_likeness(tmp_path: Path) -> None:
    """An all-to-all as straight messages, a small all-gather as Bruck's."""
    phases = recorded(named("openmpi4"), tmp_path, THALWEG_LEARN="off")
    assert phases["3 1"] == around(240, 10, 1, 2, 3)
    assert sum(size for (_, _, what), size in phases["4 11"].items() if what == "bytes") == RANKS * 240


@EVERY
def test_nothing_tells_that_ranks_were_numbered_anew(name: str, tmp_path: Path) -> None:
    """Attributes, names, errors, groups, windows, messages, and the end of MPI."""
    mpi = named(name)
    slots = [2, 0, 3, 1]
    result = run(mpi, RANKS, [str(build(mpi, "numbering")), *map(str, slots)], numbered(tmp_path, slots))
    assert "passed numbering" in result.out, result.explain()


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("openmpi4", 5),
        ("mpich4", 3),
        *(pytest.param(one, 3, marks=pytest.mark.exhaustive) for one in ("mpich5", "intel")),
    ],
)
def test_conformance_on_other_numbers(name: str, ranks: int, tmp_path: Path) -> None:
    """The conformance program, all collectives and point-to-point calls, with ranks in a random order."""
    mpi = named(name)
    slots = random.Random(ranks).sample(range(ranks), ranks)
    program = [str(build(mpi, "conformance")), "--scale", "0.3", "--known", mpi.known_names]
    result = run(mpi, ranks, program, numbered(tmp_path, slots))
    assert result.status == 0, result.explain()


@DEBIAN
def test_fortran_on_other_numbers(name: str, tmp_path: Path) -> None:
    """Fortran's bindings name the communicator by a number of their own."""
    from jobs import build_fortran  # noqa: PLC0415

    mpi = named(name)
    check(mpi, build_fortran(mpi, "f08"), numbered(tmp_path, [1, 0]), "fortran")


RARE = [pytest.param(text, marks=pytest.mark.exhaustive) for text in ("0 1 2 9", "0 1 2 x", "0 -3 99999999999", "")]


@pytest.mark.parametrize("text", ["0 1", "0 1 2 2", None, *RARE])
def test_a_wrong_file_leaves_ranks_where_they_are(tmp_path: Path, text: str | None) -> None:
    """Too few slots, one twice, other words, no file: the program runs as it was started, and is told the file."""
    mpi = named("openmpi4")
    file = tmp_path / "slots"
    if text is not None:
        file.write_text(text)
    mode = Mode("numbered", preload=True, settings={"THALWEG_PLACE": str(file), "THALWEG_SUMMARY": "1"})
    result = run(mpi, RANKS, [str(build(mpi, "numbering")), *map(str, range(RANKS))], mode)
    assert "passed numbering" in result.out, result.explain()
    assert "ranks stay where they were" in result.err
    assert str(file) in result.err
