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
    return (
        table.FAST_PATH.index(call.operation) if call.mode == "blocking" and call.operation in table.FAST_PATH else -1
    )


SIGNATURE = ("comm", "sendcount", "recvcount", "sendtype", "recvtype", "op", "root")
ARRAYS = ("sendcounts", "senddispls", "recvcounts", "recvdispls")


def fast_path(call: Collective, *, reported: bool) -> str:
    """The fast path of calls that are cached; `reported`: of those that the report counts too, and on other buffers."""
    if fast_path_slot(call) < 0:
        return ""
    known = fields(call)
    words = [f".{name} = {known[name]}" for name in SIGNATURE if name in known]
    if "sendbuf" in known:
        words.append(f".in_place = {known['sendbuf']} == MPI_IN_PLACE")
    buffers = ", ".join(known.get(name, "nullptr") for name in ("sendbuf", "recvbuf"))
    arrays = ", ".join(f".{name} = {known[name]}" for name in ARRAYS if name in known)
    same_arrays = f" && cached->has_arrays({{{arrays}}})" if arrays else ""
    suits = "(!cached->is_reported() || cached->is_only_counted(site))" if reported else "!cached->is_reported()"
    return f"""  FastPathEntry* const cached = find_on_fast_path(
      {fast_path_slot(call)}, {{{", ".join(words)}}});
  if (cached != nullptr && {suits}{same_arrays}) {{
    if (cached->repeated == nullptr) {{
      cached->count();
      ++looks_begun;
      return native.{call.prototype.name}({call.prototype.passed()});
    }}
    if (cached->buffers.{"include" if reported else "are_known"}({buffers})) {{
      return run_again(*cached, {buffers});
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
    """Define MPI_ and PMPI_ names of a function, which pass on what the interposer does itself."""
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
    body = f"""{fast_path(call, reported=False)}  return dispatch_{name}(THALWEG_SITE, {call.prototype.passed()});
"""
    function = f"""
constexpr FunctionInfo function_{name}{{Operation::{call.operation.lower()}, Mode::{call.mode}, Function::{name},
                                      native_{name}, {start}, {fast_path_slot(call)}}};

[[gnu::noinline]] int dispatch_{name}(CallSite site, {call.prototype.registers()}) {{
{fast_path(call, reported=True)}  CollectiveCall call;
  call.function = &function_{name};
  call.site = site;
  {initializers}
  return dispatch(call);
}}
"""
    return f"namespace {{{thunks}{function}}} // namespace\n" + entry(call.prototype, body)


def asked_send(function: Prototype) -> str:
    """Give what the trace of calls notes of the function's message: an AskedSend; its bytes are `bytes`."""
    tag = "sendtag" if "sendtag" in function.passed() else "tag"
    return f"AskedSend{{dest, {tag}, bytes, {'true' if 'ssend' in function.name.lower() else 'false'}}}"


def asked_receive(function: Prototype) -> str:
    """Give the same of what it asks for: an AskedReceive."""
    return f"AskedReceive{{source, {'recvtag' if 'recvtag' in function.passed() else 'tag'}}}"


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
    destination = ", dest" if "dest" in names else ", sends_nothing"
    comm = "comm" if "comm" in names else "MPI_COMM_NULL"
    before, note = "", f"trace_send(on, {asked_send(function)})"
    if "status" in names:
        before = "  MPI_Status own_status;\n  status = observed.status_of(status, own_status);\n"
        note = "trace_receive(on, {source, tag}, *status)"
    traced = f"observed.traced(code, [&](auto& on, auto{' bytes' if 'dest' in names else ''}) {{ {note}; }})"
    if "message" in names:
        before += "  CommunicatorState* const finder = observed.finder_of(*message);\n"
        traced = "observed.received(code, finder, status)"
    sized = "[&] { return bytes_of(count, datatype); }"
    body = f"""  Observed observed(Function::{function.name}, THALWEG_SITE, {comm}, {sized}{destination});
  progress_in_call();
{before}  int code = MPI_SUCCESS;
{polled(function, names)}  code = native.{function.name}({function.passed()});
  return {traced};
"""
    return entry(function, body)


def counted_entry(function: Prototype) -> str:
    """Define a call that starts a send, whose bytes are counted."""
    count, datatype = ("sendcount", "sendtype") if "sendcount" in function.passed() else ("count", "datatype")
    receive = f"{asked_receive(function)}, " if "source" in function.passed() else ""
    body = f"""  const Observed observed(
      Function::{function.name}, THALWEG_SITE, comm, [&] {{ return bytes_of({count}, {datatype}); }}, dest);
  return observed.traced(native.{function.name}({function.passed()}), [&](auto& on, auto bytes) {{
    trace_begun(on, {asked_send(function)}, {receive}*request);
  }});
"""
    return entry(function, body)


def receive_entry(function: Prototype) -> str:
    """Define a call that starts a receive; it is in the report only where calls are traced."""
    made = "trace_made" if function.name.removesuffix("_c").endswith("_init") else "trace_begun"
    comm, before = "comm", ""
    traced = f"""observed.traced(native.{function.name}({function.passed()}), [&](auto& on, auto) {{
    {made}(on, {asked_receive(function)}, *request);
  }})"""
    if "message" in function.passed():
        comm = "MPI_COMM_NULL"
        before = "  CommunicatorState* const finder = observed.finder_of(*message);\n"
        traced = f"observed.begun(native.{function.name}({function.passed()}), finder, request)"
    body = f"""  if (!traces) [[likely]] {{
    return native.{function.name}({function.passed()});
  }}
  const Observed observed(Function::{function.name}, THALWEG_SITE, {comm}, no_bytes);
{before}  return {traced};
"""
    return entry(function, body)


def persistent_send_entry(function: Prototype) -> str:
    """Define a call that makes a persistent send, which is recorded when it is started."""
    partitions = any(parameter.name == "partitions" for parameter in function.parameters)
    sent = "bytes_of(partitions * count, datatype)" if partitions else "bytes_of(count, datatype)"
    body = f"""  const Observed observed(Function::{function.name}, THALWEG_SITE, comm, no_bytes);
  const int code = native.{function.name}({function.passed()});
  if (code == MPI_SUCCESS) {{
    observed.made_persistent(dest, {sent}, *request);
  }}
  return observed.traced(code, [&](auto& on, auto) {{
    const std::uint64_t bytes = {sent};
    trace_made(on, {asked_send(function)}, *request);
  }});
"""
    return entry(function, body)


def one_sided_entry(function: Prototype, written: str, read: str) -> str:
    """Define a one-sided call; `written` and `read`: its bytes, as expressions in C++."""
    request = ", request" if "request" in function.passed() else ""
    body = f"""  std::uint64_t written = 0;
  std::uint64_t read = 0;
  const Observed observed(Function::{function.name}, THALWEG_SITE, MPI_COMM_NULL, [&] {{
    written = {written};
    read = {read};
    return written + read;
  }});
  observed.reaches(win, target_rank, written, read);
  return observed.traced_alone(native.{function.name}({function.passed()}), [&] {{
    trace_remote(win, target_rank, written, read{request});
  }});
"""
    return entry(function, body)


def window_entry(function: Prototype, note: str) -> str:
    """Define a call on a window; it is in the report only where calls are traced."""
    makes = "comm" in function.passed()
    lead = "traced" if makes else "traced_alone"
    arguments = "(auto& on, auto)" if makes else ""
    body = f"""  if (!traces) [[likely]] {{
    return native.{function.name}({function.passed()});
  }}
  const Observed observed(Function::{function.name}, THALWEG_SITE, {"comm" if makes else "MPI_COMM_NULL"}, no_bytes);
  return observed.{lead}(native.{function.name}({function.passed()}), [&]{arguments} {{ {note}; }});
"""
    return entry(function, body)


def handled_entry(function: Prototype) -> str:
    """Define a call that a function handle_… of ours answers."""
    arguments = ", ".join(filter(None, ["THALWEG_SITE", function.passed()]))
    return entry(function, f"  return handle_{function.name}({arguments});\n")


def constructor_entry(function: Prototype, parent: str) -> str:
    """Define a call that makes a communicator of `parent`, or of none where it is empty."""
    tag = next((p.name for p in function.parameters if p.name in ("tag", "stringtag")), None)
    waits = parent == "comm" and function.name != "Comm_create_group"
    barrier = "  barrier_before_creation(comm);\n" if waits else ""
    met = "observed.traced(code, [](auto& on, auto) { trace_meeting(on); })" if waits else "code"
    maker = f"make_{function.name}" if "reorder" in function.passed() else f"native.{function.name}"
    body = f"""  Observed observed(Function::{function.name}, THALWEG_SITE, {parent or "MPI_COMM_NULL"}, no_bytes);
{barrier}  const int code = {maker}({function.passed()});
  if (code == MPI_SUCCESS && newcomm != nullptr) {{
    communicator_made(*newcomm, {parent or "MPI_COMM_NULL"}, {f"tag_of({tag})" if tag else "0"});
  }}
  return {met};
"""
    if function.name.startswith("Intercomm_create") and parent:
        body = body.replace(f"communicator_made(*newcomm, {parent},", "communicator_made(*newcomm, MPI_COMM_NULL,")
    return entry(function, body)
