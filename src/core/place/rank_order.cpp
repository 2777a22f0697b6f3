// SPDX-License-Identifier: BSD-3-Clause
#include "place/rank_order.hpp"

#include "base/assertion.hpp"
#include "topology/network.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::place {

machine::Allocation job_allocation(const topology::NodePlaces& known, std::span<const int> node_of,
                                   std::int32_t nodes) {
  topology::LocatedNodes located = topology::locate(known, nodes);
  if (!located.network) {
    located.network.emplace("star", nodes);
    located.places.resize(static_cast<std::size_t>(nodes));
    std::iota(located.places.begin(), located.places.end(), 0);
  }
  // A host's links to its switch count as hops, so that what stays on a host is nearest.
  machine::Allocation allocation{located.network->interconnect(), {}};
  allocation.slots.reserve(node_of.size());
  for (const int node : node_of) {
    THALWEG_ASSERT(normal, node >= 0 && node < nodes);
    allocation.slots.push_back(located.places[static_cast<std::size_t>(node)]);
  }
  return allocation;
}

SureOrder sure_order(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                     const Options& options, double gain) {
  SureOrder order;
  if (std::ranges::all_of(pattern.phases,
                          [](const pattern::Phase& phase) { return phase.matrix.edges().empty(); })) {
    order.why = "no rank sends anything to another";
    return order;
  }
  order.found = map(pattern, allocation, options);
  const Metrics& before = order.found.identity;
  const Metrics& after = order.found.placed;
  const double part = value(options.goal, after, before);
  order.why =
      fmt::format("{:.2f} hops a byte instead of {:.2f}, {:.0f} % of the most loaded link's bytes",
                  after.hops_per_byte, before.hops_per_byte,
                  before.phase_link_max > 0 ? 100 * after.phase_link_max / before.phase_link_max : 100);
  if (order.found.is_identity())
    order.why = "no better order was found";
  else if (part > 1 - gain || after.hop_bytes > before.hop_bytes ||
           after.phase_link_max > before.phase_link_max)
    order.why = fmt::format("the best order is not surely better: {}", order.why);
  else
    order.slot_of = order.found.slot_of;
  return order;
}

} // namespace thalweg::place
