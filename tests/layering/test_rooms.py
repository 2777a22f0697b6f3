"""The layering that docs/design.md draws: include arrows go one way, and foreign headers stop at their rooms."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src"

# Every room and the rooms that it may use; nobody uses a room that stands below his own line.
ROOMS: dict[str, set[str]] = {
    "core": set(),
    "boundary": {"core"},
    "topology": {"core"},
    "schedule": {"core"},
    "strategies": {"core", "topology", "schedule"},
    "machine": {"core"},
    "model": {"core", "topology", "schedule", "machine"},
    "pattern": {"core"},
    "transport": {"core"},
    "engine": {"core", "schedule", "transport"},
    "tune": {"core", "topology", "schedule", "strategies", "machine", "model"},
    "mpi": {"core", "topology", "schedule", "strategies", "machine", "pattern", "transport", "engine", "tune"},
    "team": {"core", "boundary", "schedule", "strategies", "machine", "transport", "engine", "tune"},
    "interface": {"core", "boundary", "schedule", "strategies"},
    "python": {"core", "topology", "schedule", "strategies", "machine", "model", "tune"},
}

# Headers of libraries that only some rooms may know. The interposer's own families/ hold stand-ins for mpi.h.
FOREIGN = {
    r"mpi\w*\.h": {"mpi", "team", "transport/mpi"},
    r"nanobind/.*": {"python"},
    r"nlohmann/.*": {"mpi"},
    r"toml\+\+/.*": {"machine", "tune"},
    r"dlfcn\.h": {"mpi", "team"},
}

ENVIRONMENT_AND_OUTPUT = re.compile(r"\b(getenv|printf|fprintf|puts|exit|abort)\s*\(|std::(cout|cerr|clog)|fmt::print")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def source_files() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in (".cpp", ".hpp", ".h", ".c"))


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def includes(path: Path) -> Iterator[str]:
    for own, foreign in INCLUDE.findall(path.read_text()):
        yield own or foreign


def test_every_folder_is_a_room_of_the_plan() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir()} <= set(ROOMS)


def test_the_plan_has_no_circle() -> None:
    order = list(ROOMS)
    for room, used in ROOMS.items():
        assert all(order.index(other) < order.index(room) for other in used), room


def test_a_room_includes_only_rooms_below() -> None:
    found = [
        f"{path.relative_to(ROOT)} includes {name}"
        for path in source_files()
        for name in includes(path)
        if (other := name.split("/")[0]) in ROOMS
        and "/" in name
        and other not in {room_of(path)} | ROOMS[room_of(path)]
    ]
    assert found == []


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
        if room_of(path) not in ("mpi", "python", "team")
        for match in ENVIRONMENT_AND_OUTPUT.finditer(re.sub(r"//.*", "", path.read_text()))
    ]
    assert found == []


def test_pythons_packages_have_no_circle() -> None:
    package = ROOT / "python" / "thalweg"
    uses: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        room = path.relative_to(package).parts[0]
        if path.parent != package:
            uses.setdefault(room, set()).update(
                other
                for other in re.findall(r"^\s*from thalweg\.(\w+)[. ]", path.read_text(), re.MULTILINE)
                if other != room and (package / other).is_dir()
            )
    while free := {room for room, used in uses.items() if not used & set(uses)}:
        for room in free:
            del uses[room]
    assert uses == {}
