# SPDX-License-Identifier: BSD-3-Clause
"""Simulations give the same bits without and with all optimization, and with a processor's own instructions."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("core/base", "core/topology", "core/machine", "core/model", "sim/simulate/packet", "sim/simulate")
LEFT_OUT = re.compile(
    r"simulate/(re(play|mote)|schedules|streams|exchange|rounds|goal)|machine/(?!machine\.|node_list)"
)
"""What needs rooms or libraries that a simulation by itself does not."""
MODEL = ("flow_network", "flow_rates")
EXACT = re.compile(r"flow_(network|rates)|message_costs")
"""CMakeLists.txt lets no multiplication become one with an addition in these."""
PROGRAM = """#include "same_bits.hpp"
int main() { return thalweg::simulate::bits_of_all() == thalweg::simulate::known_bits ? 0 : 1; }
"""


def sources() -> list[Path]:
    """Give the sources of a simulation."""
    files = [file for room in ROOMS for file in sorted((ROOT / "src" / room).glob("*.cpp"))]
    return [
        file
        for file in files
        if not LEFT_OUT.search(file.as_posix()) and (file.parent.name != "model" or file.stem in MODEL)
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", ["-O0", "-O3 -march=native"])
def test_bits_are_the_same(options: str, tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    assert compiler
    (tmp_path / "main.cpp").write_text(PROGRAM)
    words = [compiler, "-std=c++20", "-DNDEBUG", "-DFMT_HEADER_ONLY", *options.split()]
    words += [f"-I{ROOT / folder}" for folder in ("src/core", "src/sim", "include", "tests/sim/simulate")]
    exact = [file for file in sources() if EXACT.search(file.stem)]
    together = {room: tmp_path / f"{room.replace('/', '_')}.cpp" for room in ROOMS}
    for room, file in together.items():
        folder = ROOT / "src" / room
        file.write_text(
            "".join(f'#include "{one}"\n' for one in sources() if one.parent == folder and one not in exact)
        )
    objects = []
    for file in [tmp_path / "main.cpp", *together.values(), *exact]:
        objects.append(str(tmp_path / f"{file.stem}.o"))
        more = ["-ffp-contract=off"] if file in exact else []
        subprocess.run([*words, *more, "-c", str(file), "-o", objects[-1]], check=True, timeout=600)
    program = str(tmp_path / "main")
    subprocess.run([*words, *objects, "-o", program], check=True, timeout=600)
    subprocess.run([program], check=True, timeout=600)
