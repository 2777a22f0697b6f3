# SPDX-License-Identifier: BSD-3-Clause
"""Makes a library for the linker alone, with the MPI functions and objects that compiled files want.

A program that is linked with it asks for an MPI library of that name when it starts, and no MPI has to be here.
"""

import argparse
import re
import subprocess
from pathlib import Path


def main() -> None:
    """Compile the library."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True, help="a C compiler")
    parser.add_argument("--output", type=Path, required=True, help="the library; its name is what programs ask for")
    parser.add_argument("objects", nargs="+", help="what is to be linked with it")
    words = parser.parse_args()
    shown = subprocess.run(["nm", "--undefined-only", *words.objects], capture_output=True, text=True, check=True)
    symbols = sorted(set(re.findall(r" U ((?:MPI|ompi)_\w+)$", shown.stdout, re.MULTILINE)))
    lines = ['.section .note.GNU-stack,"",%progbits', ".data"]
    for symbol in symbols:
        kind = "function" if symbol.startswith("MPI_") else "object"
        lines += [f".globl {symbol}", f".type {symbol}, %{kind}", f".size {symbol}, 8", f"{symbol}: .zero 8"]
    name = words.output.name
    subprocess.run(
        [words.compiler, "-shared", "-nostdlib", f"-Wl,-soname,{name}", "-o", words.output, "-x", "assembler", "-"],
        input="\n".join(lines) + "\n",
        text=True,
        check=True,
    )


if __name__ == "__main__":
    main()
