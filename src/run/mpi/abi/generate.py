# SPDX-License-Identifier: BSD-3-Clause
"""Write the interposer's entry points for one family of MPI libraries from the tables of functions.py.

    generate.py --output DIR [--large-count]

makes native_table.hpp (the library's functions as a table of pointers), native_table.cpp (their names), forwards.cpp
(hidden PMPI_ functions over that table), entry_points.cpp (what programs call) and exports.map (what they can see).
`--large-count` includes the `_c` forms, for families whose libraries all have them.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import functions as table
from entries import (
    Collective,
    collective_entry,
    constructor_entry,
    extension_entry,
    handled_entry,
    issued_entry,
    one_sided_entry,
    started_entry,
    window_entry,
)
from prototypes import Prototype, prototype


def nonblocking_name(operation: str) -> str:
    """Give the function that starts the operation."""
    return "I" + operation[0].lower() + operation[1:]


def collectives(*, large_count: bool) -> list[Collective]:
    """Give all collectives in all modes, with their `_c` forms if the family has them."""
    result = []
    for operation, text in table.COLLECTIVES.items():
        for large in (False, True):
            if large and (not large_count or operation == "Barrier"):
                continue
            suffix = "_c" if large else ""
            request = ", MPI_Request* request"
            nonblocking = nonblocking_name(operation)
            forms = [
                Collective(operation, "blocking", prototype(operation, text, large=large), nonblocking + suffix),
                Collective(operation, "nonblocking", prototype(nonblocking, text, large=large, extra=request), None),
                Collective(
                    operation,
                    "persistent",
                    prototype(operation + "_init", text, large=large, extra=", MPI_Info info" + request),
                    None,
                ),
            ]
            result += forms
    return result


def plain(entries: dict[str, str], *, large_count: bool) -> list[Prototype]:
    """Give a table's functions, with their `_c` forms if the family has them."""
    result = []
    for name, text in entries.items():
        result.append(prototype(name, text, large=False))
        if large_count and name in table.LARGE_COUNT:
            result.append(prototype(name, text, large=True))
    return result


def used() -> list[Prototype]:
    """Give what the interposer calls and does not define."""
    return [prototype(name, text, large=False) for name, text in table.USED.items()]


# Not made from tables: what our own libraries call here, and what is defined by hand.
ALSO_EXPORTED = (
    *("MPI_Pcontrol", "PMPI_Pcontrol"),
    *("thalweg_set_selection", "thalweg_bypass", "thalweg_fingerprint"),
    *("thalweg_leaf_of", "thalweg_has_nic_groups", "thalweg_library_function"),
    *("thalweg_attach_streams", "thalweg_detach_streams", "thalweg_report_stream"),
    *("thalweg_attach_team", "thalweg_team_call_begins", "thalweg_team_call_ends"),
    "thalweg_name_nic_operator",
    *("ucp_worker_progress", "opal_progress", "sched_yield"),
    *("longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"),
)

HEAD = "// Made by src/run/mpi/abi/generate.py from src/run/mpi/abi/functions.py.\n"


def write(path: Path, text: str) -> None:
    """Write what has changed, so that nothing else is compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_predefined(output: Path, header: str) -> None:
    """Write variables in place of Open MPI's predefined handles, to be found when programs start."""
    symbols = sorted(set(re.findall(r"OMPI_PREDEFINED_GLOBAL\s*\(\s*MPI_\w+\s*,\s*(\w+)\s*\)", header)))
    variables = "\n".join(f"extern constinit void* {symbol};" for symbol in symbols)
    definitions = "\n".join(f"constinit void* {symbol} = nullptr;" for symbol in symbols)
    entries = "\n".join(f'    Symbol{{"{symbol}", &{symbol}}},' for symbol in symbols)
    write(
        output / "predefined.hpp",
        f"""{HEAD}#pragma once

#include <array>

namespace thalweg::mpi::predefined {{

struct Symbol {{
  const char* name;
  void** variable;
}};

{variables}

extern const std::array<Symbol, {len(symbols)}> symbols;

}} // namespace thalweg::mpi::predefined
""",
    )
    write(
        output / "predefined.cpp",
        f"""{HEAD}#include "predefined.hpp"

namespace thalweg::mpi::predefined {{

{definitions}

const std::array<Symbol, {len(symbols)}> symbols{{
{entries}
}};

}} // namespace thalweg::mpi::predefined
""",
    )


def main() -> None:
    """Write all files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--large-count", action="store_true")
    parser.add_argument("--predefined", type=Path, help="Open MPI's mpi.h, for its predefined handles")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)

    if options.predefined:
        write_predefined(options.output, options.predefined.read_text())
    all_collectives = collectives(large_count=options.large_count)
    issued = plain(table.ISSUED, large_count=options.large_count)
    counted = plain(table.COUNTED, large_count=options.large_count)
    persistent = plain(table.PERSISTENT_SENDS, large_count=options.large_count) + plain(
        table.PARTITIONED_SENDS, large_count=False
    )
    receives = plain(table.RECEIVES, large_count=options.large_count) + plain(
        table.PARTITIONED_RECEIVES, large_count=False
    )
    one_sided = [
        (function, written, read)
        for name, (text, written, read) in table.ONE_SIDED.items()
        for function in plain({name: text}, large_count=options.large_count)
    ]
    windows = [
        (function, note)
        for name, (text, note) in table.WINDOWS.items()
        for function in plain({name: text}, large_count=options.large_count)
    ]
    handled = plain(table.HANDLED, large_count=options.large_count)
    constructors = [(prototype(name, text, large=False), parent) for name, (text, parent) in table.CONSTRUCTORS.items()]
    wrapped = [call.prototype for call in all_collectives] + issued + counted + receives + persistent + handled
    wrapped += [made for made, _ in constructors]
    wrapped += [function for function, _, _ in one_sided] + [function for function, _ in windows]
    names_of_wrapped = {function.name for function in wrapped}
    helpers = [function for function in used() if function.name not in names_of_wrapped]

    members = "\n".join(f"  int (*{f.name})({f.registers()});" for f in wrapped)
    members += "\n" + "\n".join(f"  int (*{f.name})({f.declared()});" for f in helpers)
    enumerators = "\n".join(f"  {f.name}," for f in wrapped)
    write(
        options.output / "native_table.hpp",
        f"""{HEAD}#pragma once

#include <cstddef>

#include "mpi/abi/families/family.hpp"

namespace thalweg::mpi {{

// The library's own functions; filled once by resolve_library().
struct NativeTable {{
{members}
}};

enum class Function : short {{
{enumerators}
  count
}};

inline constexpr std::size_t fast_path_functions = {2 * len(table.FAST_PATH)}; // blocking and nonblocking

}} // namespace thalweg::mpi
""",
    )
    names = "\n".join(f'    "MPI_{f.name}",' for f in wrapped)
    symbols = "\n".join(f'    "PMPI_{f.name}",' for f in wrapped + helpers)
    write(
        options.output / "native_table.cpp",
        f"""{HEAD}#include "mpi/abi/native.hpp"

namespace thalweg::mpi {{

constinit NativeTable native{{}};

const std::array<const char*, function_count> function_names{{
{names}
}};

const std::array<const char*, native_count> native_symbols{{
{symbols}
}};

}} // namespace thalweg::mpi
""",
    )
    forwards = "\n".join(
        f'extern "C" int PMPI_{f.name}({f.declared()}) {{ return thalweg::mpi::native.{f.name}({f.passed()}); }}'
        for f in helpers
    )
    write(options.output / "forwards.cpp", f'{HEAD}#include "mpi/abi/native.hpp"\n\n{forwards}\n')
    declarations = "\n".join(f"int handle_{f.name}({f.with_site()});" for f in handled)
    write(
        options.output / "handlers.hpp",
        f"""{HEAD}#pragma once

#include "mpi/abi/native.hpp"
#include "mpi/observe/locations.hpp"

namespace thalweg::mpi {{

{declarations}

}} // namespace thalweg::mpi
""",
    )
    # Open MPI 4.1 has persistent collectives as an extension.
    extensions = [call.prototype for call in all_collectives if options.predefined and call.mode == "persistent"]
    entries = (
        [collective_entry(call) for call in all_collectives]
        + [extension_entry(f) for f in extensions]
        + [issued_entry(f) for f in issued]
        + [started_entry(f) for f in counted]
        + [started_entry(f) for f in receives]
        + [started_entry(f) for f in persistent]
        + [handled_entry(f) for f in handled]
        + [constructor_entry(f, parent) for f, parent in constructors]
        + [one_sided_entry(f, written, read) for f, written, read in one_sided]
        + [window_entry(f, note) for f, note in windows]
    )
    write(
        options.output / "entry_points.cpp",
        f'{HEAD}#include "mpi/entry/entry.hpp"\n\nusing namespace thalweg::mpi;\n' + "".join(entries),
    )
    also = "\n".join(f"    {name};" for name in ALSO_EXPORTED)
    exported = "\n".join(f"    MPI_{f.name};\n    PMPI_{f.name};" for f in wrapped)
    exported += "".join(f"\n    MPIX_{f.name};\n    PMPIX_{f.name};" for f in extensions)
    write(
        options.output / "exports.map",
        f"{{\n  global:\n{exported}\n{also}\n  local: *;\n}};\n",
    )


if __name__ == "__main__":
    main()
