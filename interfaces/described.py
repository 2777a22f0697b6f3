# SPDX-License-Identifier: BSD-3-Clause
"""The descriptions in this folder.

A description has the enumerations of a public C header, and the structures that its users, or Python, have to know the
layout of. An enumeration has a name, the prefix of its values' names, a text, and values, each with a text: they count
from 0 and never change, and new ones come at the end. A structure has a name, a text, a kind, and fields: a
declaration, a text, and the default where that is not 0 or NULL. Python has all but those that say `python = false`.
Kinds of structures:

    input    a program fills it in. It begins with its size; a shorter one has defaults for the rest
    output   a program owns it, and the library fills it in. It begins with its size; no more than that is written
    element  of an array that a program gives. It never changes
    given    the library owns it, and programs read it
    view     the library owns it, and code that is inlined into programs uses it; create calls check versions
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Field:
    """A field: what C declares, and what it is."""

    declaration: str
    text: str
    given_default: str

    @property
    def name(self) -> str:
        """Give its name."""
        found = re.search(r"\(\*(\w+)\)|(\w+)(?:\[\d+\])?$", self.declaration)
        assert found
        return found[1] or found[2]

    @property
    def is_function(self) -> bool:
        """Whether it points to a function."""
        return "(*" in self.declaration

    @property
    def default(self) -> str:
        """Give what a program that says nothing has said."""
        if self.given_default:
            return self.given_default
        if "[" in self.declaration:
            return '""'
        return "NULL" if "*" in self.declaration else "0"


@dataclass
class Structure:
    """A structure of a header."""

    name: str
    kind: str
    text: str
    is_in_python: bool
    fields: list[Field]

    @property
    def is_sized(self) -> bool:
        """Whether programs allocate it, one by one."""
        return self.kind in ("input", "output")

    @property
    def initializer(self) -> str:
        """Name the macro that it begins as."""
        return f"{self.name.upper()}_INIT"


@dataclass
class Enumeration:
    """An enumeration of a header; its values are pairs of a name without the prefix, and a text."""

    name: str
    prefix: str
    text: str
    is_in_python: bool
    values: list[tuple[str, str]]


def description(header: str) -> dict[str, list[dict[str, Any]]]:
    """Read a description as it is written."""
    return tomllib.loads((ROOT / "interfaces" / f"{header}.toml").read_text())


def enumerations(header: str) -> list[Enumeration]:
    """Read a description's enumerations."""
    return [
        Enumeration(
            one["name"],
            one["prefix"],
            one["text"],
            one.get("python", True),
            [(name, text) for name, text in one["values"]],
        )
        for one in description(header).get("enumeration", [])
    ]


def structures(header: str) -> list[Structure]:
    """Read a description's structures."""
    return [
        Structure(
            one["name"],
            one["kind"],
            one["text"],
            one.get("python", True),
            [Field(*field, *[""] * (3 - len(field))) for field in one["fields"]],
        )
        for one in description(header).get("structure", [])
    ]


def headers() -> list[str]:
    """Name the headers that have a description."""
    return sorted(path.stem for path in (ROOT / "interfaces").glob("*.toml"))


def version() -> tuple[int, int]:
    """Read Thalweg's version, without what does not change interfaces."""
    found = re.search(r"project\(Thalweg VERSION (\d+)\.(\d+)\.\d+", (ROOT / "CMakeLists.txt").read_text())
    assert found
    return int(found[1]), int(found[2])


def version_number() -> int:
    """Give the version as create calls are told it."""
    major, minor = version()
    return major * 1000 + minor
