# SPDX-License-Identifier: BSD-3-Clause
"""Enumerations, structures and functions of the C interfaces for ctypes."""

import keyword
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from described import ROOT, Enumeration, Structure, enumerations, headers, structures, version_number

PYTHON = "python/thalweg/structures.py"
ENUMERATIONS = "python/thalweg/enumerations.py"
PROTOTYPES = "python/thalweg/prototypes.py"
CALLED = ("status", "request", "team", "stream", "balance", "place", "objects", "objects_foreign")
TYPES = {
    "size_t": "c_size_t",
    "int": "c_int",
    "unsigned": "c_uint",
    "double": "c_double",
    "int64_t": "c_int64",
    "ptrdiff_t": "c_ssize_t",
    "uint64_t": "c_uint64",
    "uint32_t": "c_uint32",
    "uint16_t": "c_uint16",
    "const char*": "c_char_p",
}
HANDLES = ("MPI_Datatype", "MPI_Op")


def has_handles(structure: Structure) -> bool:
    """Whether a structure has handles of MPI, whose size depends on the library."""
    return any(field.declaration.startswith(HANDLES) for field in structure.fields)


def python_type(declaration: str) -> str:
    """Give what ctypes calls a C type; what is pointed to is memory, but for texts and for lists of int."""
    if declaration == "const int*":
        return "ctypes.POINTER(ctypes.c_int)"
    if declaration in HANDLES:
        return "handle"
    if declaration in {one.name for header in headers() for one in enumerations(header)}:
        return "ctypes.c_int"
    return f"ctypes.{TYPES[declaration]}" if declaration in TYPES else "ctypes.c_void_p"


def python_function(declaration: str) -> str:
    """Give the ctypes type of a pointer to a function."""
    found = re.fullmatch(r"(.+?) ?\(\*\w+\)\((.*)\)", declaration)
    assert found
    types = [re.fullmatch(r"(.+?) ?(\w+)", argument.strip()) for argument in found[2].split(",")]
    given = ["ctypes.c_void_p" if "*" in one[1] else python_type(one[1]) for one in types if one]
    answer = "None" if found[1] == "void" else "ctypes.c_void_p" if "*" in found[1] else python_type(found[1])
    return f"ctypes.CFUNCTYPE({', '.join([answer, *given])})"


def class_of(name: str) -> str:
    """Name a structure in Python."""
    return "".join(word.capitalize() for word in name.removeprefix("thalweg_").split("_"))


def python_enumeration(enumeration: Enumeration) -> str:
    """Write an enumeration as a class."""
    rows = "".join(f"    {name.upper()} = {number}\n" for number, (name, _) in enumerate(enumeration.values))
    return f'\n\nclass {class_of(enumeration.name)}(IntEnum):\n    """{enumeration.name}."""\n\n{rows}'


def python_class(structure: Structure) -> str:
    """Write a structure as a class, after the types of the functions in it."""
    functions, rows = "", ""
    for field in structure.fields:
        if field.is_function:
            kind = class_of(structure.name) + "".join(word.capitalize() for word in field.name.split("_"))
            functions += f"{kind} = {python_function(field.declaration)}\n"
        elif array := re.fullmatch(r"char \w+\[(\d+)\]", field.declaration):
            kind = f"ctypes.c_char * {array[1]}"
        else:
            found = re.fullmatch(r"(.+?) ?(\w+)", field.declaration)
            assert found
            kind = python_type(found[1])
        name = f"{field.name}_" if keyword.iskeyword(field.name) else field.name
        rows += f'        ("{name}", {kind}),\n'
    size = '        ("size", ctypes.c_size_t),\n' if structure.is_sized else ""
    base = "SizedStructure" if structure.is_sized else "ctypes.Structure"
    text = f'class {class_of(structure.name)}({base}):\n    """{structure.name}."""\n\n'
    text += f"    _fields_ = (\n{size}{rows}    )\n\n"
    if has_handles(structure):
        name = structure.name.removeprefix("thalweg_")
        head = f"def {name}_of(handle: type[Any]) -> type[SizedStructure]:\n"
        head += f'    """{structure.name}; of handles of MPI."""\n\n'
        text = f"{head}{textwrap.indent(text, '    ')}    return {class_of(structure.name)}\n\n"
    return f"{functions}\n\n{text}\n"


def enumerations_text() -> str:
    """Write enumerations as Python's classes."""
    text = '''# SPDX-License-Identifier: BSD-3-Clause
"""Enumerations of the C interfaces. Made from interfaces/ by `make interfaces`."""

from enum import IntEnum
'''
    text += "".join(python_enumeration(one) for header in headers() for one in enumerations(header) if one.is_in_python)
    return formatted(text, ENUMERATIONS)


def python_text() -> str:
    """Write structures as Python's classes."""
    text = '''# SPDX-License-Identifier: BSD-3-Clause
"""Structures of the C interfaces. Made from interfaces/ by `make interfaces`."""

import ctypes
from typing import Any

HEADER_VERSION = VERSION_NUMBER


class SizedStructure(ctypes.Structure):
    """One that begins with its size, which is not among what it is made from."""

    def __init__(self, *values: Any, **named: Any) -> None:
        """Take the fields behind the size."""
        super().__init__(ctypes.sizeof(self), *values, **named)


'''.replace("VERSION_NUMBER", str(version_number()))
    text += "".join(python_class(one) for header in headers() for one in structures(header) if one.is_in_python)
    return formatted(text, PYTHON)


def formatted(text: str, path: str) -> str:
    """Have ruff write it as the other files are."""
    tool = Path(sys.executable).with_name("ruff")
    command = [tool, "format", "--config", ROOT / "pyproject.toml", "--stdin-filename", path, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def argument_type(declaration: str, classes: set[str]) -> str:
    """Give what ctypes calls an argument; memory that the library reads is an address."""
    if "(*" in declaration or declaration.endswith("]"):
        return "ctypes.c_void_p"
    found = re.fullmatch(r"((?:const )?\w+ ?\**) ?\w+", declaration)
    assert found, declaration
    return type_of(found[1].replace(" *", "*").strip(), classes)


def type_of(declaration: str, classes: set[str]) -> str:
    """Give what ctypes calls the type of an argument, or of what is given back."""
    pointed_to = declaration.removeprefix("const ").removesuffix("*")
    kind = "ctypes.c_void_p"
    if declaration == "void":
        kind = "None"
    elif declaration == "MPI_Comm":
        kind = "communicator"
    elif not declaration.endswith("*") or declaration == "const char*":
        kind = python_type(declaration)
    elif pointed_to.endswith("*"):
        kind = "ctypes.POINTER(ctypes.c_void_p)"
    elif pointed_to in classes:
        kind = f"ctypes.POINTER(structures.{class_of(pointed_to)})"
    elif pointed_to == "MPI_Comm":
        kind = "ctypes.POINTER(communicator)"
    elif pointed_to in TYPES and not declaration.startswith("const "):
        kind = f"ctypes.POINTER({python_type(pointed_to)})"
    return kind


def prototypes(header: str, classes: set[str]) -> str:
    """Write what the functions of a header give back and take."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "include" / "thalweg" / f"{header}.h").read_text(), flags=re.DOTALL)
    rows = ""
    for declaration in re.findall(r"^THALWEG_API ([^;]+);", text, re.MULTILINE):
        found = re.fullmatch(r"(.+?) ?(thalweg_\w+)\((.*)\)", " ".join(declaration.split()))
        assert found, declaration
        arguments = re.split(r", (?![^()]*\))", found[3]) if found[3] != "void" else []
        taken = [argument_type(one, classes) for one in arguments]
        listed = f"({taken[0]},)" if len(taken) == 1 else f"({', '.join(taken)})"
        rows += f'        "{found[2]}": ({type_of(found[1], classes)}, {listed}),\n'
    unused = "" if "communicator" in rows else "_"
    head = (
        f'def of_{header}({unused}communicator: Communicator) -> Prototypes:\n    """include/thalweg/{header}.h."""\n'
    )
    return f"{head}    return {{\n{rows}    }}\n\n\n"


def prototypes_text() -> str:
    """Write what functions take, as Python calls them."""
    classes = {
        one.name for header in headers() for one in structures(header) if one.is_in_python and not has_handles(one)
    }
    text = '''# SPDX-License-Identifier: BSD-3-Clause
"""What functions of the C interfaces give back, and take. Made from the headers by `make interfaces`."""

import ctypes
from typing import Any

from thalweg import structures

Communicator = type[ctypes.c_int | ctypes.c_void_p]  # what MPI_Comm is
Prototypes = dict[str, tuple[Any, tuple[Any, ...]]]


'''
    bodies = "".join(prototypes(header, classes) for header in CALLED)
    names = sorted(set(re.findall(r"ctypes\.(\w+)", bodies)), key=lambda name: (name.islower(), name))
    text = text.replace("import ctypes\n", f"from ctypes import {', '.join(names)}\n").replace("ctypes.c_", "c_")
    return formatted(text + bodies.replace("ctypes.", ""), PROTOTYPES)
