# SPDX-License-Identifier: BSD-3-Clause
"""Writes the sources of libraries to link with, so that what is linked runs with an older C library than that here.

A C library keeps old versions of its functions, and programs are linked with the newest. These stubs have each symbol
in the newest version that the older C library has too. A symbol that is newer itself does not link, unless missing.c
defines it.
"""

import argparse
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

# As objdump -T writes it: address, kind, section, size, version (in brackets: an old one), name.
_LINE = re.compile(r"^([0-9a-f]+) (.{7}) (\S+)\s+([0-9a-f]+) +\(?([A-Z]+_[\d.]+)\)? +(?:0x[0-9a-f]+ +)?(\S+)$")
# Until version 2.34 these were libraries of their own.
_APART = {
    "libdl.so.2": re.compile(r"dl(open|sym|close|error|addr1?|vsym|info|mopen)$"),
    "librt.so.1": re.compile(r"(aio_|lio_|mq_|shm_|timer_)"),
    "libpthread.so.0": re.compile(r"(_*pthread_|sem_|thrd_|mtx_|cnd_|tss_|call_once$)"),
}
_START = "__libc_start_main"
"""Programs get that of start.c, which calls the library's by its version."""


class Symbol(NamedTuple):
    """A version of a symbol; its size counts where it is an object, of which programs may hold a copy."""

    name: str
    version: str
    is_function: bool
    address: int
    size: int


def number(version: str) -> tuple[int, ...]:
    """Give the number of a version: (2, 28) of GLIBC_2.28."""
    return tuple(int(part) for part in version.rpartition("_")[2].split("."))


def read_symbols(library: str) -> list[Symbol]:
    """List all versions of the symbols that a library has for programs."""
    shown = subprocess.run(["objdump", "-T", library], capture_output=True, text=True, check=True)
    found = []
    for line in shown.stdout.splitlines():
        match = _LINE.match(line)
        if match and match[3] not in ("*UND*", "*ABS*", ".tbss", ".tdata"):
            is_function = "F" in match[2] or "i" in match[2]
            found.append(Symbol(match[6], match[5], is_function, int(match[1], 16), int(match[4], 16)))
    return found


def by_library(libraries: list[str], oldest: tuple[int, ...]) -> dict[str, list[Symbol]]:
    """Say which symbols each library had: a function that moved has a new version since."""
    found: dict[str, list[Symbol]] = {}
    for library in libraries:
        symbols = read_symbols(library)
        moved = {symbol.name for symbol in symbols if number(symbol.version) > oldest}
        for symbol in symbols:
            if number(symbol.version) <= oldest:
                apart = (name for name, pattern in _APART.items() if pattern.match(symbol.name))
                home = next(apart, "") if symbol.name in moved else ""
                found.setdefault(home or Path(library).name, []).append(symbol)
    return found


def assembly(symbols: list[Symbol]) -> str:
    """Define the symbols, each in all its versions, the newest for who names none."""
    newest: dict[str, str] = {}
    for symbol in symbols:
        newest[symbol.name] = max(newest.get(symbol.name, symbol.version), symbol.version, key=number)
    lines = ['.section .note.GNU-stack,"",%progbits']
    for address in sorted({symbol.address for symbol in symbols if not symbol.is_function}):
        here = [symbol for symbol in symbols if not symbol.is_function and symbol.address == address]
        lines += [".data", ".balign 32"]
        for symbol in here:
            lines += _labels(symbol, newest, "object")
        lines.append(f".zero {max(1, *(symbol.size for symbol in here))}")
    lines.append(".text")
    for symbol in symbols:
        if symbol.is_function:
            lines += [*_labels(symbol, newest, "function"), ".byte 0"]
    return "\n".join(lines) + "\n"


def _labels(symbol: Symbol, newest: dict[str, str], kind: str) -> list[str]:
    label = f"{symbol.name}.{symbol.version}"
    is_default = newest[symbol.name] == symbol.version and symbol.name != _START
    return [
        f".globl {label}",
        f".type {label}, %{kind}",
        f".size {label}, {symbol.size or 1}",
        f".symver {label}, {symbol.name}{'@@' if is_default else '@'}{symbol.version}, remove",
        f"{label}:",
    ]


def script(symbols: list[Symbol]) -> str:
    """Write the linker's list of versions."""
    versions = sorted({symbol.version for symbol in symbols}, key=lambda version: (version[:1], number(version)))
    return "".join(f"{version} {{}};\n" for version in versions)


def main() -> None:
    """Write a source and a list of versions for each library, and print the libraries' names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="the folder to write to")
    parser.add_argument("--oldest", required=True, help="the number of the oldest C library, as 2.28")
    parser.add_argument("libraries", nargs="+", help="libc.so.6 and its companions")
    words = parser.parse_args()
    words.output.mkdir(parents=True, exist_ok=True)
    found = by_library(words.libraries, number(words.oldest))
    for library, symbols in found.items():
        (words.output / f"{library}.s").write_text(assembly(symbols))
        (words.output / f"{library}.map").write_text(script(symbols))
    print(";".join(found))


if __name__ == "__main__":
    main()
