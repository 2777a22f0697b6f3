// SPDX-License-Identifier: BSD-3-Clause
#include "machine/allocation.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <fmt/format.h>
#include <unordered_set>
#include <utility>

namespace thalweg::machine {

namespace {

constexpr std::int64_t max_slots = INT32_MAX;

void check_node(const topology::Interconnect& interconnect, topology::Place node, std::int32_t slots) {
  if (node < 0 || node >= interconnect.nodes())
    throw Error(fmt::format("node {} is outside of {}", node, interconnect.name()),
                fmt::format("nodes are 0 to {}", interconnect.nodes() - 1));
  if (slots < 0)
    throw Error(fmt::format("node {} has {} slots", node, slots), "give numbers from 0");
  if (slots > 0 && !interconnect.takes_ranks(node))
    throw Error(fmt::format("node {} of {} takes no ranks", node, interconnect.name()),
                "it is there for input and output: leave it out, or give it 0 slots");
}

} // namespace

Allocation make_allocation(std::shared_ptr<const topology::Interconnect> interconnect,
                           std::span<const topology::Place> nodes,
                           std::span<const std::int32_t> slots_per_node) {
  if (slots_per_node.size() != 1 && slots_per_node.size() != nodes.size())
    throw Error(fmt::format("{} numbers of slots for {} nodes", slots_per_node.size(), nodes.size()),
                "give one for all nodes, or one each");
  THALWEG_ASSERT(light, interconnect != nullptr);
  Allocation allocation{std::move(interconnect), {}};
  std::unordered_set<topology::Place> seen;
  std::int64_t total = 0;
  const auto slots_of = [&](std::size_t index) {
    return slots_per_node[slots_per_node.size() == 1 ? 0 : index];
  };
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const std::int32_t slots = slots_of(index);
    check_node(*allocation.interconnect, nodes[index], slots);
    if (!seen.insert(nodes[index]).second)
      throw Error(fmt::format("node {} comes twice", nodes[index]),
                  "name each node once: how many ranks it takes is its number of slots");
    total += slots;
    if (total > max_slots)
      throw Error(fmt::format("{} slots and more", total), fmt::format("a job has up to {}", max_slots));
  }
  allocation.slots.reserve(static_cast<std::size_t>(total));
  for (std::size_t index = 0; index < nodes.size(); ++index)
    allocation.slots.insert(allocation.slots.end(), static_cast<std::size_t>(slots_of(index)), nodes[index]);
  THALWEG_ASSERT(light, std::ssize(allocation.slots) == total);
  return allocation;
}

std::vector<topology::Place> nodes_for_ranks(const topology::Interconnect& interconnect) {
  if (interconnect.nodes() > max_slots)
    throw Error(fmt::format("{} has {} nodes", interconnect.name(), interconnect.nodes()),
                "name those that the job has");
  std::vector<topology::Place> nodes;
  for (topology::Place node = 0; node < interconnect.nodes(); ++node)
    if (interconnect.takes_ranks(node))
      nodes.push_back(node);
  return nodes;
}

} // namespace thalweg::machine
