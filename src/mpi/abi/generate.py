"""Write the interposer's entry points for one family of MPI libraries from the tables of functions.py.

    generate.py --output DIR [--large-count]

makes native_table.hpp (the library's functions as a table of pointers), native_table.cpp (their names), forwards.cpp
(hidden PMPI_ functions over that table), entry_points.cpp (what programs call) and exports.map (what they can see).
`--large-count` includes the `_c` forms, for families whose libraries all have them.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

import functions as table
from prototypes import Parameter, Prototype, prototype


@dataclass(frozen=True)
class Collective:
    operation: str
    mode: str
    prototype: Prototype
    nonblocking: str | None  # the function that starts the same operation, for blocking ones


def nonblocking_name(operation: str) -> str:
    return "I" + operation[0].lower() + operation[1:]


def collectives(large_count: bool) -> list[Collective]:
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


def plain(entries: dict[str, str], large_count: bool) -> list[Prototype]:
    result = []
    for name, text in entries.items():
        result.append(prototype(name, text, large=False))
        if large_count and name in table.LARGE_COUNT:
            result.append(prototype(name, text, large=True))
    return result


def used() -> list[Prototype]:
    return [prototype(name, text, large=False) for name, text in table.USED.items()]


def fields(call: Collective) -> dict[str, str]:
    """CollectiveCall's members that the arguments fill, and by which."""
    result: dict[str, str] = {}
    for parameter in call.prototype.parameters:
        names = table.COLLECTIVE_FIELDS.get(parameter.name, (parameter.name,))
        if parameter.name == "displs":
            names = ("senddispls",) if call.operation == "Scatterv" else ("recvdispls",)
        if parameter.name == "recvcount" and call.operation == "Reduce_scatter_block":
            names = ("sendcount", "recvcount")
        for name in names:
            result[name] = parameter.name
    return result


def fast_path_slot(call: Collective) -> int:
    """Where the last known call of a function stands (fast_path.hpp); -1: nowhere."""
    return (
        table.FAST_PATH.index(call.operation) if call.mode == "blocking" and call.operation in table.FAST_PATH else -1
    )


SIGNATURE = ("comm", "sendcount", "recvcount", "sendtype", "recvtype", "op", "root")
ARRAYS = ("sendcounts", "senddispls", "recvcounts", "recvdispls")


def fast_path(call: Collective) -> str:
    """The fast path of calls that are cached."""
    if fast_path_slot(call) < 0:
        return ""
    known = fields(call)
    words = [f".{name} = {known[name]}" for name in SIGNATURE if name in known]
    if "sendbuf" in known:
        words.append(f".in_place = {known['sendbuf']} == MPI_IN_PLACE")
    buffers = ", ".join(known.get(name, "nullptr") for name in ("sendbuf", "recvbuf"))
    arrays = ", ".join(f".{name} = {known[name]}" for name in ARRAYS if name in known)
    same_arrays = f" && cached->has_arrays({{{arrays}}})" if arrays else ""
    return f"""  const FastPathEntry* const cached = find_on_fast_path(
      {fast_path_slot(call)}, {{{", ".join(words)}}}, THALWEG_SITE);
  if (cached != nullptr{same_arrays}) {{
    int code = MPI_SUCCESS;
    if (cached->repeated == nullptr) {{
      cached->count();
      return native.{call.prototype.name}({call.prototype.passed()});
    }}
    if (repeat(*cached, {buffers}, {{{arrays}}}, code)) {{
      return code;
    }}
  }}
"""


def argument(call: Collective, parameter: Parameter) -> str:
    """The argument of the library's function that CollectiveCall's field stands for."""
    names = table.COLLECTIVE_FIELDS.get(parameter.name, (parameter.name,))
    field = names[-1]
    if parameter.name == "displs":
        field = "senddispls" if call.operation == "Scatterv" else "recvdispls"
    value = f"call.{field}"
    kind = parameter.declaration.split()
    if parameter.array and kind[1] != "MPI_Datatype":
        return f"{value}.as<{kind[1]}>()"
    if kind[0] == "int" and field in ("sendcount", "recvcount"):
        return f"static_cast<int>({value})"
    return value


def entry(function: Prototype, body: str) -> str:
    # Under a name of its own, for <mpi.h> declares MPI_… with plain handles.
    return f"""
THALWEG_ENTRY int entry_{function.name}({function.registers()}) asm("MPI_{function.name}");
int entry_{function.name}({function.registers()}) {{
  if (passing()) [[likely]] {{
    return native.{function.name}({function.passed()});
  }}
{body}}}
THALWEG_ENTRY int profiling_entry_{function.name}({function.registers()}) asm("PMPI_{function.name}")
    __attribute__((alias("MPI_{function.name}")));
"""


def collective_entry(call: Collective) -> str:
    name = call.prototype.name
    arguments = ", ".join(argument(call, parameter) for parameter in call.prototype.parameters)
    thunks = f"""
int native_{name}(const CollectiveCall& call) {{
  return native.{name}({arguments});
}}
"""
    start = "nullptr"
    if call.nonblocking:
        started = ", ".join([arguments, "request"])
        start = f"start_{name}"
        thunks += f"""
int start_{name}(const CollectiveCall& call, MPI_Request* request) {{
  return native.{call.nonblocking}({started});
}}
"""
    initializers = "\n  ".join(f"call.{member} = {value};" for member, value in fields(call).items())
    body = f"""{fast_path(call)}  CollectiveCall call;
  call.function = &function_{name};
  call.site = THALWEG_SITE;
  {initializers}
  return dispatch(call);
"""
    function = f"""
constexpr FunctionInfo function_{name}{{Operation::{call.operation.lower()}, Mode::{call.mode}, Function::{name},
                                      native_{name}, {start}, {fast_path_slot(call)}}};
"""
    return f"namespace {{{thunks}{function}}} // namespace\n" + entry(call.prototype, body)


def issued_entry(function: Prototype) -> str:
    names = [parameter.name for parameter in function.parameters]
    status = "status" if "status" in names else "MPI_STATUS_IGNORE"
    destination = ", dest" if "dest" in names else ""
    comm = "comm" if "comm" in names else "MPI_COMM_NULL"
    started = ", ".join([*(name for name in names if name != "status"), "&request"])
    body = f"""  Observed observed(Function::{function.name}, THALWEG_SITE, {comm}, [&] {{ return bytes_of(count, datatype); }}{destination});
  progress_in_call();
  if (!must_poll()) {{
    return native.{function.name}({function.passed()});
  }}
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = native.{"I" + function.name[0].lower() + function.name[1:]}({started});
  return code == MPI_SUCCESS ? poll_request(&request, {status}) : code;
"""
    return entry(function, body)


def counted_entry(function: Prototype) -> str:
    count, datatype = ("sendcount", "sendtype") if "sendcount" in function.passed() else ("count", "datatype")
    body = f"""  const Observed observed(
      Function::{function.name}, THALWEG_SITE, comm, [&] {{ return bytes_of({count}, {datatype}); }}, dest);
  return native.{function.name}({function.passed()});
"""
    return entry(function, body)


def persistent_send_entry(function: Prototype) -> str:
    body = f"""  const Observed observed(Function::{function.name}, THALWEG_SITE, comm, no_bytes);
  const int code = native.{function.name}({function.passed()});
  if (code == MPI_SUCCESS) {{
    observed.made_persistent(dest, bytes_of(count, datatype), *request);
  }}
  return code;
"""
    return entry(function, body)


def handled_entry(function: Prototype) -> str:
    arguments = ", ".join(filter(None, ["THALWEG_SITE", function.passed()]))
    return entry(function, f"  return handle_{function.name}({arguments});\n")


def constructor_entry(function: Prototype, parent: str) -> str:
    tag = next((p.name for p in function.parameters if p.name in ("tag", "stringtag")), None)
    waits = parent == "comm" and function.name != "Comm_create_group"
    barrier = "  barrier_before_creation(comm);\n" if waits else ""
    maker = f"make_{function.name}" if "reorder" in function.passed() else f"native.{function.name}"
    body = f"""  Observed observed(Function::{function.name}, THALWEG_SITE, {parent or "MPI_COMM_NULL"}, no_bytes);
{barrier}  const int code = {maker}({function.passed()});
  if (code == MPI_SUCCESS && newcomm != nullptr) {{
    communicator_made(*newcomm, {parent or "MPI_COMM_NULL"}, {f"tag_of({tag})" if tag else "0"});
  }}
  return code;
"""
    if function.name.startswith("Intercomm_create") and parent:
        body = body.replace(f"communicator_made(*newcomm, {parent},", "communicator_made(*newcomm, MPI_COMM_NULL,")
    return entry(function, body)


HEAD = "// Made by src/mpi/generate.py from src/mpi/functions.py.\n"


def write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_predefined(output: Path, header: str) -> None:
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--large-count", action="store_true")
    parser.add_argument("--predefined", type=Path, help="Open MPI's mpi.h, for its predefined handles")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)

    if options.predefined:
        write_predefined(options.output, options.predefined.read_text())
    all_collectives = collectives(options.large_count)
    issued = plain(table.ISSUED, options.large_count)
    counted = plain(table.COUNTED, options.large_count)
    persistent = plain(table.PERSISTENT_SENDS, options.large_count)
    handled = plain(table.HANDLED, options.large_count)
    constructors = [(prototype(name, text, large=False), parent) for name, (text, parent) in table.CONSTRUCTORS.items()]
    wrapped = [call.prototype for call in all_collectives] + issued + counted + persistent + handled
    wrapped += [made for made, _ in constructors]
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

inline constexpr std::size_t fast_path_functions = {len(table.FAST_PATH)};

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

#include "mpi/observe/call_site.hpp"
#include "mpi/abi/families/family.hpp"

namespace thalweg::mpi {{

{declarations}

}} // namespace thalweg::mpi
""",
    )
    entries = (
        [collective_entry(call) for call in all_collectives]
        + [issued_entry(f) for f in issued]
        + [counted_entry(f) for f in counted]
        + [persistent_send_entry(f) for f in persistent]
        + [handled_entry(f) for f in handled]
        + [constructor_entry(f, parent) for f, parent in constructors]
    )
    write(
        options.output / "entry_points.cpp",
        f'{HEAD}#include "mpi/entry/entry.hpp"\n\nusing namespace thalweg::mpi;\n' + "".join(entries),
    )
    exported = "\n".join(f"    MPI_{f.name};\n    PMPI_{f.name};" for f in wrapped)
    write(
        options.output / "exports.map",
        f"{{\n  global:\n{exported}\n    MPI_Pcontrol;\n    PMPI_Pcontrol;\n    thalweg_set_selection;\n    thalweg_bypass;\n    thalweg_fingerprint;\n    thalweg_library_function;\n    thalweg_attach_streams;\n    thalweg_detach_streams;\n    thalweg_report_stream;\n    ucp_worker_progress;\n    sched_yield;\n  local: *;\n}};\n",
    )


if __name__ == "__main__":
    main()
