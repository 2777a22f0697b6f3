// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/tree_places.hpp"

namespace thalweg::simulate::packet {

TreePlaces::TreePlaces(const Fabric& fabric, const topology::FatTree& tree)
    : places_(fabric.vertices()), nodes_below_{1}, children_{fabric.has_ports() ? 1U : 0U}, ways_{1} {
  for (const std::int32_t children : tree.shape().children) {
    children_.push_back(static_cast<std::uint32_t>(children));
    nodes_below_.push_back(nodes_below_.back() * children_.back());
  }
  for (const std::int32_t parents : tree.shape().parents) {
    parents_.push_back(static_cast<std::uint32_t>(parents));
    ways_.push_back(ways_.back() * parents_.back());
  }
  parents_.push_back(0);
  std::uint64_t vertex = fabric.switch_vertex(0);
  for (std::uint32_t level = 0; level < nodes_below_.size(); ++level) {
    const std::uint64_t subtrees = fabric.nodes() / nodes_below_[level];
    for (std::uint64_t place = 0; place < subtrees * ways_[level]; ++place)
      places_[vertex++] = {static_cast<std::uint32_t>(place / ways_[level] * nodes_below_[level]), level};
  }
}

} // namespace thalweg::simulate::packet
