// SPDX-License-Identifier: BSD-3-Clause
#include "team/call.hpp"

#include "base/assertion.hpp"
#include "job/library/mpi_library.hpp"
#include "schedule/buffers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>

namespace thalweg::teams {

namespace {

using schedule::Operation;

// In the order of thalweg_collective.
constexpr Operation operation_numbers[] = {Operation::broadcast, Operation::scatter,       Operation::gather,
                                           Operation::allgather, Operation::alltoall,      Operation::reduce,
                                           Operation::allreduce, Operation::scan,          Operation::barrier,
                                           Operation::exscan,    Operation::reduce_scatter};

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
  if (call.in_place() &&
      (!schedule::is_reduction(call.operation) || call.operation == Operation::reduce_scatter))
    throw Error("input and output are the same memory",
                "only reductions of one unit work in place: give another buffer for the output");
}

void check_synchronization(const char* end, thalweg_sync given) {
  if (given != thalweg_sync_none && given != thalweg_sync_mine && given != thalweg_sync_all)
    throw Error(fmt::format("synchronization {} {} the call", static_cast<int>(given), end),
                "choose a thalweg_sync_...");
}

template <std::size_t size>
void put(std::array<char, size>& place, const std::string& text) {
  const std::string kept = text.size() < size ? text : text.substr(text.size() - size + 1);
  std::memcpy(place.data(), kept.c_str(), kept.size() + 1);
}

void check_buffer(const SymmetricMemory& memory, const std::byte* buffer, std::size_t bytes,
                  const std::string& site) {
  const Allocation* const allocation = memory.find(buffer);
  if (allocation == nullptr)
    return;
  const auto left = static_cast<std::size_t>(allocation->begin() + allocation->bytes() - buffer);
  if (bytes > left)
    throw Error(
        fmt::format("at {}, {} bytes from a place in symmetric memory that has {} left", site, bytes, left),
        "allocate more, or move less");
}

} // namespace

std::string_view name_of(const thalweg_team_call& given) {
  constexpr std::size_t knows_collective = offsetof(thalweg_team_call, input);
  const auto number = static_cast<std::size_t>(given.collective);
  const bool is_known = given.size >= knows_collective && number < std::size(operation_numbers);
  return is_known ? schedule::name(operation_numbers[number]) : "start";
}

Operation operation_of(thalweg_collective collective) {
  const auto number = static_cast<std::size_t>(collective);
  if (number >= std::size(operation_numbers))
    throw Error(fmt::format("there is no collective number {}", number), "choose a thalweg_collective_...");
  return operation_numbers[number];
}

int collective_number(Operation operation) {
  const auto* const found = std::ranges::find(operation_numbers, operation);
  THALWEG_ASSERT(light, found != std::end(operation_numbers));
  return static_cast<int>(found - std::begin(operation_numbers));
}

bool is_of_teams(Operation operation) {
  return std::ranges::find(operation_numbers, operation) != std::end(operation_numbers);
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
  THALWEG_ASSERT(light, !call.is_own && is_of_teams(call.operation));
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

CallNote note_of(const std::string& what, const std::string& site) {
  CallNote note;
  put(note.what, what);
  put(note.site, site);
  return note;
}

void check_same_call(std::span<const CallNote> of_ranks) {
  THALWEG_ASSERT(light, !of_ranks.empty());
  const CallNote& first = of_ranks.front();
  for (std::size_t rank = 1; rank < of_ranks.size(); ++rank) {
    const CallNote& other = of_ranks[rank];
    if (other.what != first.what)
      throw Error(fmt::format("rank 0 has come to {} at {}, rank {} to {} at {}", first.what.data(),
                              first.site.data(), rank, other.what.data(), other.site.data()),
                  "all ranks of a team make the same calls in the same order", thalweg_error_mismatch);
  }
}

namespace {

struct BufferBytes {
  std::size_t input;
  std::size_t output;
};

BufferBytes buffer_bytes(const job::Group& group, const TeamCall& call) {
  const schedule::Problem problem{.operation = call.operation, .ranks = group.ranks(), .root = call.root};
  const auto bytes_of = [&](std::int32_t units) {
    return static_cast<std::size_t>(units) * call.unit_bytes();
  };
  return {bytes_of(schedule::input_units(problem, group.rank())),
          bytes_of(schedule::output_units(problem, group.rank()))};
}

} // namespace

bool is_reached(const job::Group& group, const TeamCall& call) {
  const BufferBytes bytes = buffer_bytes(group, call);
  return is_symmetric(call.input, bytes.input) || is_symmetric(call.output, bytes.output);
}

void check_memory(const job::Group& group, const SymmetricMemory& memory, const TeamCall& call,
                  const std::string& site) {
  const BufferBytes bytes = buffer_bytes(group, call);
  check_buffer(memory, call.input, bytes.input, site);
  check_buffer(memory, call.output, bytes.output, site);
}

std::string describe(const thalweg_team_call& given, const TeamCall& call) {
  return fmt::format("{} of {} x {} bytes, root {}, synchronization {} and {}", name_of(given), call.count,
                     call.element_bytes, call.root, static_cast<int>(call.before),
                     static_cast<int>(call.after));
}

} // namespace thalweg::teams
