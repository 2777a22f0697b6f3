# SPDX-License-Identifier: BSD-3-Clause
"""Write the entry points of the library that gives programs another communicator for MPI_COMM_WORLD.

    generate_world.py --output DIR [--large-count]

makes world_entries.cpp and world_exports.map for one family of MPI libraries.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "abi"))

import functions as table
import generate as interposer
import world_functions as world
from prototypes import Prototype, prototype


def with_large(entries: dict[str, str], large: frozenset[str], *, large_count: bool) -> list[Prototype]:
    """Both forms of functions, where there are two."""
    found = [prototype(name, text, large=False) for name, text in entries.items()]
    if large_count:
        found += [prototype(name, text, large=True) for name, text in entries.items() if name in large]
    return found


def all_functions(*, large_count: bool) -> list[Prototype]:
    """Every function that takes a communicator, once."""
    known = [call.prototype for call in interposer.collectives(large_count=large_count)]
    for entries in (
        *(table.ISSUED, table.COUNTED, table.RECEIVES, table.PARTITIONED_RECEIVES, table.PERSISTENT_SENDS),
        *(table.PARTITIONED_SENDS, table.HANDLED),
    ):
        known += interposer.plain(entries, large_count=large_count)
    known += [prototype(name, text, large=False) for name, (text, _) in table.CONSTRUCTORS.items()]
    known += with_large(world.ALSO, world.LARGE_COUNT, large_count=large_count)
    known += [function for function in interposer.used() if not function.name.endswith("_c")]
    special = {**world.ATTRIBUTES, **world.ERROR_HANDLERS}
    by_name: dict[str, Prototype] = {}
    for function in known:
        if function.name not in world.NAMED_ITSELF and function.name not in special and communicators(function):
            by_name.setdefault(function.name, function)
    return list(by_name.values())


def communicators(function: Prototype) -> list[str]:
    """The arguments that are communicators' handles."""
    return [one.name for one in function.parameters if one.declaration == f"MPI_Comm {one.name}"]


def entry(function: Prototype, body: str) -> str:
    """Define MPI_ and PMPI_ names; under a name of its own, for <mpi.h> declares them with plain handles."""
    name = function.name
    return f"""
THALWEG_WORLD_ENTRY int world_{name}({function.registers()}) asm("MPI_{name}");
int world_{name}({function.registers()}) {{
  static constinit Next next{{"PMPI_{name}"}};
  const auto call = next.as<int ({function.registers()})>();
{body}}}
THALWEG_WORLD_ENTRY int profiling_world_{name}({function.registers()}) asm("PMPI_{name}")
    __attribute__((alias("MPI_{name}")));
"""


def passed(function: Prototype) -> str:
    """The arguments, with what stands for MPI_COMM_WORLD in its place."""
    own = communicators(function)
    return ", ".join(f"in_world({one.name})" if one.name in own else one.name for one in function.parameters)


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--large-count", action="store_true")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    plain = all_functions(large_count=options.large_count)
    attributes = with_large(world.ATTRIBUTES, frozenset(), large_count=False)
    handlers = with_large(world.ERROR_HANDLERS, frozenset(), large_count=False)
    entries = [entry(function, f"  return call({passed(function)});\n") for function in plain]
    entries += [
        entry(function, "  return call(is_of_library(keyval) ? comm : in_world(comm), keyval, value, flag);\n")
        for function in attributes
    ]
    entries += [
        entry(
            function,
            "  const int code = call(comm, errhandler);\n"
            "  return code == MPI_SUCCESS && is_swapped(comm) ? call(in_world(comm), errhandler) : code;\n",
        )
        for function in handlers
    ]
    interposer.write(
        options.output / "world_entries.cpp",
        "// Made by src/run/mpi/world/generate_world.py.\n"
        '#include "mpi/world/world.hpp"\n\nusing namespace thalweg::mpi::world;\nusing thalweg::mpi::Handle;\n'
        + "".join(entries),
    )
    names = "\n".join(f"    MPI_{one.name};\n    PMPI_{one.name};" for one in plain + attributes + handlers)
    interposer.write(
        options.output / "world_exports.map", f"{{\n  global:\n{names}\n    thalweg_swap_world;\n  local: *;\n}};\n"
    )


if __name__ == "__main__":
    main()
