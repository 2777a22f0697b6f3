# SPDX-License-Identifier: BSD-3-Clause
"""Enumerations and structures of the C interfaces as Fortran knows them."""

import re
import textwrap

from described import Enumeration, Structure, enumerations, headers, structures

FORTRAN = "src/api/fortran/thalweg_structures.f90"
STRUCTURES = ("thalweg_error", "thalweg_team_transfer", "thalweg_team_atomic", "thalweg_received")
STRUCTURES_OF_STREAMS = ("thalweg_stream_options", "thalweg_stream_handler", "thalweg_stream_statistics")
TYPES = {
    "size_t": "integer(c_size_t)",
    "ptrdiff_t": "integer(c_intptr_t)",
    "int": "integer(c_int)",
    "unsigned": "integer(c_int)",
    "uint64_t": "integer(c_int64_t)",
}
COLUMNS = 118


def constants(enumeration: Enumeration) -> str:
    """Write an enumeration as constants."""
    text = "".join(textwrap.fill(enumeration.text, COLUMNS, initial_indent="  ! ", subsequent_indent="  ! ")) + "\n"
    for number, (name, _) in enumerate(enumeration.values):
        text += f"  integer(c_int), parameter, public :: {enumeration.prefix}{name} = {number}\n"
    return text


def field(declaration: str, default: str, enumerated: set[str]) -> str:
    """Write a field of a structure."""
    if "(*" in declaration:
        name = re.search(r"\(\*(\w+)\)", declaration)
        assert name
        return f"    type(c_funptr) :: {name[1]} = c_null_funptr\n"
    found = re.fullmatch(r"(.+?) ?(\w+)", declaration)
    assert found, declaration
    if "*" in found[1]:
        return f"    type(c_ptr) :: {found[2]} = c_null_ptr\n"
    kind = "integer(c_int)" if found[1] in enumerated else TYPES[found[1]]
    suffix = {"integer(c_size_t)": "_c_size_t", "integer(c_int64_t)": "_c_int64_t"}.get(kind, "")
    return f"    {kind} :: {found[2]} = {default}{suffix if default.isdigit() else ''}\n"


def structure_type(structure: Structure, enumerated: set[str]) -> str:
    """Write a structure as a type that C knows."""
    text = textwrap.fill(structure.text, COLUMNS, initial_indent="  ! ", subsequent_indent="  ! ")
    text += f"\n  type, bind(C), public :: {structure.name}\n"
    text += "    integer(c_size_t) :: size = 0 ! c_sizeof() of it, before a call\n" if structure.is_sized else ""
    text += "".join(field(one.declaration, one.default, enumerated) for one in structure.fields)
    return text + f"  end type {structure.name}\n"


def fortran_text() -> str:
    """Write Fortran's module of constants and types."""
    wanted = {*STRUCTURES, *STRUCTURES_OF_STREAMS}
    described = ("status", "team", "stream", "stream_links")
    enumerated = {one.name for header in headers() for one in enumerations(header)}
    text = "! SPDX-License-Identifier: BSD-3-Clause\n"
    text += "! Constants and structures of the C interfaces. Made from interfaces/ by `make interfaces`.\n"
    text += "module thalweg_structures\n  use, intrinsic :: iso_c_binding\n  implicit none\n  private\n"
    for header in described:
        text += "".join("\n" + constants(one) for one in enumerations(header))
    for header in described:
        text += "".join("\n" + structure_type(one, enumerated) for one in structures(header) if one.name in wanted)
    return text + "end module thalweg_structures\n"
