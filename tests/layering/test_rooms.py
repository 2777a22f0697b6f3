# SPDX-License-Identifier: BSD-3-Clause
"""The layering that docs/design.md draws: include arrows go one way, and foreign headers stop at their rooms."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from house import cycles
from house.sources import cpp_of, include_name, python_of, tracked

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src"

# What a room may use: rooms above its own line. A folder inside of a room may be a room of its own.
BELOW_MPI = {
    "base", "wait", "evidence", "topology", "schedule", "strategies", "machine", "pattern", "transport",
    "transport/shm", "transport/mpi", "engine", "control", "nic", "tune", "job", "job/mpi", "place",
}  # fmt: skip
MPI = (
    "abi", "observe", "state", "wait", "comm", "call", "choose", "run", "offload", "learn", "record", "timeline",
    "trace", "place", "report", "entry",
)  # fmt: skip

ROOMS: dict[str, set[str]] = {
    "base": set(),
    "wait": {"base"},
    "boundary": {"base"},
    "evidence": {"base"},
    "topology": {"base"},
    "schedule": {"base"},
    "strategies": {"base", "topology", "schedule"},
    "machine": {"base", "topology"},
    "model": {"base", "topology", "schedule", "machine"},
    "pattern": {"base"},
    "simulate/packet": {"base", "topology", "model"},
    "simulate": {"base", "topology", "schedule", "strategies", "machine", "pattern", "model", "simulate/packet"},
    "place": {"base", "evidence", "topology", "machine", "pattern"},
    "balance": {"base", "evidence", "machine"},
    "transport": {"wait", "base"},
    "transport/shm": {"base", "wait", "transport"},
    "transport/routed": {"base", "wait", "transport"},
    "transport/aggregation": {"base", "wait", "transport"},
    "transport/mpi": {"base", "transport"},
    "engine": {"base", "schedule", "transport"},
    "control": {"base", "wait", "transport", "schedule", "strategies", "engine"},
    "nic": {"base", "wait", "schedule"},
    "nic/programs": {"nic"},
    "nic/agent": {"base", "nic"},
    "tune": {"base", "evidence", "topology", "schedule", "strategies", "machine", "model"},
    "stream": {"base", "boundary", "wait", "evidence", "topology", "machine", "model", "transport", "transport/shm"},
    "job": {"base", "wait", "topology", "machine", "tune"},
    "job/mpi": {
        "base", "wait", "topology", "schedule", "strategies", "machine", "transport", "transport/shm",
        "transport/routed", "transport/aggregation", "transport/mpi", "engine", "tune", "job",
    },
    "job/library": {
        "base", "wait", "machine", "tune", "transport", "transport/shm", "transport/mpi", "job", "job/mpi",
    },
    **{f"mpi/{room}": BELOW_MPI | {f"mpi/{below}" for below in MPI[:place]} for place, room in enumerate(MPI)},
    "mpi/symbols": set(),
    "mpi/unfinished": {"base", "mpi/observe"},
    "mpi/world": {"mpi/abi"},
    "trial": set(),
    "team": {
        "base", "boundary", "wait", "schedule", "strategies", "machine", "transport", "transport/aggregation", "engine",
        "nic", "tune", "job", "job/mpi", "job/library",
    },
    "stream/mpi": {
        "base", "boundary", "wait", "topology", "machine", "tune", "transport", "transport/shm", "transport/mpi", "job",
        "job/mpi", "job/library", "stream",
    },
    "balancer": {"base", "boundary", "wait", "control", "balance", "job", "job/mpi", "job/library"},
    "placer": {"base", "boundary", "pattern", "machine", "topology", "place", "job", "job/mpi", "job/library"},
    "objects": {"base", "evidence", "machine", "model", "pattern", "place", "topology"},
    "objects/mpi": {
        "base", "boundary", "wait", "control", "machine", "tune", "transport/mpi", "job", "job/mpi", "job/library",
        "objects",
    },
    "interface": {"base", "boundary", "schedule", "strategies"},
    "fortran": set(),  # modules over the public headers
    "python": {
        "base", "evidence", "topology", "schedule", "strategies", "machine", "model", "simulate", "simulate/packet",
        "balance",
        "pattern", "place", "tune",
    },
}  # fmt: skip

# Headers of libraries that only some rooms may know. The interposer's own families/ hold stand-ins for mpi.h.
FOREIGN = {
    r"mpi\w*\.h": {"mpi", "trial", "team", "transport/mpi", "job/mpi", "job/library"},
    r"nanobind/.*": {"python"},
    r"nlohmann/.*": {"mpi"},
    r"toml\+\+/.*": {"machine", "tune", "objects"},
    r"bpf/.*": {"nic"},
    r"dlfcn\.h": {"mpi", "trial", "team", "stream/mpi"},
}

ENVIRONMENT_AND_OUTPUT = re.compile(r"\b(getenv|printf|fprintf|puts|exit|abort)\s*\(|std::(cout|cerr|clog)|fmt::print")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def source_files() -> dict[str, Path]:
    """Every source by the name that includes give it."""
    found = sorted(path for path in SOURCE.rglob("*") if path.suffix in (".cpp", ".hpp", ".h", ".c"))
    return {include_name(path.relative_to(ROOT).as_posix()): path for path in found}


def room_of(name: str) -> str:
    """The room of a file by the name that includes give it: the innermost folder that is one."""
    for folder in PurePosixPath(name).parents:
        if folder.as_posix() in ROOMS:
            return folder.as_posix()
    return name.split("/", maxsplit=1)[0]


def includes(path: Path) -> Iterator[str]:
    for own, foreign in INCLUDE.findall(path.read_text()):
        yield own or foreign


def test_every_folder_is_a_room_of_the_plan() -> None:
    names = source_files()
    assert {name.split("/")[0] for name in names} == {room.split("/")[0] for room in ROOMS}
    assert [name for name in names if room_of(name) not in ROOMS] == []


def test_the_plan_has_no_circle() -> None:
    order = list(ROOMS)
    for room, used in ROOMS.items():
        assert all(order.index(other) < order.index(room) for other in used), room


def test_a_room_includes_only_rooms_below() -> None:
    files = source_files()
    found = [
        f"{name} includes {included}"
        for name, path in files.items()
        for included in includes(path)
        if included in files and room_of(included) not in {room_of(name)} | ROOMS[room_of(name)]
    ]
    assert found == []


@pytest.mark.parametrize("folder", ["src", "include"])
def test_units_include_each_other_one_way(folder: str) -> None:
    """A unit is a header with its source file. No circle of them anywhere, not even inside of a room."""
    graph = cycles.unit_graph(cpp_of(tracked(ROOT), folder))
    assert sum(map(len, graph.values())) > 10
    assert cycles.components(graph) == []


def test_foreign_headers_stop_at_their_rooms() -> None:
    found = [
        f"{name} includes {included}"
        for name, path in source_files().items()
        for included in includes(path)
        for pattern, rooms in FOREIGN.items()
        if re.fullmatch(pattern, included) and not any(name.startswith(f"{room}/") for room in rooms)
    ]
    assert found == []


def test_the_core_neither_prints_nor_exits_nor_reads_the_environment() -> None:
    found = [
        f"{name}: {match[0]}"
        for name, path in source_files().items()
        if name.split("/")[0] not in ("mpi", "trial", "python", "team")
        and room_of(name) not in ("job/library", "stream/mpi", "nic/agent")
        and name != "base/assertion.hpp"  # a broken assertion ends the process, and says so
        for match in ENVIRONMENT_AND_OUTPUT.finditer(re.sub(r"//.*", "", path.read_text()))
    ]
    assert found == []


def test_pythons_packages_have_no_circle() -> None:
    graph = cycles.package_graph(python_of(tracked(ROOT), "python/thalweg"), "python/thalweg")
    assert sum(map(len, graph.values())) > 10
    assert cycles.components(graph) == []
