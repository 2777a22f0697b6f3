"""What Python knows of the C interfaces of streams and balancers is what the headers say."""

import ctypes
import subprocess
from pathlib import Path

from mpis import ROOT

from thalweg.balancing.library import BalanceOptions, BalancerOptions, Moved, Tasks
from thalweg.linked_library import LastError
from thalweg.stream_library import Handler, Options, Statistics, View

STRUCTURES = {
    "thalweg_stream_options": Options,
    "thalweg_stream_statistics": Statistics,
    "thalweg_stream_handler": Handler,
    "thalweg_stream_view": View,
    "thalweg_error": LastError,
    "thalweg_balancer_options": BalancerOptions,
    "thalweg_balance_options": BalanceOptions,
    "thalweg_tasks": Tasks,
    "thalweg_moved": Moved,
}
PARTS = ("thalweg_stream_view",)  # of which Python has the first fields only


def layouts() -> dict[str, int]:
    """Where fields are for Python, and how large they and structures."""
    found = {}
    for name, structure in STRUCTURES.items():
        if name not in PARTS:
            found[f"sizeof({name})"] = ctypes.sizeof(structure)
        for field, _ in structure._fields_:
            found[f"offsetof({name}, {field})"] = getattr(structure, field).offset
            found[f"sizeof((({name}*)0)->{field})"] = getattr(structure, field).size
    return found


def test_structures_are_those_of_the_headers(tmp_path: Path) -> None:
    expressions = list(layouts())
    prints = "\n".join(f'printf("%zu\\n", {expression});' for expression in expressions)
    source = tmp_path / "layouts.c"
    source.write_text(
        '#include "thalweg/balance.h"\n#include "thalweg/stream.h"\n'
        f"#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n{prints}\n}}\n"
    )
    program = tmp_path / "layouts"
    subprocess.run(["mpicc.openmpi", f"-I{ROOT / 'include'}", source, "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert dict(zip(expressions, map(int, printed.split()), strict=True)) == layouts()
