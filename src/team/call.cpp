#include "team/call.hpp"

#include "schedule/buffers.hpp"
#include "team/mpi_calls.hpp"

#include <dlfcn.h>

namespace thalweg::teams {

namespace {

using schedule::Operation;

struct Known {
  const char* name;
  Operation operation;
};

// In the order of thalweg_collective.
constexpr Known known[] = {{"broadcast", Operation::broadcast},  {"scatter", Operation::scatter},
                           {"gather", Operation::gather},        {"gather_all", Operation::allgather},
                           {"exchange", Operation::alltoall},    {"reduce", Operation::reduce},
                           {"reduce_all", Operation::allreduce}, {"scan", Operation::scan}};

[[noreturn]] void refuse(const thalweg_team_call& given, const Group& group, const std::string& what,
                         const char* remedy) {
  throw Error(
      fmt::format("{} on rank {} of {}: {}", name_of(given.collective), group.rank(), group.ranks(), what),
      remedy);
}

// Bytes of an element of a type that has neither gaps nor bytes before its begin.
std::size_t element_bytes(const thalweg_team_call& given, const Group& group) {
  int size = 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  if (given.type == MPI_DATATYPE_NULL || MPI_Type_size(given.type, &size) != MPI_SUCCESS ||
      MPI_Type_get_extent(given.type, &lower, &extent) != MPI_SUCCESS)
    refuse(given, group, "no datatype", "give the elements' type, MPI_BYTE for any");
  if (lower != 0 || extent != size || size == 0)
    refuse(given, group, fmt::format("a datatype of {} bytes that spans {} from {} on", size, extent, lower),
           "teams move elements without gaps: pack them, or use MPI's own collectives");
  return static_cast<std::size_t>(size);
}

void check_buffers(const thalweg_team_call& given, const Call& call, const Group& group) {
  const schedule::Problem problem{.operation = call.operation, .ranks = group.ranks(), .root = call.root};
  if (call.count == 0)
    return;
  if (schedule::output_units(problem, group.rank()) > 0 && call.output == nullptr)
    refuse(given, group, fmt::format("no output for {} elements", call.count), "give a buffer");
  if (schedule::input_units(problem, group.rank()) > 0 && call.input == nullptr)
    refuse(given, group, fmt::format("no input of {} elements", call.count), "give a buffer");
  if (call.in_place() && !schedule::is_reduction(call.operation))
    refuse(given, group, "input and output are the same memory",
           "only reductions work in place: give another buffer for the output");
}

} // namespace

const char* name_of(thalweg_collective collective) {
  const auto number = static_cast<std::size_t>(collective);
  return number < std::size(known) ? known[number].name : "a collective";
}

Operation operation_of(thalweg_collective collective) {
  const auto number = static_cast<std::size_t>(collective);
  if (number >= std::size(known))
    throw Error(fmt::format("there is no collective number {}", number), "choose a thalweg_team_...");
  return known[number].operation;
}

Call checked(const thalweg_team_call& given, const Group& group) {
  Call call;
  call.operation = operation_of(given.collective);
  if (call.operation != Operation::broadcast)
    call.input = static_cast<std::byte*>(const_cast<void*>(given.input));
  call.output = static_cast<std::byte*>(given.output);
  call.count = given.count;
  call.element_bytes = element_bytes(given, group);
  call.type = given.type;
  call.op = given.op;
  call.root = given.root;
  call.before = given.before;
  call.after = given.after;
  if (given.root < 0 || given.root >= group.ranks())
    refuse(given, group, fmt::format("root {}", given.root), "roots are ranks of the team");
  if (schedule::is_reduction(call.operation) != (given.op != MPI_OP_NULL))
    refuse(given, group, given.op == MPI_OP_NULL ? "no operator" : "an operator",
           "reductions have one, others have MPI_OP_NULL");
  const std::size_t most = static_cast<std::size_t>(INT64_MAX) / static_cast<std::size_t>(group.ranks());
  if (given.count > most / call.element_bytes)
    refuse(given, group, fmt::format("{} elements", given.count), "that many do not fit into memory");
  check_buffers(given, call, group);
  return call;
}

std::string site_of(const thalweg_team_call& given, const void* return_address) {
  if (given.file != nullptr)
    return fmt::format("{}:{}", given.file, given.line);
  Dl_info info{};
  if (dladdr(return_address, &info) == 0 || info.dli_fname == nullptr)
    return "somewhere";
  const auto offset = static_cast<const char*>(return_address) - static_cast<const char*>(info.dli_fbase);
  return fmt::format("{}+{:#x}", info.dli_fname, offset);
}

} // namespace thalweg::teams
