// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/problem.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace thalweg::schedule {

namespace {

constexpr std::array operations{
    Operation::barrier,          Operation::broadcast, Operation::reduce,    Operation::allreduce,
    Operation::gather,           Operation::scatter,   Operation::allgather, Operation::alltoall,
    Operation::reduce_scatter,   Operation::scan,      Operation::exscan,    Operation::neighbor_allgather,
    Operation::neighbor_alltoall};

} // namespace

std::string_view name(Operation operation) {
  switch (operation) {
  case Operation::barrier:
    return "barrier";
  case Operation::broadcast:
    return "broadcast";
  case Operation::reduce:
    return "reduce";
  case Operation::allreduce:
    return "allreduce";
  case Operation::gather:
    return "gather";
  case Operation::scatter:
    return "scatter";
  case Operation::allgather:
    return "allgather";
  case Operation::alltoall:
    return "alltoall";
  case Operation::reduce_scatter:
    return "reduce_scatter";
  case Operation::scan:
    return "scan";
  case Operation::exscan:
    return "exscan";
  case Operation::neighbor_allgather:
    return "neighbor_allgather";
  case Operation::neighbor_alltoall:
    return "neighbor_alltoall";
  }
  return "unknown";
}

std::span<const Operation> all_operations() {
  return operations;
}

std::optional<Operation> parse_operation(std::string_view text) {
  for (const Operation operation : operations)
    if (name(operation) == text)
      return operation;
  return std::nullopt;
}

bool is_rooted(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce ||
         operation == Operation::gather || operation == Operation::scatter;
}

bool is_reduction(Operation operation) {
  return operation == Operation::reduce || operation == Operation::allreduce ||
         operation == Operation::reduce_scatter || operation == Operation::scan ||
         operation == Operation::exscan;
}

std::int64_t Problem::parameter_or(std::string_view wanted, std::int64_t other) const {
  const auto found = std::ranges::find(parameters, wanted, &Parameters::value_type::first);
  return found == parameters.end() ? other : found->second;
}

std::int64_t Problem::parameter(std::string_view wanted) const {
  for (const auto& [known, value] : parameters)
    if (known == wanted)
      return value;
  throw Error(fmt::format("no parameter '{}' in a problem of {}", wanted, name(operation)),
              "resolve parameters through the index before building");
}

} // namespace thalweg::schedule
