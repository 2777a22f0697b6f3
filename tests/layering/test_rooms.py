# SPDX-License-Identifier: BSD-3-Clause
"""The layering that docs/design.md draws: include arrows go one way, and foreign headers stop at their rooms."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from house import cycles
from house.sources import cpp_of, python_of, tracked

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src"

# What a room may use: rooms above its own line. A folder inside of a room may be a room of its own.
BELOW_MPI = {
    "core", "wait", "topology", "schedule", "strategies", "machine", "pattern", "transport", "transport/shm",
    "transport/mpi", "engine", "nic", "tune", "job", "job/mpi", "place",
}  # fmt: skip
MPI = (
    "abi", "observe", "state", "wait", "comm", "call", "choose", "run", "offload", "learn", "decide", "record", "trace",
    "place", "report", "entry",
)  # fmt: skip

ROOMS: dict[str, set[str]] = {
    "core": set(),
    "wait": {"core"},
    "boundary": {"core"},
    "topology": {"core"},
    "schedule": {"core"},
    "strategies": {"core", "topology", "schedule"},
    "machine": {"core", "topology"},
    "model": {"core", "topology", "schedule", "machine"},
    "pattern": {"core"},
    "simulate/packet": {"core", "topology", "model"},
    "simulate": {"core", "topology", "schedule", "strategies", "machine", "pattern", "model", "simulate/packet"},
    "place": {"core", "topology", "machine", "pattern"},
    "balance": {"core", "machine"},
    "transport": {"wait", "core"},
    "transport/loopback": {"core", "transport"},
    "transport/shm": {"core", "wait", "transport"},
    "transport/routed": {"core", "wait", "transport"},
    "transport/aggregation": {"core", "wait", "transport"},
    "transport/mpi": {"core", "transport"},
    "engine": {"core", "schedule", "transport"},
    "nic": {"core", "wait", "schedule"},
    "nic/programs": {"nic"},
    "nic/agent": {"core", "nic"},
    "tune": {"core", "topology", "schedule", "strategies", "machine", "model"},
    "stream": {"core", "boundary", "wait", "topology", "machine", "model", "transport", "transport/shm"},
    "job": {"core", "wait", "topology", "machine", "tune"},
    "job/mpi": {
        "core", "wait", "topology", "schedule", "machine", "transport", "transport/shm", "transport/routed",
        "transport/aggregation", "transport/mpi", "engine", "tune", "job",
    },
    "job/linked": {
        "core", "wait", "machine", "tune", "transport", "transport/shm", "transport/mpi", "job", "job/mpi",
    },
    **{f"mpi/{room}": BELOW_MPI | {f"mpi/{below}" for below in MPI[:place]} for place, room in enumerate(MPI)},
    "mpi/symbols": set(),
    "mpi/unfinished": {"core", "mpi/observe"},
    "mpi/world": {"mpi/abi"},
    "team": {
        "core", "boundary", "wait", "schedule", "strategies", "machine", "transport", "transport/aggregation", "engine",
        "nic", "tune", "job", "job/mpi", "job/linked",
    },
    "stream/linked": {
        "core", "boundary", "wait", "topology", "machine", "tune", "transport", "transport/shm", "transport/mpi", "job",
        "job/mpi", "job/linked", "stream",
    },
    "balance/linked": {"core", "boundary", "wait", "transport/mpi", "balance", "job", "job/mpi", "job/linked"},
    "place/linked": {"core", "boundary", "pattern", "machine", "topology", "place", "job", "job/mpi", "job/linked"},
    "objects": {"core", "machine", "model", "pattern", "place", "topology"},
    "objects/linked": {
        "core", "boundary", "wait", "machine", "transport/mpi", "job", "job/mpi", "job/linked", "objects",
    },
    "interface": {"core", "boundary", "schedule", "strategies"},
    "python": {
        "core", "topology", "schedule", "strategies", "machine", "model", "simulate", "simulate/packet", "balance",
        "pattern", "place", "tune",
    },
}  # fmt: skip

# Headers of libraries that only some rooms may know. The interposer's own families/ hold stand-ins for mpi.h.
FOREIGN = {
    r"mpi\w*\.h": {"mpi", "team", "transport/mpi", "job/mpi", "job/linked"},
    r"nanobind/.*": {"python"},
    r"nlohmann/.*": {"mpi"},
    r"toml\+\+/.*": {"machine", "tune", "objects"},
    r"bpf/.*": {"nic"},
    r"dlfcn\.h": {"mpi", "team", "stream/linked"},
}

ENVIRONMENT_AND_OUTPUT = re.compile(r"\b(getenv|printf|fprintf|puts|exit|abort)\s*\(|std::(cout|cerr|clog)|fmt::print")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def source_files() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in (".cpp", ".hpp", ".h", ".c"))


def room_of(path: Path) -> str:
    """The room of a file under src/: the innermost folder that is one."""
    for folder in path.relative_to(SOURCE).parents:
        if folder.as_posix() in ROOMS:
            return folder.as_posix()
    return path.relative_to(SOURCE).parts[0]


def includes(path: Path) -> Iterator[str]:
    for own, foreign in INCLUDE.findall(path.read_text()):
        yield own or foreign


def test_every_folder_is_a_room_of_the_plan() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir()} == {room.split("/")[0] for room in ROOMS}
    lost = {path.parent.relative_to(ROOT).as_posix() for path in source_files() if room_of(path) not in ROOMS}
    assert lost == set()


def test_the_plan_has_no_circle() -> None:
    order = list(ROOMS)
    for room, used in ROOMS.items():
        assert all(order.index(other) < order.index(room) for other in used), room


def test_a_room_includes_only_rooms_below() -> None:
    found = [
        f"{path.relative_to(ROOT)} includes {name}"
        for path in source_files()
        for name in includes(path)
        if (SOURCE / name).exists() and room_of(SOURCE / name) not in {room_of(path)} | ROOMS[room_of(path)]
    ]
    assert found == []


@pytest.mark.parametrize("folder", ["src", "include"])
def test_units_include_each_other_one_way(folder: str) -> None:
    """A unit is a header with its source file. No circle of them anywhere, not even inside of a room."""
    graph = cycles.unit_graph(cpp_of(tracked(ROOT), folder), folder)
    assert sum(map(len, graph.values())) > 10
    assert cycles.components(graph) == []


def test_foreign_headers_stop_at_their_rooms() -> None:
    found = [
        f"{path.relative_to(ROOT)} includes {name}"
        for path in source_files()
        for name in includes(path)
        for pattern, rooms in FOREIGN.items()
        if re.fullmatch(pattern, name)
        and not any(path.relative_to(SOURCE).as_posix().startswith(f"{room}/") for room in rooms)
    ]
    assert found == []


def test_the_core_neither_prints_nor_exits_nor_reads_the_environment() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in source_files()
        if path.relative_to(SOURCE).parts[0] not in ("mpi", "python", "team")
        and room_of(path) not in ("job/linked", "stream/linked", "nic/agent")
        and path != SOURCE / "core" / "assertion.hpp"  # a broken assertion ends the process, and says so
        for match in ENVIRONMENT_AND_OUTPUT.finditer(re.sub(r"//.*", "", path.read_text()))
    ]
    assert found == []


def test_pythons_packages_have_no_circle() -> None:
    graph = cycles.package_graph(python_of(tracked(ROOT), "python/thalweg"), "python/thalweg")
    assert sum(map(len, graph.values())) > 10
    assert cycles.components(graph) == []
