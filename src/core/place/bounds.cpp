// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds.hpp"

#include "place/mapping.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>
#include <vector>

namespace thalweg::place {

namespace {

using Row = std::vector<double>;

/// Of each task the bytes to each of its partners, or from each, the most first.
std::vector<Row> partners_of(const pattern::Matrix& matrix, bool is_sent) {
  std::vector<Row> rows(at(matrix.tasks()));
  for (const pattern::Edge& edge : matrix.edges())
    if (edge.from != edge.to && edge.bytes > 0)
      rows[at(is_sent ? edge.from : edge.to)].push_back(edge.bytes);
  for (Row& row : rows)
    std::ranges::sort(row, std::greater{});
  return rows;
}

std::unordered_map<topology::Place, std::size_t> slots_by_node(const machine::Allocation& allocation) {
  std::unordered_map<topology::Place, std::size_t> found;
  for (const topology::Place node : allocation.slots)
    ++found[node];
  return found;
}

std::size_t slots_limit(const machine::Allocation& allocation) {
  std::size_t slots_max = 0;
  for (const auto& [node, slots] : slots_by_node(allocation))
    slots_max = std::max(slots_max, slots);
  return slots_max;
}

/// The most that a node's links carry one way in a link's time.
double capacity_limit(const machine::Allocation& allocation, topology::Vertex topology::LinkEnds::*end) {
  std::unordered_map<topology::Place, double> capacities;
  for (const topology::Place node : allocation.slots)
    capacities[node] = 0;
  const topology::Interconnect& machine = *allocation.interconnect;
  for (topology::Link link = 0; link < machine.links(); ++link)
    if (const auto own = capacities.find(machine.ends(link).*end); own != capacities.end())
      own->second += machine.capacity(link);
  double capacity_max = 0;
  for (const auto& [node, capacity] : capacities)
    capacity_max = std::max(capacity_max, capacity);
  return capacity_max;
}

/// Hops to the nearest slot, the next one, and so on: of each the least of all slots.
std::vector<std::int64_t> nearest_hops(const machine::Allocation& allocation) {
  constexpr std::size_t slots_max = 2000;
  const std::size_t count = allocation.slots.size();
  if (count > slots_max) {
    std::vector<std::int64_t> hops(count - 1, 1);
    std::fill_n(hops.begin(), slots_limit(allocation) - 1, 0);
    return hops;
  }
  std::vector<std::int64_t> hops_min(count - 1, std::numeric_limits<std::int64_t>::max());
  std::vector<std::int64_t> own;
  for (std::size_t slot = 0; slot < count; ++slot) {
    own.clear();
    for (std::size_t other = 0; other < count; ++other)
      if (other != slot)
        own.push_back(allocation.interconnect->hops(allocation.slots[slot], allocation.slots[other]));
    std::ranges::sort(own);
    for (std::size_t index = 0; index < own.size(); ++index)
      hops_min[index] = std::min(hops_min[index], own[index]);
  }
  return hops_min;
}

} // namespace

double injection_bound(const pattern::Pattern& pattern, const machine::Allocation& allocation) {
  const pattern::Matrix total = sum(pattern);
  const std::size_t beside = slots_limit(allocation) - 1;
  double bound = 0;
  for (const bool is_sent : {true, false}) {
    const double capacity =
        capacity_limit(allocation, is_sent ? &topology::LinkEnds::from : &topology::LinkEnds::to);
    for (const Row& row : partners_of(total, is_sent)) {
      double bytes = 0;
      for (std::size_t partner = beside; partner < row.size(); ++partner)
        bytes += row[partner];
      if (capacity > 0)
        bound = std::max(bound, bytes / capacity);
    }
  }
  return bound;
}

double near_bound(const pattern::Pattern& pattern, const machine::Allocation& allocation) {
  const std::vector<std::int64_t> hops = nearest_hops(allocation);
  double twice = 0; // each pair of tasks is in two rows
  for (const Row& row : partners_of(symmetric(sum(pattern)), true))
    for (std::size_t partner = 0; partner < row.size() && partner < hops.size(); ++partner)
      twice += row[partner] * static_cast<double>(hops[partner]);
  return twice / 2;
}

} // namespace thalweg::place
