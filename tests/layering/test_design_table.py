# SPDX-License-Identifier: BSD-3-Clause
"""The table of rooms in docs/design.md is what the build knows: its rooms, what each uses, and their sub-rooms."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from house.sources import tracked

ROOT = Path(__file__).resolve().parent.parent.parent
ROOM = re.compile(r"^\s*thalweg_room\((\w+)([^)]*)\)", re.MULTILINE)
# Rooms that are no plain library, such as what is compiled for each MPI, are named by their folder.
SOURCE_FOLDER = re.compile(r"(?:SOURCE_DIR\}/|\()src/(?:nic\b|\w+/(\w+)\b(?!\.))")
ROW = re.compile(r"^\| `(\w+)` \| (.*) \|(.*)\|$", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """What the table says of a room."""

    text: str
    uses: frozenset[str]


def build_files() -> str:
    """Give the text of all that describes the build of src/."""
    files = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake"), *(ROOT / "src").glob("*/building.cmake")]
    return "\n".join(re.sub(r"#.*", "", file.read_text()) for file in files)


def built_rooms() -> dict[str, frozenset[str] | None]:
    """Give every room by its folder, with the rooms that it uses; None where thalweg_room() does not tell."""
    text = build_files()
    rooms: dict[str, frozenset[str] | None] = dict.fromkeys(name for name in SOURCE_FOLDER.findall(text) if name)
    for name, words in ROOM.findall(text):
        if "FOLDER" not in words or "FOLDER ." in words:  # no room in a room
            used = re.search(r"\bUSES\s+([\w\s]+?)(?:\s+[A-Z_]+\b|$)", words)
            rooms[name] = frozenset(used[1].split() if used else ())
    return rooms


def built_sub_rooms() -> list[tuple[str, str]]:
    """Give the rooms inside of rooms, each as folder and name."""
    folders = [re.search(r"\bFOLDER\s+(\w+)/([\w/]+)", words) for _, words in ROOM.findall(build_files())]
    return [(found[1], found[2]) for found in folders if found]


def table() -> dict[str, Row]:
    """Give the rows of the design's table of rooms."""
    section = (ROOT / "docs" / "design.md").read_text().split("\n## Rooms\n")[1].split("\n## ")[0]
    rows = {}
    for name, text, uses in ROW.findall(section):
        assert name not in rows, f"two rows for {name}"
        rows[name] = Row(text, frozenset(re.findall(r"\w+", uses)))
    return rows


def test_the_table_has_the_rooms_of_the_build() -> None:
    assert set(table()) == set(built_rooms())


def test_every_folder_of_the_sources_is_in_the_build() -> None:
    # Those that Git knows: checkouts keep empty folders of what has moved.
    parts = [file.name.split("/") for file in tracked(ROOT, "src")]
    folders = {name[2] for name in parts if len(name) > 3 and name[1] != "nic"}
    assert folders | {"nic"} == set(built_rooms())


def test_rooms_use_what_the_table_says() -> None:
    rows = table()
    different = {
        name: f"the build says {sorted(uses)}, the table {sorted(rows[name].uses)}"
        for name, uses in built_rooms().items()
        if uses is not None and name in rows and rows[name].uses != uses
    }
    assert different == {}


# Which buildings a building may use.
BUILDINGS: dict[str, set[str]] = {
    "core": set(),
    "runtime": {"core"},
    "sim": {"core"},
    "nic": {"core", "runtime"},
    "run": {"core", "runtime", "nic"},
    "api": {"core", "runtime", "nic", "sim"},
}


def buildings() -> dict[str, str]:
    """Give the building of each room, as the design says."""
    section = (ROOT / "docs" / "design.md").read_text().split("\n## Buildings\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\w+) \| `([\w ]+)` \|", section, re.MULTILINE)
    found = [(room, building) for building, names in rows for room in names.split()]
    assert len(dict(found)) == len(found), "a room is in one building"
    return dict(found)


def test_every_room_is_in_its_building() -> None:
    assert set(buildings()) == set(built_rooms())
    lost = [room for room, name in buildings().items() if not (ROOT / "src" / name / room).is_dir() and room != name]
    assert lost == []


@pytest.mark.parametrize("building", BUILDINGS)
def test_buildings_have_what_their_readers_look_for(building: str) -> None:
    """A page of one screen, which names the rooms and the preset; the preset itself, and tests beside."""
    page = (ROOT / "src" / building / "README.md").read_text()
    assert len(page.splitlines()) <= 40
    assert [room for room, name in buildings().items() if name == building and f"`{room}`" not in page] == []
    preset = "core" if building == "runtime" else building
    assert f"cmake --preset {preset}" in page
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    for kind in ("configurePresets", "buildPresets", "testPresets"):
        assert preset in {one["name"] for one in presets[kind]}
    assert (ROOT / "tests" / building / "CMakeLists.txt").is_file()


def test_buildings_stand_on_those_below() -> None:
    building = buildings()
    found = [
        f"{room} ({building[room]}) uses {other} ({building[other]})"
        for room, uses in built_rooms().items()
        for other in uses or ()
        if other in building and building[other] not in BUILDINGS[building[room]] | {building[room]}
    ]
    assert found == []


def test_sub_rooms_are_named_in_their_rooms_row() -> None:
    rows = table()
    assert [f"{room}/{name}" for room, name in built_sub_rooms() if f"`{name}`" not in rows[room].text] == []
    assert built_sub_rooms(), "there are some in src/runtime/transport"
