# SPDX-License-Identifier: BSD-3-Clause
"""Declarations of MPI functions, as the tables of functions.py write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

HANDLES = {
    f"MPI_{kind}"
    for kind in (
        "Comm",
        "Datatype",
        "Errhandler",
        "File",
        "Group",
        "Info",
        "Message",
        "Op",
        "Request",
        "Session",
        "Win",
    )
}


@dataclass(frozen=True)
class Parameter:
    """One of a function: as it is declared, its name, and whether it is an array."""

    declaration: str
    name: str
    array: bool

    def register(self) -> str:
        """Declare it so that a handle keeps the bits of another family's."""
        kind, _, name = self.declaration.rpartition(" ")
        return f"Handle<{kind}> {name}" if kind in HANDLES and not self.array else self.declaration


@dataclass(frozen=True)
class Prototype:
    """A function's name without MPI_, and its parameters in their order."""

    name: str
    parameters: tuple[Parameter, ...]

    def declared(self) -> str:
        """Give the parameters as <mpi.h> has them."""
        return ", ".join(parameter.declaration for parameter in self.parameters) or "void"

    def registers(self) -> str:
        """Give the same, with handles that keep the bits of another family's."""
        return ", ".join(parameter.register() for parameter in self.parameters) or "void"

    def passed(self) -> str:
        """Give the arguments of a call that passes all of them on."""
        return ", ".join(parameter.name for parameter in self.parameters)

    def with_site(self) -> str:
        """Give the parameters behind the call's site."""
        return ", ".join(["const CallSite& site", *(parameter.declaration for parameter in self.parameters)])


def prototype(name: str, text: str, *, large: bool, extra: str = "") -> Prototype:
    """Read a table's declaration: N and D are MPI_Count and MPI_Aint where counts are large, else int."""
    text = re.sub(r"\bN\b", "MPI_Count" if large else "int", text)
    text = re.sub(r"\bD\b", "MPI_Aint" if large else "int", text)
    parameters = []
    for declaration in filter(None, (part.strip() for part in (text + extra).split(","))):
        if declaration != "void":
            word = re.search(r"(\w+)(\[\])?$", declaration)
            assert word, declaration
            parameters.append(Parameter(declaration, word[1], bool(word[2])))
    return Prototype(name + ("_c" if large else ""), tuple(parameters))
