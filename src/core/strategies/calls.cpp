// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/calls.hpp"

#include "schedule/buffers.hpp"

#include <algorithm>
#include <array>

namespace thalweg::strategies {

namespace {

constexpr std::array<Call, 22> call_table{{
    {"barrier", Operation::barrier},
    {"broadcast", Operation::broadcast},
    {"reduce", Operation::reduce},
    {"allreduce", Operation::allreduce},
    {"gather", Operation::gather},
    {"gatherv", Operation::gather, true, true},
    {"scatter", Operation::scatter},
    {"scatterv", Operation::scatter, true, true},
    {"allgather", Operation::allgather},
    {"allgatherv", Operation::allgather, true, true},
    {"alltoall", Operation::alltoall},
    {"alltoallv", Operation::alltoall, true, true},
    {"alltoallw", Operation::alltoall, true, true},
    {"reduce_scatter", Operation::reduce_scatter, false, true},
    {"reduce_scatter_block", Operation::reduce_scatter, true},
    {"scan", Operation::scan},
    {"exscan", Operation::exscan},
    {"neighbor_allgather", Operation::neighbor_allgather},
    {"neighbor_allgatherv", Operation::neighbor_allgather, true, true},
    {"neighbor_alltoall", Operation::neighbor_alltoall},
    {"neighbor_alltoallv", Operation::neighbor_alltoall, true, true},
    {"neighbor_alltoallw", Operation::neighbor_alltoall, true, true},
}};

} // namespace

std::span<const Call> calls() {
  return call_table;
}

const Call* find_call(std::string_view name) {
  const auto found = std::ranges::find(call_table, name == "bcast" ? "broadcast" : name, &Call::name);
  return found == call_table.end() ? nullptr : &*found;
}

bool supports(const Strategy& strategy, const Call& call) {
  return !call.unequal_blocks || strategy.unequal_blocks || schedule::has_private_sizes(call.operation);
}

} // namespace thalweg::strategies
