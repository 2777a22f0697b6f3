// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace thalweg::schedule {

/// What a collective does to blocks. The v- and w-variants are not separate operations: they are the same
/// schedules bound to blocks of unequal size (see Sizes in schedule/problem.hpp).
enum class Operation {
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_alltoall,
};

std::string_view name(Operation operation);
std::span<const Operation> all_operations();
/// The operation of that name, or nothing.
std::optional<Operation> parse_operation(std::string_view text);

/// Has a root: broadcast, reduce, gather, scatter.
bool is_rooted(Operation operation);
/// Combines contributions with an operator.
bool is_reduction(Operation operation);

} // namespace thalweg::schedule
