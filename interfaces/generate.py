# SPDX-License-Identifier: BSD-3-Clause
"""What is made of the descriptions in this folder: `make interfaces` writes it, and a test compares it.

Made of them are the enumerations and structures in the headers, with initializers; for the libraries a table of where
fields end (structures.hpp of a room); Python's classes, and what functions take; Fortran's types and constants; and a
page with the structures.
"""

import subprocess
import sys
import textwrap
from pathlib import Path

from described import ROOT, Enumeration, Field, Structure, enumerations, headers, structures, version_number
from in_fortran import FORTRAN, fortran_text
from in_python import ENUMERATIONS, PROTOTYPES, PYTHON, enumerations_text, prototypes_text, python_text

COLUMNS = 108
ROOMS = {
    "src/api/team": ("team",),
    "src/api/stream/mpi": ("stream_links", "stream"),
    "src/api/balancer": ("balance",),
    "src/api/placer": ("place",),
    "src/api/objects/mpi": ("objects", "objects_foreign"),
}


def formatted(text: str) -> str:
    """Have clang-format write it as `make lint` wants it."""
    tool = Path(sys.executable).with_name("clang-format")
    done = subprocess.run(
        [tool, f"--style=file:{ROOT / '.clang-format'}"], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


def comment(text: str, indent: str = "") -> str:
    """Write a text as a comment of C."""
    lines = textwrap.wrap(text, COLUMNS - len(indent) - 6)
    return f"{indent}/* " + f"\n{indent} * ".join(lines) + " */\n"


def with_texts(lines: list[str], texts: list[str], ends: list[str]) -> str:
    """Write lines with their comments: beside them where there is room, or else above."""
    width = max(
        (len(line) for line, text in zip(lines, texts, strict=True) if text and len(line) + len(text) < 90), default=0
    )
    body = ""
    for line, text, end in zip(lines, texts, ends, strict=True):
        is_beside = max(width, len(line)) + len(text) < COLUMNS - 8
        body += comment(text, "  ") if text and not is_beside else ""
        body += f"  {line}{end}" + (f" /* {text} */\n" if text and is_beside else "\n")
    return body


def enumerated(enumeration: Enumeration) -> str:
    """Write an enumeration as its header has it."""
    lines = [f"{enumeration.prefix}{name} = {number}" for number, (name, _) in enumerate(enumeration.values)]
    ends = [","] * (len(lines) - 1) + [""]
    body = with_texts(lines, [text for _, text in enumeration.values], ends)
    return f"{comment(enumeration.text)}typedef enum {enumeration.name} {{\n{body}}} {enumeration.name};\n"


def declared(structure: Structure) -> str:
    """Write a structure as its header has it."""
    of_size = [Field(f"size_t size THALWEG_DEFAULT(sizeof({structure.name}))", "", "")] if structure.is_sized else []
    defaults = structure.kind == "input"
    lines = [field.declaration for field in of_size]
    lines += [
        f"{one.declaration} THALWEG_DEFAULT({one.default})" if defaults else one.declaration for one in structure.fields
    ]
    texts = [one.text for one in (*of_size, *structure.fields)]
    body = with_texts(lines, texts, [";"] * len(lines))
    whole = f"{comment(structure.text)}typedef struct {structure.name} {{\n{body}}} {structure.name};\n"
    if structure.is_sized:
        values = ", ".join([f"sizeof({structure.name})", *(field.default for field in structure.fields)])
        whole += f"#define {structure.initializer} {{ {values} }}\n"
    return whole


def header_text(header: str) -> str:
    """Give a header with its enumerations and structures as they are described."""
    text = (ROOT / "include/thalweg" / f"{header}.h").read_text()
    written = [(one.name, enumerated(one)) for one in enumerations(header)]
    written += [(one.name, declared(one)) for one in structures(header)]
    for name, declaration in written:
        begin, end = f"/* {name}: from interfaces/{header}.toml */\n", f"/* end of {name} */\n"
        before, rest = text.split(begin)
        text = before + begin + formatted(declaration) + end + rest.split(end)[1]
    return text


def table_text(room: str) -> str:
    """Write where fields end, for what reads and writes as much as a program's version knows."""
    names = ROOMS[room]
    text = "// SPDX-License-Identifier: BSD-3-Clause\n#pragma once\n\n"
    text += "// Made from interfaces/ by `make interfaces`: how far a program's version may know a structure.\n\n"
    text += '#include "boundary/sized.hpp"\n'
    text += "".join(f'#include "thalweg/{name}.h"\n' for name in names)
    text += "\n#include <cstddef>\n\nnamespace thalweg::boundary {\n"
    for one in (one for name in names for one in structures(name) if one.is_sized):
        ends = ", ".join(
            f"end_of(&{one.name}::{field.name}, offsetof({one.name}, {field.name}))" for field in one.fields
        )
        text += f"\ntemplate <>\nstruct Known<{one.name}> {{\n"
        text += f'static constexpr const char* name = "{one.name}";\n'
        text += f'static constexpr const char* initializer = "{one.initializer}";\n'
        text += f"static constexpr std::size_t ends[] = {{{ends}}};\n}};\n"
    return formatted(text + "\n} // namespace thalweg::boundary\n")


def version_text() -> str:
    """Write the header that says its version."""
    return f"""/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the headers. Made from CMakeLists.txt by `make interfaces`.
 *
 * Calls that make something tell the library this number, as headers of another version may use memory of the
 * library otherwise than this library does. The library refuses them: thalweg_error_unsupported. */
#ifndef THALWEG_VERSION_H
#define THALWEG_VERSION_H

#define THALWEG_HEADER_VERSION {version_number()} /* 1000 * major + minor */

#endif
"""


def page_text() -> str:
    """Write the page on structures that programs see; what views and lists of functions are is in the headers."""
    text = """# Structures of the C interfaces

`make interfaces` makes this page from `interfaces/`. [c_interfaces.md](decisions/c_interfaces.md) says why structures
have sizes. In C a structure that a program gives begins as its initializer, with these defaults, and in C++ it begins
so by itself.
"""
    for header in headers():
        for one in (one for one in structures(header) if one.kind != "view" and not one.fields[-1].is_function):
            shown = [("size_t size", f"sizeof({one.name})", "")] if one.is_sized else []
            shown += [
                (field.declaration, field.default if one.kind == "input" else "", field.text) for field in one.fields
            ]
            begins = f" Begins as `{one.initializer}`." if one.is_sized else ""
            text += f"\n## {one.name}\n\n" + "\n".join(
                textwrap.wrap(f"{one.text}{begins} In `thalweg/{header}.h`.", 118)
            )
            text += "\n\n| field | default | |\n| --- | --- | --- |\n"
            rows = [(f"`{what}`", f"`{default}`" if default else "", meaning) for what, default, meaning in shown]
            text += "".join(f"| {' | '.join(row)} |\n".replace("|  |", "| |") for row in rows)
    return text


def made() -> dict[str, str]:
    """Give all files that are made, by their paths."""
    files = {f"include/thalweg/{header}.h": header_text(header) for header in headers()}
    files |= {f"{room}/structures.hpp": table_text(room) for room in ROOMS}
    files["docs/structures.md"] = page_text()
    files |= {ENUMERATIONS: enumerations_text(), PYTHON: python_text(), PROTOTYPES: prototypes_text()}
    files |= {FORTRAN: fortran_text()}
    return {**files, "include/thalweg/version.h": version_text()}


if __name__ == "__main__":
    for path, text in made().items():
        (ROOT / path).write_text(text)
