// SPDX-License-Identifier: BSD-3-Clause
#include "model/routes.hpp"

#include <utility>

namespace thalweg::model {

Routes::Routes(const topology::NodePlaces& node_places, std::int32_t nodes)
    : Routes(topology::locate(node_places, nodes), nodes) {}

Routes::Routes(topology::LocatedNodes located, std::int32_t nodes)
    : is_known_(located.network.has_value()),
      network_(is_known_ ? std::move(*located.network) : topology::Network("star", nodes)),
      places_(std::move(located.places)) {}

std::span<const std::int32_t> Routes::between(std::int32_t from, std::int32_t to) {
  const std::int32_t first = place(from);
  const std::int32_t last = place(to);
  if (first == last || network_.shape() == "star") {
    through_the_switch_ = {network_.link_from(first), network_.link_to(last)};
    return through_the_switch_;
  }
  const auto [entry, fresh] =
      known_.try_emplace(static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(last));
  if (fresh)
    entry->second = network_.route(first, last);
  return entry->second;
}

} // namespace thalweg::model
