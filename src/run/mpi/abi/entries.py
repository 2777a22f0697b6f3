# SPDX-License-Identifier: BSD-3-Clause
"""The text of the interposer's entry points, one function for each kind of call in functions.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import functions as table

if TYPE_CHECKING:
    from prototypes import Parameter, Prototype


@dataclass(frozen=True)
class Collective:
    """A collective function, by its operation and mode: blocking, nonblocking or persistent."""

    operation: str
    mode: str
    prototype: Prototype
    nonblocking: str | None  # the function that starts the same operation, for blocking ones


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
    modes = ("blocking", "nonblocking")
    if call.mode not in modes or call.operation not in table.FAST_PATH:
        return -1
    return modes.index(call.mode) * len(table.FAST_PATH) + table.FAST_PATH.index(call.operation)


SIGNATURE = ("comm", "sendcount", "recvcount", "sendtype", "recvtype", "op", "root")
ARRAYS = ("sendcounts", "senddispls", "recvcounts", "recvdispls")


def fast_path(call: Collective, *, shortest: bool) -> str:
    """The fast path of calls that are cached; the shortest is for calls from one place, on the same buffers."""
    if fast_path_slot(call) < 0:
        return ""
    known = fields(call)
    mode = f"Mode::{call.mode}"
    compared = {known[name]: f"known.{name} == {known[name]}" for name in SIGNATURE if name in known}
    if "sendbuf" in known:
        compared["in place"] = f"known.in_place == ({known['sendbuf']} == MPI_IN_PLACE)"
    buffers = ", ".join(known.get(name, "nullptr") for name in ("sendbuf", "recvbuf"))
    arrays = ", ".join(f".{name} = {known[name]}" for name in ARRAYS if name in known)
    count = f"count_of_rows({known['comm']}, {{{arrays}}})" if arrays else known.get("recvcount", "0")
    place = f"{fast_path_slot(call)}, {count}, {known.get('root', '0')}"
    same_arrays = f" && cached->has_arrays({{{arrays}}})" if arrays else ""
    if shortest:
        suits = (
            f"this_thread.innermost_frame == nullptr && cached->is_only_counted<{mode}>(__builtin_return_address(0))"
        )
    else:
        suits = f"cached->is_of(site) && !cached->is_to_be_timed<{mode}>()"
    text = f"""  FastPathEntry* const cached = find_on_fast_path({place}, [&](const CallSignature& known) {{
    return {" && ".join(compared.values())};
  }});
  if (cached != nullptr && {suits}{same_arrays}) {{
    if (cached->repeated == nullptr) {{
      cached->{"count_alone" if shortest else "count"}<{mode}>();
      ++looks_begun;
      return native.{call.prototype.name}({call.prototype.passed()});
    }}
"""
    if call.mode == "blocking":
        text += f"""    if (cached->buffers.{"are_known" if shortest else "include"}({buffers})) {{
      return run_again(*cached, {buffers});
    }}
"""
    return text + "  }\n"


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


def passing(function: Prototype) -> str:
    """Pass on what the interposer does itself."""
    return straight(function, "passing()")


def entry(function: Prototype, body: str) -> str:
    """Define MPI_ and PMPI_ names of a function."""
    # Under a name of its own, for <mpi.h> declares MPI_… with plain handles.
    return f"""
THALWEG_ENTRY int entry_{function.name}({function.registers()}) asm("MPI_{function.name}");
int entry_{function.name}({function.registers()}) {{
{body}}}
THALWEG_ENTRY int profiling_entry_{function.name}({function.registers()}) asm("PMPI_{function.name}")
    __attribute__((alias("MPI_{function.name}")));
"""


def extension_entry(function: Prototype) -> str:
    """Define the names that a function had before it was MPI's."""
    return "".join(
        f"""
THALWEG_ENTRY int {prefix.lower()}_entry_{function.name}({function.registers()}) asm("{prefix}_{function.name}")
    __attribute__((alias("MPI_{function.name}")));
"""
        for prefix in ("MPIX", "PMPIX")
    )


def straight(function: Prototype, condition: str) -> str:
    """Pass a call on where the condition holds."""
    return f"""  if ({condition}) [[likely]] {{
    return native.{function.name}({function.passed()});
  }}
"""


def counted(function: Prototype) -> str:
    """Pass a call on that is counted at the most, by its communicator and its payload where it has them."""
    names = [parameter.name for parameter in function.parameters]
    counts = [name for name in ("sendcount", "count", "origin_count") if name in names]
    words = [f"Function::{function.name}", "__builtin_return_address(0)", "comm" if "comm" in names else "MPI_Comm{}"]
    if counts:
        types = {"sendcount": "sendtype", "count": "datatype", "origin_count": "origin_type"}
        words += [counts[0], types[counts[0]]]
    return straight(function, f"goes_straight({', '.join(words)})")


def long_entry(function: Prototype, body: str, shortest: str) -> str:
    """Define a call with a shortest way; the long one is apart, so that the shortest does without its frame."""
    apart = f"""
namespace {{
[[gnu::noinline]] int observed_{function.name}([[maybe_unused]] CallSite site, {function.registers()}) {{
{passing(function)}{body}}}
}} // namespace
"""
    return apart + entry(function, f"{shortest}  return observed_{function.name}(THALWEG_SITE, {function.passed()});\n")


def plain_entry(function: Prototype, body: str) -> str:
    """Define a call without such a way."""
    return entry(function, passing(function) + body)


def collective_entry(call: Collective) -> str:
    """Define a collective: its fast path, and how the library's own is called and started."""
    name = call.prototype.name
    arguments = ", ".join(argument(call, parameter) for parameter in call.prototype.parameters)
    thunks = f"""
int native_{name}(const CollectiveCall& call) {{
  return native.{name}({arguments});
}}
"""
    start = "nullptr"
    if call.nonblocking:
        started = f"{arguments}, request"
        start = f"start_{name}"
        thunks += f"""
int start_{name}(const CollectiveCall& call, MPI_Request* request) {{
  return native.{call.nonblocking}({started});
}}
"""
    initializers = "\n  ".join(f"call.{member} = {value};" for member, value in fields(call).items())
    # Apart, so that the shortest way does without its frame.
    body = f"""{fast_path(call, shortest=True)}  return dispatch_{name}(THALWEG_SITE, {call.prototype.passed()});
"""
    timed = ""
    if fast_path_slot(call) >= 0 and call.mode == "blocking":
        arrays = ", ".join(f".{name} = {fields(call)[name]}" for name in ARRAYS if name in fields(call))
        same_arrays = f" && cached->has_arrays({{{arrays}}})" if arrays else ""
        timed = f"""  if (cached != nullptr && cached->may_be_timed(site){same_arrays})
    return make_timed(call, *cached);
"""
    function = f"""
constexpr FunctionInfo function_{name}{{Operation::{call.operation.lower()}, Mode::{call.mode}, Function::{name},
                                      native_{name}, {start}, {fast_path_slot(call)}}};

[[gnu::noinline]] int dispatch_{name}(CallSite site, {call.prototype.registers()}) {{
{passing(call.prototype)}{fast_path(call, shortest=False)}  CollectiveCall call;
  call.function = &function_{name};
  call.site = site;
  {initializers}
{timed}  return dispatch(call);
}}
"""
    return f"namespace {{{thunks}{function}}} // namespace\n" + entry(call.prototype, body)


def message_call(function: Prototype, sent_bytes: str = "bytes") -> str:
    """Give the function's message, or both, as a MessageCall."""
    names = [parameter.name for parameter in function.parameters]
    parts = []
    if "dest" in names:
        tag = "sendtag" if "sendtag" in names else "tag"
        synchronous = "true" if "ssend" in function.name.lower() else "false"
        parts.append(f".sends = SendArguments{{dest, {tag}, {sent_bytes}, {synchronous}}}")
    if "source" in names:
        parts.append(f".receives = ReceiveArguments{{source, {'recvtag' if 'recvtag' in names else 'tag'}}}")
    if "message" in names and "request" in names:  # which one is seen when it is completed
        parts.append(".receives = ReceiveArguments{MPI_ANY_SOURCE, MPI_ANY_TAG}")
    elif "message" in names:
        parts.append(".receives = ReceiveArguments{status->MPI_SOURCE, status->MPI_TAG}")
    if "status" in names:
        parts.append(".status = status")
    if "request" in names:
        parts.append(".request = request")
    if function.name.removesuffix("_c").endswith("_init"):
        parts.append(".is_persistent = true")
    return f"MessageCall{{{', '.join(parts)}}}"


def polled(function: Prototype, names: list[str]) -> str:
    """Give what a blocking call of point-to-point does first, or instead, where it must not block in the library."""
    if "message" in names:
        return ""  # what was found is there
    if "source" in names:
        return """  if (must_poll() && is_sound_message(count, datatype, source, tag, comm)) {
    code = poll_message(source, tag, comm);
    if (code != MPI_SUCCESS)
      return code;
  }
"""
    started = ", ".join([*names, "&request"])
    return f"""  if (must_poll() && is_sound_message(count, datatype, dest, tag, comm)) {{
    MPI_Request request = MPI_REQUEST_NULL;
    code = native.{"I" + function.name[0].lower() + function.name[1:]}({started});
    code = code == MPI_SUCCESS ? poll_request(&request, MPI_STATUS_IGNORE) : code;
  }} else
  """


def issued_entry(function: Prototype) -> str:
    """Define a blocking call of point-to-point."""
    names = [parameter.name for parameter in function.parameters]
    interest = "of_all" if "dest" in names else "of_reports_and_traces"
    comm = "comm" if "comm" in names else "MPI_COMM_NULL"
    before = ""
    if "status" in names:
        before += "  MPI_Status own_status;\n  status = observer.status_of(status, own_status);\n"
    if "message" in names:
        before += "  observer.receives_found(*message);\n"
    sized = "[&] { return bytes_of(count, datatype); }"
    bytes_name = " bytes" if "dest" in names else ""
    body = f"""  CallObserver observer(Function::{function.name}, site, {comm}, {sized}, {interest}, datatype);
  progress_in_call();
{before}  int code = MPI_SUCCESS;
{polled(function, names)}  code = native.{function.name}({function.passed()});
  return observer.ended(code, [&](auto{bytes_name}) {{ return {message_call(function)}; }});
"""
    return long_entry(function, body, counted(function))


def started_entry(function: Prototype) -> str:
    """Define a call that begins messages, or makes a persistent request of one.

    Receives alone are in the report only where calls are traced. What a persistent request sends counts when it is
    started.
    """
    names = [parameter.name for parameter in function.parameters]
    count, datatype = ("sendcount", "sendtype") if "sendcount" in names else ("count", "datatype")
    sent = f"bytes_of({'partitions * ' if 'partitions' in names else ''}{count}, {datatype})"
    is_persistent = function.name.removesuffix("_c").endswith("_init")
    sized = f"[&] {{ return {sent}; }}" if "dest" in names and not is_persistent else "no_bytes"
    comm = "comm" if "comm" in names else "MPI_COMM_NULL"
    found = "  observer.receives_found(*message);\n" if "message" in names else ""
    body = f"""  CallObserver observer(Function::{function.name}, site, {comm}, {sized}, of_all, {datatype});
{found}  return observer.ended(native.{function.name}({function.passed()}), [&](auto) {{
    return {message_call(function, sent)};
  }});
"""
    if "dest" not in names:
        return noted_if_traced(function, body)
    return long_entry(function, body, "" if is_persistent else counted(function))


def noted_if_traced(function: Prototype, body: str) -> str:
    """Define a call of which nothing is noted but where calls are traced."""
    traced = straight(function, "!process.observation.traces")
    return long_entry(function, traced + body, straight(function, "Passage::is_untraced(process.passage.now())"))


def one_sided_entry(function: Prototype, written: str, read: str) -> str:
    """Define a one-sided call; `written` and `read`: its bytes, as expressions in C++."""
    request = "request" if "request" in function.passed() else "nullptr"
    has_payload = written + read in ("bytes_of(origin_count, origin_type)0", "0bytes_of(origin_count, origin_type)")
    counts = ", of_all, origin_type" if has_payload else ""
    body = f"""  CallObserver observer(Function::{function.name}, site, MPI_COMM_NULL,
                        [&] {{ return {written} + {read}; }}{counts});
  return observer.ended(native.{function.name}({function.passed()}), [&](auto) {{
    return RemoteAccess{{win, target_rank, {written}, {read}, {request}}};
  }});
"""
    return long_entry(function, body, counted(function) if has_payload else "")


def window_entry(function: Prototype, content: str) -> str:
    """Define a call on a window; it is in the report only where calls are traced."""
    comm = "comm" if "comm" in function.passed() else "MPI_COMM_NULL"
    call = f"CallContent(WindowCall{{WindowCall::Kind::{content}}})"
    if "flag" in function.passed():
        call = f"*flag != 0 ? {call} : CallContent()"
    body = f"""  CallObserver observer(Function::{function.name}, site, {comm}, no_bytes);
  return observer.ended(native.{function.name}({function.passed()}), [&](auto) {{ return {call}; }});
"""
    return noted_if_traced(function, body)


def handled_entry(function: Prototype) -> str:
    """Define a call that a function handle_… of ours answers."""
    shortest = ""
    if function.name in table.OF_REQUESTS:
        shortest = straight(
            function, f"goes_straight_with_requests(Function::{function.name}, __builtin_return_address(0))"
        )
    elif function.name.removesuffix("_c") in table.OF_MESSAGES:
        shortest = counted(function)
    site = "site" if shortest else "THALWEG_SITE"
    body = f"  return handle_{function.name}({', '.join(filter(None, [site, function.passed()]))});\n"
    return long_entry(function, body, shortest) if shortest else plain_entry(function, body)


def constructor_entry(function: Prototype, parent: str) -> str:
    """Define a call that makes a communicator of `parent`, or of none where it is empty."""
    tag = next((p.name for p in function.parameters if p.name in ("tag", "stringtag")), None)
    waits = parent == "comm" and function.name != "Comm_create_group"
    barrier = "  barrier_before_creation(comm);\n" if waits else ""
    met = "observer.ended(code, [](auto) { return Meeting{}; })" if waits else "code"
    has_graph = "reorder" in function.passed()
    maker = f"make_{function.name}" if has_graph else f"native.{function.name}"
    graph = "    gather_chosen_graph(*newcomm);\n" if has_graph else ""
    body = f"""  CallObserver observer(Function::{function.name}, THALWEG_SITE, {parent or "MPI_COMM_NULL"}, no_bytes);
{barrier}  const int code = {maker}({function.passed()});
  if (code == MPI_SUCCESS && newcomm != nullptr) {{
    communicator_made(*newcomm, {parent or "MPI_COMM_NULL"}, {f"tag_of({tag})" if tag else "0"});
{graph}  }}
  return {met};
"""
    if function.name.startswith("Intercomm_create") and parent:
        body = body.replace(f"communicator_made(*newcomm, {parent},", "communicator_made(*newcomm, MPI_COMM_NULL,")
    return plain_entry(function, body)
