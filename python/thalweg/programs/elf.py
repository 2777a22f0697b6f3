# SPDX-License-Identifier: BSD-3-Clause
"""Executables as the system sees them: header, interpreter, and the libraries that would really be loaded.

Reading the few header bytes here and asking the program's own dynamic linker for the rest takes 3 ms; a general ELF
library takes 50 ms to import alone, which every run would wait for. The tests compare the two.
"""

import os
import re
import struct
from collections.abc import Mapping
from typing import NamedTuple

from thalweg.errors import PROGRAM
from thalweg.programs.families import UnknownMpiError
from thalweg.programs.processes import output_of

_PT_INTERP = 3
_SHT_DYNSYM = 11
_DF_1_PIE = 0x08000000
_SYMBOL_SIZE = 24
_FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC


class Elf(NamedTuple):
    """An ELF file; without an interpreter it is statically linked (or a shared library)."""

    path: str
    interpreter: str


class _Layout(NamedTuple):
    """Where a class of ELF file (32 or 64 bits) keeps its table of segments."""

    table: str
    entry: str
    kind: int
    offset: int
    size: int


# Fields picked from Elf32_Ehdr and Elf64_Ehdr (e_phoff; e_phentsize, e_phnum) and from their program headers.
_LAYOUTS = {
    1: _Layout("28xI10xHH", "IIIIIIII", 0, 1, 4),
    2: _Layout("32xQ14xHH", "IIQQQQQQ", 0, 2, 5),
}


def read_elf(path: str) -> Elf | None:
    """Read a file's ELF header; None if it is something else or damaged."""
    with open(path, "rb") as file:
        start = file.read(64)
        if len(start) < 64 or start[:4] != b"\x7fELF" or start[4] not in _LAYOUTS or start[5] not in (1, 2):
            return None
        order = "<" if start[5] == 1 else ">"
        layout = _LAYOUTS[start[4]]
        try:
            offset, entry_size, count = struct.unpack_from(order + layout.table, start)
            file.seek(offset)
            table = file.read(entry_size * count)
            for index in range(count):
                entry = struct.unpack_from(order + layout.entry, table, index * entry_size)
                if entry[layout.kind] == _PT_INTERP:
                    file.seek(entry[layout.offset])
                    return Elf(path, file.read(entry[layout.size]).rstrip(b"\0").decode())
        except (struct.error, UnicodeDecodeError, OverflowError):
            return None
    return Elf(path, "")


def loaded_libraries(elf: Elf, environment: Mapping[str, str], interpreter: str = "") -> dict[str, str]:
    """Ask the dynamic linker which libraries the program would load: soname to path, in the order of their search.

    The linker only lists; nothing of the program runs. A shared library has no interpreter of its own: name one.
    Fails if the linker does not find one of them, as the program itself would.
    """
    linker = interpreter or elf.interpreter
    try:
        listing = output_of([linker, "--list", elf.path], environment)
    except OSError as error:
        message = f"{elf.path}: its dynamic linker {linker} cannot list its libraries: {error}"
        raise UnknownMpiError(PROGRAM, message, "is the program made for this machine?") from error
    if missing := re.search(r"(\S+): cannot open shared object file", listing.errors):
        message = f"{elf.path} needs {missing[1]}, which the dynamic linker does not find"
        raise UnknownMpiError(PROGRAM, message, "install it, or name its folder in LD_LIBRARY_PATH")
    found = re.findall(r"^\s*(?:(\S+) => )?(\S*/\S+) \(0x", listing.text, re.MULTILINE)
    return {os.path.basename(name or path): os.path.abspath(path) for name, path in found}


def defined_functions(path: str, start: str) -> set[str]:
    """Name the functions that a library defines for others, of those whose names begin so; none if it is damaged."""
    try:
        with open(path, "rb") as file:
            return _functions_in(file.read(), start.encode())
    except (OSError, struct.error, IndexError):
        return set()


def _functions_in(data: bytes, start: bytes) -> set[str]:
    """Read the table of dynamic symbols (Elf64_Ehdr, Elf64_Shdr, Elf64_Sym)."""
    if data[:5] != b"\x7fELF\x02":
        return set()
    order = "<" if data[5] == 1 else ">"
    table, entry_size, count = struct.unpack_from(order + "40xQ10xHH", data)
    sections = [struct.unpack_from(order + "4xI16xQQI", data, table + index * entry_size) for index in range(count)]
    functions = set()
    for kind, offset, size, link in sections:
        if kind != _SHT_DYNSYM:
            continue
        _, text_offset, text_size, _ = sections[link]
        text = data[text_offset : text_offset + text_size]
        # A name may be the end of another one, so the symbols' places in the text decide.
        names = {match.start(): match[1].decode() for match in re.finditer(rb"(?=(%b\w+))" % re.escape(start), text)}
        symbols = data[offset : offset + size - size % _SYMBOL_SIZE]
        for name, info, section in struct.iter_unpack(order + "IBxH16x", symbols):
            if section and info & 0xF in _FUNCTIONS and name in names:
                functions.add(names[name])
    return functions


def defines_mpi(path: str) -> bool:
    """Look into a program's symbol tables for an MPI library that was linked statically; no shared library has one.

    Slow, for explaining a refusal.
    """
    from elftools.common.exceptions import ELFError  # noqa: PLC0415 - 50 ms that only a refusal pays
    from elftools.elf.dynamic import DynamicSegment  # noqa: PLC0415
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415
    from elftools.elf.sections import SymbolTableSection  # noqa: PLC0415

    try:
        with open(path, "rb") as file:
            elf = ELFFile(file)
            flags = [
                tag["d_val"]
                for segment in elf.iter_segments()
                if isinstance(segment, DynamicSegment)
                for tag in segment.iter_tags("DT_FLAGS_1")
            ]
            if elf["e_type"] == "ET_DYN" and not any(value & _DF_1_PIE for value in flags):
                return False
            for section in elf.iter_sections():
                if isinstance(section, SymbolTableSection):
                    for symbol in section.get_symbol_by_name("MPI_Init") or ():
                        if symbol["st_shndx"] != "SHN_UNDEF":
                            return True
    except (ELFError, OSError):
        return False
    return False
