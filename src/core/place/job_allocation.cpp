// SPDX-License-Identifier: BSD-3-Clause
#include "place/job_allocation.hpp"

#include "topology/network.hpp"

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
  for (const int node : node_of)
    allocation.slots.push_back(located.places[static_cast<std::size_t>(node)]);
  return allocation;
}

} // namespace thalweg::place
