# SPDX-License-Identifier: BSD-3-Clause
"""What headers declare is what its one description says, for C, for the libraries and for Python."""

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import pytest

from thalweg import structures

ROOT = Path(__file__).parents[3]
HEADERS = ROOT / "include" / "thalweg"
# The library's, which no program allocates; and elements of arrays, which never change.
NOT_DESCRIBED = {
    "thalweg_message",
    "thalweg_multicast_part",
    "thalweg_objects_room",
    "thalweg_objects_view",
    "thalweg_stream_dimension",
    "thalweg_stream_hooks",  # between libraries; it begins with its size, too
    "thalweg_stream_link",
    "thalweg_stream_window",
    "thalweg_team_event",  # between libraries, with its size
}


sys.path.insert(0, str(ROOT / "interfaces"))

import generate  # noqa: E402
from described import Structure  # noqa: E402
from in_python import class_of, has_handles  # noqa: E402


@pytest.mark.parametrize(
    ("path", "text"), list(generate.made().items()), ids=lambda value: value if "\n" not in value else ""
)
def test_what_is_made_is_up_to_date(path: str, text: str) -> None:
    assert (ROOT / path).read_text() == text, "run: make interfaces"


def test_structures_of_headers_are_described() -> None:
    declared = {
        name for header in HEADERS.glob("*.h") for name in re.findall(r"typedef struct (\w+) \{", header.read_text())
    }
    described = {one.name for header in generate.headers() for one in generate.structures(header)}
    assert declared - described == NOT_DESCRIBED
    assert described <= declared


def test_enumerations_of_headers_are_described() -> None:
    """C++ headers name every value of those that they wrap."""
    texts = {header.name: header.read_text() for header in HEADERS.iterdir() if header.is_file()}
    declared = {name for text in texts.values() for name in re.findall(r"typedef enum (\w+) \{", text)}
    described = [one for header in generate.headers() for one in generate.enumerations(header)]
    assert declared == {one.name for one in described}
    wrapped = [one for one in described if one.name in ("thalweg_collective", "thalweg_sync")]
    missing = [
        f"{one.prefix}{value}"
        for one in wrapped
        for value, _ in one.values
        if f"{value} = {one.prefix}{value}," not in texts["team_call.hpp"]
    ]
    assert missing == []


def python_class_of(structure: Structure) -> type[ctypes.Structure]:
    """Give the class that stands for a structure; Open MPI's handles, by which it is compiled here, are pointers."""
    if not has_handles(structure):
        kind: type[ctypes.Structure] = getattr(structures, class_of(structure.name))
        return kind
    make = getattr(structures, f"{structure.name.removeprefix('thalweg_')}_of")
    of_handles: type[ctypes.Structure] = make(ctypes.c_void_p)
    return of_handles


def layouts() -> dict[str, int]:
    """Where fields are for Python, and how large they and structures."""
    found = {}
    for header in generate.headers():
        for one in (one for one in generate.structures(header) if one.is_in_python):
            kind = python_class_of(one)
            found[f"sizeof({one.name})"] = ctypes.sizeof(kind)
            for name, _ in kind._fields_:
                field = name.removesuffix("_")
                found[f"offsetof({one.name}, {field})"] = getattr(kind, name).offset
                found[f"sizeof((({one.name}*)0)->{field})"] = getattr(kind, name).size
    return found


def values(expressions: list[str], includes: str, folder: Path) -> dict[str, int]:
    """Give what expressions are for C."""
    prints = "\n".join(f'printf("%zu\\n", {expression});' for expression in expressions)
    source, program = folder / "layouts.c", folder / "layouts"
    source.write_text(f"{includes}#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n{prints}\n}}\n")
    folders = [f"-I{ROOT / folder}" for folder in ("include", "tests/api/interface/jobs")]
    subprocess.run(["mpicc.openmpi", *folders, source, "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return dict(zip(expressions, map(int, printed.split()), strict=True))


INCLUDES = "".join(f'#include "thalweg/{header}.h"\n' for header in generate.headers())


def test_structures_of_python_are_those_of_the_headers(tmp_path: Path) -> None:
    assert values(list(layouts()), INCLUDES, tmp_path) == layouts()


def test_fields_are_only_added_and_not_into_padding(tmp_path: Path) -> None:
    (last,) = (ROOT / "tests/api/interface/jobs").glob("thalweg_*.h")
    found = re.findall(r"typedef struct (\w+) \{\s+size_t size;(.*?)\n\} \1;", last.read_text(), re.DOTALL)
    before = {name: re.findall(r"\(\*(\w+)\)|(\w+)(?:\[\d+\])?;", fields) for name, fields in found}
    assert before
    described = {one.name: one for header in generate.headers() for one in generate.structures(header)}
    for name, fields in before.items():
        old, new = [one or other for one, other in fields], [field.name for field in described[name].fields]
        assert new[: len(old)] == old
        size = f"sizeof({name})"
        known = [f"offsetof({name}, {field})" for field in old]
        there = values([size, *known], f'#include "{last.name}"\n', tmp_path)
        here = values([f"offsetof({name}, {field})" for field in new], INCLUDES, tmp_path)
        assert {one: here[one] for one in known} == {one: there[one] for one in known}
        assert all(offset >= there[size] for one, offset in here.items() if one not in known)


def test_structures_of_python_know_their_sizes() -> None:
    options = structures.StreamOptions(8, shape=b"direct")
    assert (options.size, options.item_bytes, options.shape) == (ctypes.sizeof(options), 8, b"direct")
    assert structures.Moved().size == ctypes.sizeof(structures.Moved)
