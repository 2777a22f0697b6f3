// SPDX-License-Identifier: BSD-3-Clause
#include "team/call.hpp"

#include "job/library/mpi_calls.hpp"
#include "schedule/buffers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>

namespace thalweg::teams {

namespace {

using schedule::Operation;

// In the order of thalweg_collective.
constexpr Operation operations[] = {Operation::broadcast, Operation::scatter,  Operation::gather,
                                    Operation::allgather, Operation::alltoall, Operation::reduce,
                                    Operation::allreduce, Operation::scan,     Operation::barrier};

// Bytes of an element of a type that has neither gaps nor bytes before its begin.
std::size_t element_bytes(const thalweg_team_call& given) {
  int size = 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  if (given.type == MPI_DATATYPE_NULL || MPI_Type_size(given.type, &size) != MPI_SUCCESS ||
      MPI_Type_get_extent(given.type, &lower, &extent) != MPI_SUCCESS)
    throw Error("no datatype", "give the elements' type, MPI_BYTE for any");
  if (lower != 0 || extent != size || size == 0)
    throw Error(fmt::format("a datatype of {} bytes that spans {} from {} on", size, extent, lower),
                "teams move elements without gaps: pack them, or use MPI's own collectives",
                thalweg_error_unsupported);
  return static_cast<std::size_t>(size);
}

void check_buffers(const TeamCall& call, const job::Group& group) {
  const schedule::Problem problem{.operation = call.operation, .ranks = group.ranks(), .root = call.root};
  if (call.count == 0)
    return;
  if (schedule::output_units(problem, group.rank()) > 0 && call.output == nullptr)
    throw Error(fmt::format("no output for {} elements", call.count), "give a buffer");
  if (schedule::input_units(problem, group.rank()) > 0 && call.input == nullptr)
    throw Error(fmt::format("no input of {} elements", call.count), "give a buffer");
  if (call.in_place() && !schedule::is_reduction(call.operation))
    throw Error("input and output are the same memory",
                "only reductions work in place: give another buffer for the output");
}

void check_synchronization(const char* end, thalweg_sync given) {
  if (given != thalweg_sync_none && given != thalweg_sync_mine && given != thalweg_sync_all)
    throw Error(fmt::format("synchronization {} {} the call", static_cast<int>(given), end),
                "choose a thalweg_sync_...");
}

} // namespace

std::string_view name_of(const thalweg_team_call& given) {
  constexpr std::size_t knows_collective = offsetof(thalweg_team_call, input);
  const auto number = static_cast<std::size_t>(given.collective);
  const bool is_known = given.size >= knows_collective && number < std::size(operations);
  return is_known ? schedule::name(operations[number]) : "start";
}

Operation operation_of(thalweg_collective collective) {
  const auto number = static_cast<std::size_t>(collective);
  if (number >= std::size(operations))
    throw Error(fmt::format("there is no collective number {}", number), "choose a thalweg_collective_...");
  return operations[number];
}

bool is_of_teams(Operation operation) {
  return std::ranges::find(operations, operation) != std::end(operations);
}

TeamCall checked(const thalweg_team_call& given, const job::Group& group) {
  TeamCall call;
  call.operation = operation_of(given.collective);
  if (call.operation == Operation::barrier)
    throw Error("a barrier among the collectives with data", "start it by thalweg_team_barrier()");
  if (call.operation != Operation::broadcast)
    call.input = static_cast<std::byte*>(const_cast<void*>(given.input));
  call.output = static_cast<std::byte*>(given.output);
  call.count = given.count;
  call.element_bytes = element_bytes(given);
  call.type = given.type;
  call.op = given.op;
  call.root = given.root;
  call.before = given.before;
  call.after = given.after;
  check_synchronization("before", given.before);
  check_synchronization("after", given.after);
  if (given.root < 0 || given.root >= group.ranks())
    throw Error(fmt::format("root {}", given.root),
                fmt::format("the team has ranks 0 to {}", group.ranks() - 1));
  if (schedule::is_reduction(call.operation) != (given.op != MPI_OP_NULL))
    throw Error(given.op == MPI_OP_NULL ? "no operator" : "an operator",
                "reductions have one, others have MPI_OP_NULL");
  const std::size_t limit = static_cast<std::size_t>(INT64_MAX) / static_cast<std::size_t>(group.ranks());
  if (given.count > limit / call.element_bytes)
    throw Error(fmt::format("{} elements", given.count), "that many do not fit into memory");
  check_buffers(call, group);
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
