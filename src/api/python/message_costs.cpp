// SPDX-License-Identifier: BSD-3-Clause
#include "python/message_costs.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <string>

namespace thalweg::python {

namespace {

/// Of ranks on these nodes; where none are given, of ranks that fill one node after the other.
simulate::CostBetween machine_between(const machine::Machine& machine, std::int64_t ranks_per_node,
                                      const std::vector<std::int32_t>& nodes) {
  if (ranks_per_node < 0)
    throw Error(std::to_string(ranks_per_node) + " ranks on a node", "choose 0, for all, or more");
  return [&machine, ranks_per_node, &nodes](std::int64_t bytes, std::uint32_t from, std::uint32_t to) {
    const auto node = [&](std::uint32_t rank) -> std::int64_t {
      if (nodes.empty())
        return rank / std::max<std::int64_t>(ranks_per_node, 1);
      if (rank >= nodes.size())
        throw Error("rank " + std::to_string(rank) + " has no place on the network",
                    "choose a larger network, or more ranks on a node");
      return nodes[rank];
    };
    const bool together = (nodes.empty() && ranks_per_node == 0) || node(from) == node(to);
    return simulate::message_cost(machine.at(together ? machine::Level::node : machine::Level::network),
                                  bytes);
  };
}

} // namespace

simulate::CostBetween costs_between(const machine::Machine* machine, std::int64_t ranks_per_node,
                                    std::string_view loggops, const std::vector<std::int32_t>& nodes) {
  if (machine != nullptr)
    return machine_between(*machine, ranks_per_node, nodes);
  return [parameters = simulate::parse_loggops(loggops)](std::int64_t bytes, std::uint32_t, std::uint32_t) {
    return parameters.cost(bytes);
  };
}

} // namespace thalweg::python
