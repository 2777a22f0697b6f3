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
    """Ask the dynamic linker which libraries the program would load: soname to path.

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
    libraries = {}
    for name, path in re.findall(r"^\s*(\S+) => (\S+)", listing.text, re.MULTILINE):
        libraries[os.path.basename(name)] = path
    for path in re.findall(r"^\s*(/\S+) \(0x", listing.text, re.MULTILINE):
        libraries[os.path.basename(path)] = path
    return libraries


def defines_mpi(path: str) -> bool:
    """Look into the symbol tables for an MPI library that was linked statically; slow, for explaining a refusal."""
    from elftools.common.exceptions import ELFError  # noqa: PLC0415 - 50 ms that only a refusal pays
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415
    from elftools.elf.sections import SymbolTableSection  # noqa: PLC0415

    try:
        with open(path, "rb") as file:
            for section in ELFFile(file).iter_sections():
                if isinstance(section, SymbolTableSection):
                    for symbol in section.get_symbol_by_name("MPI_Init") or ():
                        if symbol["st_shndx"] != "SHN_UNDEF":
                            return True
    except (ELFError, OSError):
        return False
    return False
